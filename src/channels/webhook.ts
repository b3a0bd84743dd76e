import { createHmac } from "node:crypto";
import { z } from "zod";
import { lineText } from "../base/settings.ts";
import type { Secret } from "../base/text.ts";
import type { Notice } from "../model/index.ts";
import type { HttpAnswer, Outcome } from "./channel.ts";
import { httpChannel, outcomeOfStatus } from "./http-channel.ts";
import { headers, revealed, secretUrl } from "./http-settings.ts";
import { type DaemonPage, isoTime, pageLink } from "./text.ts";

const settings = z.strictObject({
  url: secretUrl(
    "an address such as https://alerts.example.org/hook",
    'headers: {Authorization: "${env:…}"}',
  ),
  /** The key of the signature. */
  secret: lineText("a key that the receiver knows, too").optional(),
  headers: headers().default({}),
});

/** Posts each notice as JSON to an address of the user's own. */
export const webhookKind = httpChannel({
  kind: "webhook",
  forPrograms: true,
  settings,
  open: ({ url, secret, headers: given }, { page = () => null }) => ({
    body: (notice) => webhookBody(notice, page()),
    requests: (_, { message: { id, body }, now }) => [
      {
        url: url.reveal(),
        headers: {
          ...revealed(given),
          // The same on a retry: a receiver that has seen it need not act again.
          "idempotency-key": id.replace(/[^\x21-\x7e]/g, ""),
          ...(secret === undefined
            ? {}
            : { "x-tickwatch-signature": signature(secret, body, now) }),
        },
        body,
      },
    ],
    outcome: outcomeOf,
  }),
});

/**
 * `t=1764255960,v1=5f0c…`: the time of the send in Unix seconds, and the HMAC-SHA256 of `t.body` in
 * hex, so that whoever records a request cannot send it again much later.
 */
function signature(secret: Secret, body: string, now: number): string {
  const time = Math.floor(now / 1_000);
  const mac = createHmac("sha256", secret.reveal()).update(`${time}.${body}`).digest("hex");
  return `t=${time},v1=${mac}`;
}

function outcomeOf(answer: HttpAnswer): Outcome {
  const outcome = outcomeOfStatus(answer, null);
  // A page for people is what a captive portal or a login says, with 200.
  if (outcome.status === "sent" && /^\s*<(?:!doctype|html)/i.test(answer.body)) {
    return {
      status: "retry",
      reason: `HTTP ${answer.status} with a web page instead of an answer`,
    };
  }
  return outcome;
}

/**
 * What a webhook is posted: version 1. docs/channels.md says what each key means; a key may be added,
 * but none goes and none changes its meaning without another version.
 */
export function webhookBody(notice: Notice, page: DaemonPage | null = null): object {
  const { id, kind, severity, rule, subject, at, headline, title, note } = notice;
  const { fields, values, range, recent, link, labels, ending } = notice;
  const there = pageLink(notice, page);
  return {
    version: 1,
    id,
    kind,
    severity,
    rule,
    subject,
    at: isoTime(at),
    headline,
    title,
    note,
    values: values.map(({ baseAt, ...value }) => ({
      ...value,
      base_at: baseAt === null ? null : isoTime(baseAt),
    })),
    fields,
    range: range === null ? null : rangeOf(range),
    recent,
    link,
    labels,
    ...(there === null ? {} : { page: there.href }),
    ...(kind === "resolved" ? { ending: ending ?? "recovered" } : {}),
  };
}

function rangeOf(range: NonNullable<Notice["range"]>): unknown {
  const { lower, upper, price, unit, lowerTick, upperTick, tick, inverted } = range;
  return {
    lower,
    upper,
    price,
    unit,
    lower_tick: lowerTick,
    upper_tick: upperTick,
    tick,
    inverted,
  };
}
