import { createHash } from "node:crypto";
import { parseDecimal, valueToText } from "../base/decimal.ts";
import { cleanText } from "../base/text.ts";
import type { AlertEvent } from "../decide/event.ts";
import type { Evidence } from "../decide/verdict.ts";
import type { Description } from "../kinds/kind.ts";
import type { Condition, Notice, NoticeKind, NoticeValue, Rule, Severity } from "../model/index.ts";
import { writtenAs } from "../rules/describe/metric-words.ts";
import { alertHeadline } from "./headline/headline.ts";
import { alertFields, bareNotice, entriesAmount, fieldsOf } from "./notice-fields.ts";
import { isTemplate, templates } from "./template/library.ts";
import { alertFacts, ruleFacts, TEMPLATE_FACTS } from "./template-facts.ts";
import {
  chainApart,
  chainOf,
  chainTail,
  endingOf,
  fitLine,
  NEUTRAL_ICON,
  subjectName,
} from "./wording.ts";

/** So many recent values go with a notice. */
const RECENT_VALUES = 48;
const LONGEST_TITLE = 150;
const LONGEST_NOTE = 1_000;

/**
 * What people are told of something that happened to one alert. `recent` are exact values, oldest
 * first, for a small picture; texts that are no numbers are left out.
 */
export function composeAlert(event: AlertEvent, recent: readonly string[]): Notice {
  const { rule, subject, kind, at, description, evidence } = event;
  return {
    ...said(rule, () => alertFacts(event)),
    id: noticeId(kind, rule.name, subject.key, at, apart(event)),
    kind,
    severity: rule.severity,
    subject: subject.key,
    at,
    headline: alertHeadline(event),
    fields: alertFields(event),
    link: event.entry?.link ?? description?.link ?? null,
    range: description?.range ?? null,
    recent: recentNumbers(recent),
    ...(event.more?.about === "gaps" && kind !== "data_back" ? { gaps: true } : {}),
    label: labelOf(event),
    ...groupOf(event),
    ...outcomeOf(event),
    ...(event.bucket === null ? {} : { bucket: event.bucket }),
    ...entriesOf(event),
    ...(event.more?.began === true ? { began: true } : {}),
    values:
      evidence === null
        ? []
        : [noticeValue(subject.key, evidence, description, event.decimals(evidence.metric.name))],
  };
}

/** The facts alone, for when the full notice cannot be composed: a notice must come in any case. */
export function composePlain(event: AlertEvent): Notice {
  const { rule, subject, kind, at, after, more } = event;
  const name = subjectName(subject, null, after.label);
  const before = `${NEUTRAL_ICON} ${kind.replace("_", " ")}: `;
  return bareNotice({
    ...said(rule, () => ruleFacts(rule, kind, at)),
    id: noticeId(kind, rule.name, subject.key, at, apart(event)),
    kind,
    severity: rule.severity,
    subject: subject.key,
    at,
    headline: fitLine([{ before, name, after: "", tails: [` (rule ${cleanText(rule.name)})`] }]),
    fields: fieldsOf([
      ["Rule", rule.name],
      ["Severity", rule.severity],
    ]),
    ...(more?.about === "gaps" && kind !== "data_back" ? { gaps: true } : {}),
    label: name,
  });
}

export interface RemovedAlert {
  /** What people believe of it. */
  readonly was: "firing" | "without data";
  readonly rule: string;
  /** The subject's key. */
  readonly subject: string;
  /** The subject's name for people; null while it was never told. */
  readonly label: string | null;
  readonly at: number;
  readonly severity: Severity;
}

/** What people are told when an alert that fires or has no data is watched no more. */
export function composeRemoved(removed: RemovedAlert): Notice {
  const { was, rule, subject, label, at, severity } = removed;
  const kind = subject.split(":")[0] ?? "";
  const name = subjectName({ key: subject, kind, chainId: 0, ids: {}, name: subject }, null, label);
  const before = `${NEUTRAL_ICON} No longer watched: `;
  const after = was === "firing" ? ". It was firing" : ". It had no data";
  return bareNotice({
    id: noticeId("rule_removed", rule, subject, at),
    kind: "rule_removed",
    severity,
    rule,
    subject,
    at,
    headline: fitLine([{ before, name, after, tails: [` (rule ${cleanText(rule)})`] }]),
    fields: fieldsOf([
      ["Rule", rule],
      ["Subject", subject],
      ["Severity", severity],
    ]),
    label: name,
  });
}

/** `AUSD`, or `AUSD on Polygon` where the rule watches several chains. */
function labelOf(event: AlertEvent): string {
  const { subject, description, after } = event;
  const name = subjectName(subject, description, after.label);
  const [tail] = chainApart(event, chainTail(event, name));
  return tail === undefined ? name : `${name} on ${chainOf(event)}`;
}

/** How it ended, where it is not well again. */
function outcomeOf(event: AlertEvent): Pick<Notice, "ending"> {
  if (event.kind !== "resolved") return {};
  const { how } = endingOf(event);
  return how === "recovered" ? {} : { ending: how };
}

