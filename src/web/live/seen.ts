import { Decimal } from "../../base/decimal.ts";
import { countsRaw } from "../../base/quantity.ts";
import { limitsOf } from "../../decide/condition-tree.ts";
import type { Truth } from "../../decide/evaluation-context.ts";
import { type AlertEvent, descriptionOf } from "../../decide/event.ts";
import type { Evidence, Verdict } from "../../decide/verdict.ts";
import type { Description, Metric, Reading } from "../../kinds/kind.ts";
import type { Alert, LimitComparison, RangeComparison, Rule } from "../../model/index.ts";
import type { AlertMemory } from "../../poll/memory.ts";
import { recordOf, type SeenRecord } from "./record.ts";

/**
 * What the newest round saw of one alert, as far as people may ask for it. It is made of each alert in each
 * round, so it holds what is there already; what is shown is made of it when somebody asks. It keeps nothing
 * of the record alive.
 */
export interface Seen {
  /** The date of the round; all else is the same where a round saw the same again. */
  at: number;
  readonly truth: Truth;
  /** What speaks for the alert; null: it has no value. */
  readonly evidence: Evidence | null;
  /** What spoke for it when it had a value last. */
  readonly known: Evidence | null;
  /** What else its condition looked at: of an alert that is not ok, or that somebody looks at. */
  readonly others: readonly Evidence[];
  readonly description: Description | null;
  /** The decimals behind raw units, by metric; those that are not known are absent. */
  readonly decimals: Readonly<Record<string, number>>;
  readonly closed: boolean;
  readonly trouble: string | null;
  readonly bucket: AlertEvent["bucket"];
  /** Every field that was read: of an alert that somebody looks at; null of the others. */
  readonly record: SeenRecord | null;
}

const NO_DECIMALS: Readonly<Record<string, number>> = {};
const NONE: readonly Evidence[] = [];

/** Before the memory moves on, so that everything is as it was judged. `whole`: somebody looks at it. */
export function seenOf(
  memory: AlertMemory,
  after: Alert,
  verdict: Verdict,
  reading: Reading,
  before: Seen | undefined,
  whole: boolean,
): Seen {
  const { context, bucket } = verdict;
  const { rule } = memory.watched;
  const isQuiet = after.state === "ok" && !whole;
  const level = isQuiet ? levelOf(rule) : null;
  if (level !== null && before !== undefined && isSame(before, level, verdict, reading)) {
    before.at = context.round.now;
    return before;
  }
  const evidence = level === null ? verdict.evidence() : levelEvidence(level, verdict);
  const described = describedBy(memory, reading, before?.description ?? null, isQuiet);
  return {
    at: context.round.now,
    truth: verdict.truth,
    evidence,
    known: evidence ?? before?.known ?? null,
    others: isQuiet ? NONE : verdict.otherEvidence(evidence),
    description:
      described === null || described === before?.description
        ? described
        : keptDescription(described, rule),
    decimals: decimalsOf(rule, verdict),
    closed: reading.closed,
    // Reading every field anew costs more than all else of it, and is asked for where a value is missing.
    trouble: evidence === null || after.missing !== null ? reading.trouble : null,
    bucket: bucket === null ? null : { start: bucket.rows.newest, ms: bucket.ms },
    record: whole
      ? (recordOf(reading, recordMetrics(memory), described, context) ?? before?.record ?? null)
      : null,
  };
}

/** Several subjects together have no record of their own: only what is asked of them means something. */
function recordMetrics({ watched: { rule, kind } }: AlertMemory): ReadonlyMap<string, Metric> {
  if (rule.across === null) return kind.metrics;
  return new Map([...kind.metrics].filter(([name]) => rule.metrics.includes(name)));
}

/** A condition that is one comparison with limits that are written in the rule; null: it is another. */
function levelOf(rule: Rule): LimitComparison | RangeComparison | null {
  const known = LEVELS.get(rule);
  if (known !== undefined) return known;
  const { when } = rule;
  const isLevel = "limit" in when || "low" in when;
  const level =
    isLevel && when.op !== "crosses" && limitsOf(when).every(({ kind }) => kind === "value")
      ? when
      : null;
  LEVELS.set(rule, level);
  return level;
}

const LEVELS = new WeakMap<Rule, LimitComparison | RangeComparison | null>();

/** Whether a round saw nothing but what the one before saw: of most alerts it does. */
function isSame(
  before: Seen,
  { metric }: LimitComparison | RangeComparison,
  { truth, context }: Verdict,
  { closed }: Reading,
): boolean {
  if (before.truth !== truth || before.closed !== closed || before.trouble !== null) return false;
  if (before.bucket !== null || before.record !== null) return false;
  if ((before.description?.range ?? null) !== null) return false;
  const old = before.evidence?.value ?? null;
  const now = context.value(metric);
  if (!(old instanceof Decimal) || !(now instanceof Decimal)) return old === now && now !== null;
  return old.digits === now.digits && old.scale === now.scale;
}

/** The same as the verdict's own, without the value of the round before, which nobody is shown. */
function levelEvidence(
  comparison: LimitComparison | RangeComparison,
  { context }: Verdict,
): Evidence | null {
  const value = context.value(comparison.metric);
  if (value === null) return null;
  const limits = limitsOf(comparison).flatMap((one) => (one.kind === "value" ? [one.value] : []));
  return {
    comparison,
    metric: context.metric(comparison.metric),
    value,
    limits,
    base: null,
    baseAt: null,
  };
}

/** A record is described once: only the range of a position says something else in each round. */
function describedBy(
  memory: AlertMemory,
  reading: Reading,
  before: Description | null,
  isQuiet: boolean,
): Description | null {
  if (before !== null && before.range === null && isQuiet) return before;
  return descriptionOf(reading, memory.subject.name) ?? before;
}

/** The same without the record behind it. */
function keptDescription(found: Description, { metrics }: Rule): Description {
  const { label, chain, link, range } = found;
  const [first] = metrics;
  if (first !== undefined && metrics.length === 1) {
    const unit = found.unit(first);
    return { label, chain, link, range, unit: (metric) => (metric === first ? unit : "") };
  }
  const units = new Map(metrics.map((metric) => [metric, found.unit(metric)]));
  return { label, chain, link, range, unit: (metric) => units.get(metric) ?? "" };
}

function decimalsOf({ metrics }: Rule, { context }: Verdict): Seen["decimals"] {
  let found: Record<string, number> | null = null;
  for (const name of metrics) {
    if (!countsRaw(context.metric(name).quantity)) continue;
    const decimals = context.decimals(name);
    if (decimals === null) continue;
    found ??= {};
    found[name] = decimals;
  }
  return found ?? NO_DECIMALS;
}
