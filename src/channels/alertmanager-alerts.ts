import { asMap, isMap, type JsonMap } from "../base/json.ts";
import { cleanText } from "../base/text.ts";
import type { Notice } from "../model/index.ts";
import { type Identity, incidentsOf } from "./incident.ts";
import { type DaemonPage, isoTime, pageLink, webAddress } from "./text.ts";

/**
 * Notices as alerts of Alertmanager's API. Source: prometheus.io, "Alerts API" and "Sending alerts"
 * (the members of an alert; its labels are its identity) and "Data model" (names of labels).
 */

export interface PostedAlert {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly startsAt?: string;
  /** Absent: Alertmanager ends it after its own resolve_timeout. */
  readonly endsAt?: string;
  readonly generatorURL?: string;
}

/** The alerts to post, and the subjects whose alerts under earlier labels must be ended. */
export interface AlertsBody {
  readonly alerts: readonly PostedAlert[];
  readonly endings: readonly Ending[];
}

export interface Ending {
  readonly alertname: string;
  readonly subject: string;
  readonly about: string;
}

const LABEL_LIMIT = 500;
const ANNOTATION_LIMIT = 1_000;
const MOST_ANNOTATIONS = 60;
const LINK_LIMIT = 2_000;

/** `expiresMs`: so long after its latest notice an alert counts as firing. */
export function alertsBody(
  notice: Notice,
  expiresMs: number,
  page: DaemonPage | null = null,
): AlertsBody {
  const { at } = notice;
  const alerts: PostedAlert[] = [];
  const endings: Ending[] = [];
  const href = notice.link === null ? null : webAddress(notice.link);
  const explorer = href === null || href.length > LINK_LIMIT ? null : href;
  const there = pageLink(notice, page)?.href ?? null;
  // The generator of an alert is the daemon's page, if it has one.
  const generator = there ?? explorer;
  const link = generator === null ? {} : { generatorURL: generator };
  const annotations = annotationsOf(notice, there === null ? null : explorer);
  for (const { action, of, summary } of incidentsOf(notice)) {
    if (action === "close" && of.subject !== null) {
      endings.push({ alertname: alertName(of), subject: labelText(of.subject), about: of.about });
    }
    const end =
      action === "event" ? {} : { endsAt: isoTime(action === "close" ? at : at + expiresMs) };
    alerts.push({
      labels: labelsOf(notice, of),
      annotations: { ...annotations, summary },
      startsAt: isoTime(at),
      ...end,
      ...link,
    });
  }
  return { alerts, endings };
}

/** Labels of this channel; a rule's own label of the same name is renamed. */
const OWN_LABELS: ReadonlySet<string> = new Set([
  "alertname",
  "rule",
  "subject",
  "severity",
  "about",
  "event",
  "source",
]);

const OWN_ANNOTATIONS: ReadonlySet<string> = new Set([
  "summary",
  "title",
  "description",
  "notice",
  "explorer",
]);

function labelsOf(notice: Notice, of: Identity): PostedAlert["labels"] {
  const { about, rule, subject, event } = of;
  const labels = new Map<string, string>();
  const put = (name: string, value: string | null): void => {
    const text = labelText(value ?? "");
    if (text !== "") labels.set(name, text);
  };
  put("alertname", alertName(of));
  put("rule", rule);
  put("subject", subject);
  // Labels are what an end is known by, and the end of these is told with another severity.
  put("severity", about === "source" || about === "self" ? "warning" : notice.severity);
  put("about", about);
  put("event", event);
  put("source", "tickwatch");
  const taken = new Set<string>();
  for (const [name, value] of Object.entries(notice.labels)) {
    put(labelName(name, OWN_LABELS, taken), value);
  }
  return Object.fromEntries(labels);
}

function alertName({ rule, about }: Identity): string {
  return labelText(rule ?? `tickwatch_${about}`) || "tickwatch";
}

/**
 * Letters, digits and underscores, a letter first; none of `own`, and none that is taken, to which it
 * is added.
 */
function labelName(name: string, own: ReadonlySet<string>, taken: Set<string>): string {
  const plain = name.slice(0, 100).replace(/[^A-Za-z0-9_]/g, "_");
  const base = /^(?:[0-9_]|$)/.test(plain) || own.has(plain) ? `label_${plain}` : plain;
  let free = base;
  for (let count = 2; taken.has(free); count += 1) free = `${base}_${count}`;
  taken.add(free);
  return free;
}

function labelText(text: string): string {
  return cleanText(text, LABEL_LIMIT);
}

function annotationsOf(
  { title, note, fields, id }: Notice,
  explorer: string | null,
): PostedAlert["annotations"] {
  const annotations = new Map<string, string>();
  const put = (name: string, value: string): void => {
    const clean = cleanText(value, ANNOTATION_LIMIT);
    if (clean !== "" && annotations.size < MOST_ANNOTATIONS) annotations.set(name, clean);
  };
  put("title", title ?? "");
  put("description", note ?? "");
  put("notice", id);
  if (explorer !== null) annotations.set("explorer", explorer);
  const taken = new Set<string>();
  for (const { name, value } of fields) {
    put(labelName(cleanText(name).toLowerCase(), OWN_ANNOTATIONS, taken), value);
  }
  return Object.fromEntries(annotations);
}

/** Reads what was frozen; null if it is none of ours. */
export function readAlertsBody({ alerts, endings }: JsonMap): AlertsBody | null {
  if (!Array.isArray(alerts) || !Array.isArray(endings)) return null;
  const read = { alerts: alerts.map(readAlert), endings: endings.map(readEnding) };
  return isWhole(read.alerts) && isWhole(read.endings)
    ? { alerts: read.alerts, endings: read.endings }
    : null;
}

function isWhole<Item>(items: readonly (Item | null)[]): items is readonly Item[] {
  return items.every((item) => item !== null);
}

/** An alert as it was frozen here, or as Alertmanager lists it; null if it is none. */
export function readAlert(value: unknown): PostedAlert | null {
  const { labels, annotations, startsAt, endsAt, generatorURL } = asMap(value) ?? {};
  const read = { labels: readTexts(labels), annotations: readTexts(annotations) };
  if (read.labels === null || read.annotations === null) return null;
  return {
    labels: read.labels,
    annotations: read.annotations,
    ...(typeof startsAt === "string" ? { startsAt } : {}),
    ...(typeof endsAt === "string" ? { endsAt } : {}),
    ...(typeof generatorURL === "string" && generatorURL !== "" ? { generatorURL } : {}),
  };
}

function readEnding(value: unknown): Ending | null {
  const { alertname, subject, about } = readTexts(value) ?? {};
  return alertname === undefined || subject === undefined || about === undefined
    ? null
    : { alertname, subject, about };
}

function readTexts(value: unknown): Readonly<Record<string, string>> | null {
  const texts = new Map<string, string>();
  if (!isMap(value)) return null;
  for (const [name, text] of Object.entries(value)) {
    if (typeof text !== "string") return null;
    texts.set(name, text);
  }
  return Object.fromEntries(texts);
}
