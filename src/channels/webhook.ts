import { createHmac } from "node:crypto";
import { z } from "zod";
import { type Clock, systemClock } from "../base/clock.ts";
import { Secret } from "../base/secret.ts";
import { kindOf, refuse, secretText } from "../base/settings.ts";
import type { Message } from "../model.ts";
import type { Channel, ChannelKind, Outcome } from "./channel.ts";
import {
  type HttpAnswer,
  type HttpClient,
  httpClient,
  outcomeOfError,
  outcomeOfStatus,
} from "./http.ts";
import { webhookBody } from "./webhook-body.ts";

const URL_EXPECTED = "an address such as https://alerts.example.org/hook";

const settings = z.strictObject({
  url: secretText(URL_EXPECTED).superRefine((url, context) => {
    const text = url.reveal();
    if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) {
      refuse(context, "the value is not an http or https address", { expected: URL_EXPECTED });
    } else if (new URL(text).username !== "" || new URL(text).password !== "") {
      const expected = 'headers: {Authorization: "${env:…}"}';
      refuse(context, "the address holds a user name or password", { expected });
    }
  }),
  /** The key of the signature. */
  secret: secretText("a key that the receiver knows, too").optional(),
  headers: headers().default({}),
});

export type WebhookSettings = z.infer<typeof settings>;

/** Posts each notice as JSON to an address of the user's own. */
export const webhookKind: ChannelKind<WebhookSettings> = {
  kind: "webhook",
  settings,
  open: (read) => openWebhook(read, httpClient(), systemClock()),
};

/** The channel on a client of its own, which it closes. */
export function openWebhook(read: WebhookSettings, client: HttpClient, clock: Clock): Channel {
  return {
    render: webhookBody,
    send: (message, signal) => send(message, signal, read, client, clock),
    close: () => client.close(),
  };
}

async function send(
  { id, body }: Message,
  signal: AbortSignal,
  { url, secret, headers: given }: WebhookSettings,
  client: HttpClient,
  clock: Clock,
): Promise<Outcome> {
  if (!isJson(body)) return { status: "dead", reason: "the stored message is not readable" };
  const own: Record<string, string> = { "user-agent": "tickwatch" };
  for (const [name, value] of Object.entries(given)) own[name.toLowerCase()] = value.reveal();
  own["content-type"] = "application/json";
  // The same on a retry: a receiver that has seen it need not act again.
  own["idempotency-key"] = id.replace(/[^\x21-\x7e]/g, "");
  if (secret !== undefined) own["x-tickwatch-signature"] = signature(secret, body, clock);
  try {
    return outcomeOf(await client.post({ url: url.reveal(), headers: own, body }, signal));
  } catch (error) {
    return outcomeOfError(error);
  }
}

/**
 * `t=1764255960,v1=5f0c…`: the time of the send in Unix seconds, and the HMAC-SHA256 of `t.body` in
 * hex, so that whoever records a request cannot send it again much later.
 */
function signature(secret: Secret, body: string, clock: Clock): string {
  const time = Math.floor(clock.now() / 1_000);
  const mac = createHmac("sha256", secret.reveal()).update(`${time}.${body}`).digest("hex");
  return `t=${time},v1=${mac}`;
}

function outcomeOf(answer: HttpAnswer): Outcome {
  const outcome = outcomeOfStatus(answer, null);
  // A page for people is what a captive portal or a login says, with 200.
  if (outcome.status === "sent" && /^\s*<(?:!doctype|html)/i.test(answer.body)) {
    return {
      status: "retry",
      reason: `HTTP ${answer.status} with a web page in place of an answer`,
    };
  }
  return outcome;
}

function isJson(body: string): boolean {
  try {
    JSON.parse(body);
    return true;
  } catch {
    return false;
  }
}

/** What the channel or HTTP itself says. */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  "connection",
  "content-length",
  "content-type",
  "expect",
  "host",
  "idempotency-key",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "x-tickwatch-signature",
]);
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}$/;
/** What fetch sends as it is. */
const HEADER_VALUE = /^[\x21-\x7e\x80-\xff](?:[\t\x20-\x7e\x80-\xff]*[\x21-\x7e\x80-\xff])?$/;
const MOST_HEADERS = 20;

/** A map of header names to values, each kept as a secret. */
function headers(): z.ZodType<Readonly<Record<string, Secret>>> {
  const expected = 'a map such as {Authorization: "Bearer ${env:TOKEN}"}';
  const text = secretText("the header's value");
  return z.unknown().transform((raw, context) => {
    if (typeof raw !== "object" || raw === null || Array.isArray(raw) || raw instanceof Secret) {
      return refuse(context, raw === null ? "has no value" : `is ${kindOf(raw)}`, { expected });
    }
    const read: Record<string, Secret> = {};
    const seen = new Set<string>();
    const wrong = (name: string, message: string): void =>
      context.addIssue({ code: "custom", path: [name], message, params: {} });
    for (const [name, raw_] of Object.entries(raw)) {
      const key = name.toLowerCase();
      const value = text.safeParse(raw_);
      if (!HEADER_NAME.test(name)) wrong(name, "the name of a header has other characters");
      else if (OWN_HEADERS.has(key)) wrong(name, "this header is set by tickwatch itself");
      else if (seen.has(key)) wrong(name, "this header is there twice");
      else if (!value.success) wrong(name, value.error.issues[0]?.message ?? "is no text");
      else if (!HEADER_VALUE.test(value.data.reveal())) {
        wrong(name, "the value has characters that a header cannot hold");
      } else read[name] = value.data;
      seen.add(key);
    }
    if (seen.size > MOST_HEADERS) {
      return refuse(context, `has ${seen.size} headers`, { expected: `at most ${MOST_HEADERS}` });
    }
    return read;
  });
}
