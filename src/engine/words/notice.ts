import { createHash } from "node:crypto";
import { parseDecimal } from "../../base/decimal.ts";
import { cleanText } from "../../base/text.ts";
import type { Notice, NoticeKind, Rule, Severity } from "../../model.ts";
import type { AlertEvent, StartedEvent } from "../event.ts";
import { renderTemplate } from "../template/template.ts";
import { fitLine } from "./fit.ts";
import { alertHeadline } from "./headline.ts";
import { alertFields, fieldsOf, startedFields } from "./notice-fields.ts";
import { noticeValue } from "./notice-values.ts";
import { startedHeadline } from "./started.ts";
import { alertFacts, ruleFacts } from "./template-facts.ts";
import { BLIND_ICON, subjectName } from "./wording.ts";

/** So many recent values go with a notice. */
const RECENT_VALUES = 48;
/** The values of so many subjects go with a start. */
const MOST_VALUES = 50;
const LONGEST_TITLE = 150;
const LONGEST_NOTE = 1_000;

/**
 * What people are told of something that happened to one alert. `recent` are exact values, oldest
 * first, for a small picture; texts that are no numbers are left out.
 */
export function composeAlert(event: AlertEvent, recent: readonly string[]): Notice {
  const { rule, subject, kind, at, description, evidence } = event;
  return {
    ...said(rule, alertFacts(event)),
    id: noticeId(kind, rule.name, subject.key, at),
    kind,
    severity: rule.severity,
    subject: subject.key,
    at,
    headline: alertHeadline(event),
    fields: alertFields(event),
    link: description?.link ?? null,
    range: description?.range ?? null,
    recent: recentNumbers(recent),
    values:
      evidence === null
        ? []
        : [noticeValue(subject.key, evidence, description, event.decimals(evidence.metric.name))],
  };
}

/** The facts alone, for when the full notice cannot be composed: a notice must come in any case. */
export function composePlain({ rule, subject, kind, at, after }: AlertEvent): Notice {
  const name = subjectName(subject, null, after.label);
  const before = `${BLIND_ICON} ${kind.replace("_", " ")}: `;
  return {
    ...said(rule, ruleFacts(rule, kind, at)),
    id: noticeId(kind, rule.name, subject.key, at),
    kind,
    severity: rule.severity,
    subject: subject.key,
    at,
    headline: fitLine([{ before, name, after: "", tails: [` (rule ${cleanText(rule.name)})`] }]),
    fields: fieldsOf([
      ["Rule", rule.name],
      ["Severity", rule.severity],
    ]),
    link: null,
    range: null,
    recent: [],
    values: [],
  };
}

/** What people are told when a rule begins to watch: one notice for all of its subjects. */
export function composeStarted(event: StartedEvent): Notice {
  const { rule, at, subjects } = event;
  const only = subjects.length === 1 ? (subjects[0]?.description ?? null) : null;
  return {
    ...said(rule, ruleFacts(rule, "started", at)),
    id: noticeId("started", rule.name, null, at),
    kind: "started",
    severity: rule.severity,
    subject: null,
    at,
    headline: startedHeadline(event),
    fields: startedFields(event),
    link: only?.link ?? null,
    range: only?.range ?? null,
    recent: [],
    values: subjects.slice(0, MOST_VALUES).flatMap((one) => {
      const { subject, evidence, description } = one;
      if (evidence === null) return [];
      const decimals = one.decimals(evidence.metric.name);
      return [noticeValue(subject.key, evidence, description, decimals)];
    }),
  };
}

export interface RemovedAlert {
  readonly rule: string;
  /** The subject's key. */
  readonly subject: string;
  /** The subject's name for people; null while it was never told. */
  readonly label: string | null;
  readonly at: number;
  readonly severity: Severity;
}

/** What people are told when a firing alert is no longer watched: its rule or subject is gone. */
export function composeRemoved({ rule, subject, label, at, severity }: RemovedAlert): Notice {
  const kind = subject.split(":")[0] ?? "";
  const name = subjectName({ key: subject, kind, chainId: 0, ids: {}, name: subject }, null, label);
  const before = `${BLIND_ICON} No longer watched: `;
  const after = ". It was firing";
  return {
    id: noticeId("rule_removed", rule, subject, at),
    kind: "rule_removed",
    severity,
    rule,
    subject,
    at,
    headline: fitLine([{ before, name, after, tails: [` (rule ${cleanText(rule)})`] }]),
    title: null,
    note: null,
    fields: fieldsOf([
      ["Rule", rule],
      ["Subject", subject],
      ["Severity", severity],
    ]),
    link: null,
    range: null,
    recent: [],
    values: [],
    labels: {},
  };
}

/** The same for the same facts, whenever it is made; 16 hex digits. */
export function noticeId(
  kind: NoticeKind,
  rule: string | null,
  subject: string | null,
  at: number,
): string {
  const facts = JSON.stringify([kind, rule, subject, at]);
  return createHash("sha256").update(facts).digest("hex").slice(0, 16);
}

/** What the rule itself gives to each of its notices, with the facts that it names. */
function said(
  rule: Rule,
  facts: Readonly<Record<string, unknown>>,
): Pick<Notice, "rule" | "title" | "note" | "labels"> {
  return {
    rule: rule.name,
    title: rule.title === null ? null : renderTemplate(rule.title, facts, LONGEST_TITLE),
    note: rule.note === null ? null : renderTemplate(rule.note, facts, LONGEST_NOTE),
    labels: rule.labels,
  };
}

function recentNumbers(recent: readonly string[]): readonly string[] {
  const numbers = recent.filter((text) => parseDecimal(text) !== null).slice(-RECENT_VALUES);
  return numbers.length < 2 ? [] : numbers;
}
