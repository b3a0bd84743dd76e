import { formatDuration } from "../base/duration.ts";
import { formatValue } from "../base/format.ts";
import { cleanText } from "../base/text.ts";
import type { AlertEvent } from "../decide/event.ts";
import type { Evidence } from "../decide/verdict.ts";
import type { NoticeKind, Rule, Value } from "../model/index.ts";
import { writtenAs } from "../rules/describe/metric-words.ts";
import { chainOf, endingOf, subjectName } from "./wording.ts";

/** What a title or a note can name, with what it is; docs/rules.md lists the same. */
export const TEMPLATE_FACTS: Readonly<Record<string, string>> = {
  kind: "what happened: `fired`, `resolved`, …",
  rule: "the rule's name",
  severity: "`info`, `warning` or `critical`",
  at: "the round's date, RFC 3339 in UTC; the filter `time` writes it for people",
  labels: "the rule's labels, as `labels.team`",
  subject: "what the subject is called",
  chain: "the chain's name",
  link: "the subject's page at the explorer",
  metric: "the metric that decided",
  value: "its value as people read it, with its unit",
  limit: "what it was compared with, likewise; of a range the lower end",
  limit2: "the upper end of a range",
  base: "the value before, or the one a change is measured from",
  exact:
    "`exact.value`, `exact.limit`, `exact.limit2`, `exact.base`: all digits, in the metric's own unit",
  metrics:
    "the exact values of the kind's metrics, as `metrics.tvl_usd`, whether a condition names them or not",
  range:
    "of a position: `range.lower_price`, `range.upper_price`, `range.price`, `range.unit`, `range.lower_tick`, `range.upper_tick`, `range.tick`",
  since: "since when the alert fires, likewise",
  lasted: "how long it fired, when it resolves",
  ending:
    "when it resolves: `recovered`, or why it is over though it is not well again: `gate`, `again`, `closed`, `edited`, `steady`, `partly`, `other_rule`",
  trouble: "why there is no data",
};

type Facts = Readonly<Record<string, unknown>>;

/** The facts of a notice that is not about one alert. */
export function ruleFacts(rule: Rule, kind: NoticeKind, at: number): Facts {
  const { name, severity, labels } = rule;
  return { kind, rule: name, severity, labels, at: new Date(at).toISOString() };
}

/** Everything that the notice of one alert may name; what is not known is absent. */
export function alertFacts(event: AlertEvent): Facts {
  const { rule, kind, at, subject, description, after, before, evidence, also } = event;
  const firedAt = after.firedAt ?? before.firedAt;
  const speaking = evidence === null ? [] : [evidence];
  return {
    ...ruleFacts(rule, kind, at),
    subject: subjectName(subject, description, after.label),
    chain: chainOf(event),
    link: event.entry?.link ?? description?.link ?? undefined,
    ...(evidence === null ? NO_EVIDENCE : evidenceFacts(event, evidence)),
    metrics: {
      ...Object.fromEntries(namedIn(rule).map((name) => [name, exactly(event.value?.(name))])),
      ...Object.fromEntries(
        [...speaking, ...also].map(({ metric, value }) => [metric.name, exactly(value)]),
      ),
    },
    range: rangeFacts(event),
    since: firedAt === null ? undefined : new Date(firedAt).toISOString(),
    lasted: kind === "resolved" && firedAt !== null ? formatDuration(at - firedAt) : undefined,
    ending: kind === "resolved" ? endingOf(event).how : undefined,
    trouble: event.trouble ?? undefined,
  };
}

const NAMED = /\bmetrics\s*(?:\.\s*([a-z]\w*)|\[\s*["']([a-z]\w*)["']\s*\])/g;

/** The metrics that a rule's title and note name: the values of others are not looked up. */
function namedIn({ title, note }: Rule): readonly string[] {
  const text = `${title ?? ""}\n${note ?? ""}`;
  if (!text.includes("metrics")) return [];
  return Array.from(text.matchAll(NAMED), ([, name, quoted]) => name ?? quoted ?? "");
}

/** Without a value there are such facts all the same, and they are empty. */
const NO_EVIDENCE: Facts = {
  metric: undefined,
  value: undefined,
  limit: undefined,
  limit2: undefined,
  base: undefined,
  exact: undefined,
};

/** Symbols in a number's unit are cut to this. */
const SYMBOL_LENGTH = 24;

function evidenceFacts(event: AlertEvent, { metric, value, limits, base }: Evidence): Facts {
  const as = writtenAs(metric, event.decimals(metric.name), event.description, SYMBOL_LENGTH);
  const said = (one: Value | null | undefined): string | undefined =>
    one === null || one === undefined ? undefined : formatValue(one, as);
  const [limit, limit2] = limits;
  return {
    metric: metric.name,
    value: said(value),
    limit: said(limit),
    limit2: said(limit2),
    base: said(base),
    exact: {
      value: exactly(value),
      limit: exactly(limit),
      limit2: exactly(limit2),
      base: exactly(base),
    },
  };
}

function rangeFacts({ description }: AlertEvent): Facts | undefined {
  const range = description?.range ?? null;
  if (range === null) return undefined;
  return {
    lower_price: range.lower,
    upper_price: range.upper,
    price: range.price,
    unit: range.unit,
    lower_tick: range.lowerTick,
    upper_tick: range.upperTick,
    tick: range.tick,
  };
}

function exactly(value: Value | null | undefined): Value | undefined {
  return typeof value === "string" ? cleanText(value, 400) : (value ?? undefined);
}