/** What a message that holds several such notices together counts and adds up. */
function entriesOf(event: AlertEvent): Pick<Notice, "entries"> {
  const noun = event.rule.words.entry?.several(event.subject.ids);
  if (noun === undefined || event.kind !== "changed") return {};
  const amount = entriesAmount(event);
  const { count, since } = event.more?.held ?? { count: 1, since: event.at };
  return { entries: { count, since, noun, ...(amount === undefined ? {} : { amount }) } };
}

function groupOf(event: AlertEvent): Pick<Notice, "group"> {
  const { rule, kind } = event;
  // What only ended did not become well again with the others.
  if (outcomeOf(event).ending !== undefined) return {};
  const of = rule.across === null ? rule.subjects.length : 1;
  if (of < 2 || (kind !== "fired" && kind !== "resolved")) return {};
  return { group: { became: becameWords(rule.when)[kind], of } };
}

/** What tells it from others of its kind on the same alert in the same round. */
function apart({ entry, more }: AlertEvent): string | undefined {
  return entry?.id ?? (more?.about === "gaps" ? "gaps" : undefined);
}

/** The same for the same facts, whenever it is made; 16 hex digits. */
export function noticeId(
  kind: NoticeKind,
  rule: string | null,
  subject: string | null,
  at: number,
  entry?: string,
): string {
  const about = [kind, rule, subject, at];
  // Of entries there may be several in one round.
  const facts = JSON.stringify(entry === undefined ? about : [...about, entry]);
  return createHash("sha256").update(facts).digest("hex").slice(0, 16);
}

/** What the rule itself gives to each of its notices, with the facts that it names. */
function said(
  rule: Rule,
  facts: () => Readonly<Record<string, unknown>>,
): Pick<Notice, "rule" | "title" | "note" | "labels" | "links"> {
  const links = ownLinks(`${rule.title ?? ""} ${rule.note ?? ""}`);
  return {
    ...(links.length === 0 ? {} : { links }),
    rule: rule.name,
    title: saidIn(rule.title, facts, LONGEST_TITLE),
    note: saidIn(rule.note, facts, LONGEST_NOTE),
    labels: rule.labels,
  };
}

/**
 * The addresses that a rule's author wrote down, up to what a template fills in: that may come from a chain,
 * so the host at least must be the author's.
 */
function ownLinks(text: string): readonly string[] {
  return [...new Set(text.match(/(?<![^\s(])https?:\/\/[^\s/(){}<>]+\/[^\s{}<>()]*/g))];
}

/**
 * A text that names facts which this kind of notice never has would be a torso, and is left out. A
 * name that is no fact of any notice stays empty: a slip must not take the rest of the text away.
 */
function saidIn(
  text: string | null,
  factsOf: () => Readonly<Record<string, unknown>>,
  limit: number,
): string | null {
  if (text === null) return null;
  if (!isTemplate(text)) return cleanText(text, limit);
  const library = templates();
  // Rules are read with the library; whatever went wrong, what happened must be told.
  if (library === null) return "(this text could not be rendered: templates are not loaded)";
  const facts = factsOf();
  const named = library.templateNames(text).map((name) => nameIn(name));
  if (named.some((name) => name in TEMPLATE_FACTS && !(name in facts))) return null;
  return library.renderTemplate(text, facts, limit);
}

function nameIn(fact: string): string {
  return fact.split(".")[0] ?? fact;
}

function recentNumbers(recent: readonly string[]): readonly string[] {
  const numbers = recent.filter((text) => parseDecimal(text) !== null).slice(-RECENT_VALUES);
  return numbers.length < 2 ? [] : numbers;
}

/** What has become of alerts that fired, and of those that resolved. */
function becameWords(when: Condition): {
  readonly fired: string;
  readonly resolved: string;
} {
  switch (rangeSide(when)) {
    case "in":
      return { fired: "came into range", resolved: "out of range again" };
    case "out":
      return { fired: "went out of range", resolved: "back in range" };
    case null:
      return { fired: "fired", resolved: "resolved" };
  }
}

/** The side of its range on which a position makes the condition true; null: it is not about that. */
function rangeSide(when: Condition): "in" | "out" | null {
  if (when.op !== "equals" && when.op !== "not_equals") return null;
  if (when.metric !== "in_range" || when.limit.kind !== "value") return null;
  return (when.limit.value === true) === (when.op === "equals") ? "in" : "out";
}

/** So many characters of a text value are kept; no number is as long. */
const LONGEST_TEXT = 400;
/** Symbols of a unit are cut to this. */
const SYMBOL_LENGTH = 24;

/** What was compared, exact, for programs. */
function noticeValue(
  subject: string,
  { comparison, metric, value, limits, base, baseAt }: Evidence,
  description: Description | null,
  decimals: number | null,
): NoticeValue {
  const exact = (one: Evidence["value"]): string =>
    typeof one === "string" ? cleanText(one, LONGEST_TEXT) : (valueToText(one) ?? "");
  return {
    subject,
    metric: metric.name,
    quantity: metric.quantity,
    value: exact(value),
    decimals: metric.quantity.startsWith("raw") ? decimals : null,
    unit: writtenAs(metric, decimals, description, SYMBOL_LENGTH).unit ?? "",
    op: comparison.op,
    limits: limits.map(exact),
    base: base === null ? null : exact(base),
    baseAt,
  };
}
