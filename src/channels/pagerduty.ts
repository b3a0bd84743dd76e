import { createHash } from "node:crypto";
import { z } from "zod";
import { isMap, type JsonMap, readMap } from "../base/json.ts";
import { httpUrl, refuse, secretText } from "../base/settings.ts";
import { formTrouble } from "../base/slips.ts";
import { cleanText, type Secret } from "../base/text.ts";
import type { Notice, Severity } from "../model/index.ts";
import type { HttpAnswer, Outcome } from "./channel.ts";
import { httpChannel, outcomeOfStatus, unlessPage } from "./http-channel.ts";
import { type Identity, incidentsOf } from "./incident.ts";
import { cutUnits, type DaemonPage, isoTime, pageLink, webAddress, withoutLinks } from "./text.ts";

const KEY_EXPECTED = "the integration key of an Events API v2 integration";

const settings = z.strictObject({
  routing_key: secretText(KEY_EXPECTED).superRefine((key, context) => {
    const text = key.reveal();
    if (!/^[\x21-\x7e]{1,255}$/.test(text)) {
      const why = formTrouble(text, /^[\x21-\x7e]$/) ?? "the value is not an integration key";
      refuse(context, "bad-setting", why, KEY_EXPECTED);
    }
  }),
  base_url: httpUrl().default("https://events.pagerduty.com"),
});

/** PagerDuty's Events API v2: alerts are opened when they fire and resolved when they are over. */
export const pagerdutyKind = httpChannel({
  kind: "pagerduty",
  settings,
  open: ({ base_url, routing_key }, { page = () => null }) => ({
    // Source: developer.pagerduty.com, "Events API Rate Limits": 120 calls a minute for a key.
    gapMs: 500,
    body: (notice) => ({ events: pagerdutyEvents(notice, page()) }),
    requests: ({ events }) => {
      if (!Array.isArray(events) || !events.every(isEvent)) return null;
      const url = `${base_url}/v2/enqueue`;
      const key = { routing_key: routing_key.reveal() };
      return events.map((event) => ({ url, body: JSON.stringify({ ...event, ...key }) }));
    },
    outcome: (answer) => unlessPage(outcomeOf(answer, routing_key), answer),
  }),
});

/** 400 is an event that PagerDuty does not understand, unless it says that the key is wrong. */
function outcomeOf(answer: HttpAnswer, key: Secret): Outcome {
  if (answer.status !== 400) return outcomeOfStatus(answer, null);
  const said = JSON.stringify(readMap(answer.body)?.errors ?? "").replaceAll(key.reveal(), "");
  return /routing[_ ]key/i.test(said)
    ? { status: "parked", reason: "HTTP 400, the routing key is refused" }
    : outcomeOfStatus(answer, null);
}

/**
 * Notices as events. Source: developer.pagerduty.com, "Send an Alert Event" (each field and its
 * limit) and "Events API v2 Overview" (512 KB an event).
 */

const SUMMARY_LIMIT = 1_024;
/** Ours: far more than a notice has, and far below 512 KB. */
const MOST_DETAILS = 60;
const DETAIL_LIMIT = 1_000;
const LABEL_LIMIT = 200;
const LINK_LIMIT = 2_000;

/** An event without its routing key, which is never stored. */
export type PagerdutyEvent =
  | { readonly event_action: "resolve"; readonly dedup_key: string }
  | {
      readonly event_action: "trigger";
      readonly dedup_key: string;
      readonly client: "tickwatch";
      /** PagerDuty makes a button of it. */
      readonly client_url?: string;
      readonly links: readonly { readonly href: string; readonly text: string }[];
      readonly payload: {
        readonly summary: string;
        readonly source: string;
        readonly severity: Severity;
        readonly timestamp: string;
        readonly component: string;
        readonly group: string;
        readonly class: string;
        readonly custom_details: Readonly<Record<string, string>>;
      };
    };

/** One event for each alert of the notice; none where nobody has to act. */
export function pagerdutyEvents(
  given: Notice,
  page: DaemonPage | null = null,
): readonly PagerdutyEvent[] {
  const notice = withoutLinks(given);
  // A single change of a rule with severity `info` wakes nobody.
  const told = incidentsOf(notice).filter(
    ({ action }) => action !== "event" || notice.severity !== "info",
  );
  const details = told.some(({ action }) => action !== "close") ? detailsOf(notice) : {};
  const href = notice.link === null ? null : webAddress(notice.link);
  const there = pageLink(notice, page);
  return told.map(({ action, of, summary }) => {
    const dedup_key = dedupKey(of);
    if (action === "close") return { event_action: "resolve", dedup_key };
    return {
      event_action: "trigger",
      dedup_key,
      client: "tickwatch",
      ...(there === null ? {} : { client_url: there.href }),
      links: href === null || href.length > LINK_LIMIT ? [] : [{ href, text: "Block explorer" }],
      payload: {
        summary: cutUnits(orDash(summary), SUMMARY_LIMIT),
        source: orDash(cleanText(of.subject ?? "tickwatch", LABEL_LIMIT)),
        severity: notice.severity,
        timestamp: isoTime(notice.at),
        component: cleanText(of.subject ?? "tickwatch", LABEL_LIMIT),
        group: cleanText(of.rule ?? "tickwatch", LABEL_LIMIT),
        class: notice.kind,
        custom_details: details,
      },
    };
  });
}

/** The same for all events about one alert of one rule, and for no other; 42 characters of 255. */
function dedupKey({ about, rule, subject, event }: Identity): string {
  const facts = JSON.stringify([about, rule, subject, event]);
  return `tickwatch-${createHash("sha256").update(facts).digest("hex").slice(0, 32)}`;
}

/** The notice's own facts; a name that is there twice is told apart by its place. */
function detailsOf({ title, note, fields, labels, id, at }: Notice): Record<string, string> {
  const details = new Map<string, string>();
  const put = (name: string, value: string): void => {
    if (details.size >= MOST_DETAILS || value === "") return;
    const clean = orDash(cleanText(name, LABEL_LIMIT));
    const key = details.has(clean) ? `${clean} (${details.size + 1})` : clean;
    details.set(key, cleanText(value, DETAIL_LIMIT));
  };
  put("Title", title ?? "");
  put("Note", note ?? "");
  for (const { name, value } of fields) put(name, value);
  for (const [name, value] of Object.entries(labels)) put(`label ${name}`, value);
  put("Notice", `${id}, ${isoTime(at)}`);
  return Object.fromEntries(details);
}

function orDash(text: string): string {
  return text === "" ? "-" : text;
}

/** Whether what was frozen is an event. */
function isEvent(value: unknown): value is JsonMap {
  return isMap(value) && typeof value.dedup_key === "string";
}
