import {
  compare,
  Decimal,
  decimalFromInteger,
  isZero,
  multiply,
  shift,
  valueFromText,
} from "../base/decimal.ts";
import { MINUTE } from "../base/duration.ts";
import { countsRaw } from "../base/quantity.ts";
import type { Metric, Reading } from "../kinds/kind.ts";
import type {
  Ask,
  ChangeComparison,
  Comparison,
  Distance,
  Limit,
  PercentileLimit,
  Reference,
  ReferenceLimit,
  UnchangedComparison,
  Value,
} from "../model/index.ts";
import type { ReferenceRuntime, RuleRuntime } from "./runtime.ts";
import type { WindowHistory } from "./windows/sampled.ts";

/** Everything that one evaluation may read: the values of one subject at one date, and its past. */
export interface EvaluationContext {
  /** The date of the sample that is judged: the round's, or the bucket's start. */
  readonly date: number;
  /** The date of the round. */
  readonly now: number;
  value(metric: string): Value | null;
  decimals(metric: string): number | null;
  metric(name: string): Metric;
  /** The past of a change's metric; null: nothing is remembered. */
  past(comparison: ChangeComparison): WindowHistory | null;
  /** The percentile of the metric's window before the date; null: too little of it is known. */
  percentile(limit: PercentileLimit, metric: string): Decimal | null;
  /** The current value of the reference; null: no data. */
  reference(limit: ReferenceLimit): ReferenceValue | null;
  /** Whether the metric has had this value for the given time; null: unknown. */
  unchanged(comparison: UnchangedComparison, value: Value): boolean | null;
  /** The newest time that the record gave of itself, in epoch milliseconds; null: none yet. */
  updatedAt(metric: string): Decimal | null;
  /** `since: last`: the values this alert saw last, oldest first, at most two. */
  seen(metric: string): readonly Decimal[];
  /** The value and the date of the subject's previous sample, shown to people. */
  previous(metric: string): { readonly value: Value; readonly at: number } | null;
  /** Events: the value of the alert's last evaluation that had one; null: this is the first. */
  last(metric: string): Value | null;
  /** The samples are hours or days, which need no confirmation by a neighbour. */
  readonly bucketed: boolean;
  /** A position without liquidity. */
  readonly closed: boolean;
  /** Since when the alert is firing or recovering; null: it is neither. */
  readonly firedAt: number | null;
}

/** A value of a reference in its metric's own unit. */
export interface ReferenceValue {
  readonly value: Decimal;
  /** The decimals of the raw unit; null while unknown. */
  readonly decimals: number | null;
}

const HUNDRED = decimalFromInteger(100);

/** The exact limit in the metric's own unit, or why it is unknown. */
export function limitOf(
  limit: Limit,
  metric: string,
  context: EvaluationContext,
): Value | UnknownLimit {
  switch (limit.kind) {
    case "value":
      return limit.value;
    case "tokens": {
      const decimals = context.decimals(metric);
      return decimals === null ? UNKNOWN_VALUE : shift(limit.amount, decimals);
    }
    case "percentile": {
      const base = context.percentile(limit, metric);
      if (base === null || (isZero(base) && !isWhole(limit.percent))) return UNKNOWN_WINDOW;
      return percentOf(limit.percent, base);
    }
    case "reference":
      return referenceLimit(limit, metric, context) ?? UNKNOWN_VALUE;
  }
}

/** The limit in the metric's own unit; null while unknown. */
export function resolveLimit(
  limit: Limit,
  metric: string,
  context: EvaluationContext,
): Value | null {
  const resolved = limitOf(limit, metric, context);
  return typeof resolved === "number" ? null : resolved;
}

/** A range with its limits in their order: of what is below zero 110% is lower than 90%. */
export function ascending<C extends Comparison>(comparison: C, context: EvaluationContext): C {
  if (!("low" in comparison)) return comparison;
  const { metric } = comparison;
  if (comparison.low.kind === "value" && comparison.high.kind === "value") return comparison;
  const low = resolveLimit(comparison.low, metric, context);
  const high = resolveLimit(comparison.high, metric, context);
  if (!(low instanceof Decimal && high instanceof Decimal) || compare(low, high) <= 0)
    return comparison;
  return { ...comparison, low: comparison.high, high: comparison.low };
}

/** The size of a distance in the metric's own unit; null for percentages and while unknown. */
export function amountOf(by: Distance, metric: string, context: EvaluationContext): Decimal | null {
  const limit = by.kind === "percent" ? null : resolveLimit(by.limit, metric, context);
  return limit instanceof Decimal ? limit : null;
}

/** Tokens with different decimals are compared in whole tokens, and not at all while their decimals are unknown. */
function referenceLimit(
  limit: ReferenceLimit,
  metric: string,
  context: EvaluationContext,
): Decimal | null {
  const found = context.reference(limit);
  if (found === null) return null;
  const share = percentOf(limit.percent, found.value);
  const { quantity } = context.metric(metric);
  if (quantity === limit.reference.quantity && !countsRaw(quantity)) return share;
  const theirs = countsRaw(limit.reference.quantity) ? found.decimals : 0;
  const ours = countsRaw(quantity) ? context.decimals(metric) : 0;
  return theirs === null || ours === null ? null : shift(share, ours - theirs);
}

/**
 * A multiple of a usual value of zero is zero, and cannot tell which values are unusual. The percentile itself
 * may be 0, and so may a reference: that is its real value.
 */
function isWhole(percent: Decimal): boolean {
  return compare(percent, HUNDRED) === 0;
}

function percentOf(percent: Decimal, base: Decimal): Decimal {
  return shift(multiply(percent, base), -2);
}

/**
 * Three-valued truth, as small integers because a round computes a hundred thousand of them. The unknowns are
 * ordered: the greatest of several says why the whole is unknown.
 */
export const FALSE = 0;
export const TRUE = 1;
/** Unknown only because a closed position has no range. */
export const UNKNOWN_CLOSED = 2;
/** The past is not known well enough. */
export const UNKNOWN_WINDOW = 3;
/** A value is missing now. */
export const UNKNOWN_VALUE = 4;
export type Truth = 0 | 1 | 2 | 3 | 4;

/** Why a limit is unknown. */
export type UnknownLimit = typeof UNKNOWN_WINDOW | typeof UNKNOWN_VALUE;

/** A round's readings of the subjects of references, by the subject's key. */
export type ReferenceReadings = ReadonlyMap<string, Reading>;

export const NO_READINGS: ReferenceReadings = new Map();

/** A reference's buckets are read as by a rule without `min_age` and `max_age`. */
const MIN_AGE_MS = 5 * MINUTE;
const MAX_AGE_BUCKETS = 2;

/**
 * The value of a reference at a round's date: the round's reading; if its request failed, the newest value that
 * is still in force for the rule (never for several subjects together); else null.
 */
export function referenceValue(
  reference: Reference,
  rule: RuleRuntime,
  readings: ReferenceReadings,
  date: number,
): ReferenceValue | null {
  const known = rule.references.get(reference);
  if (known === undefined) return null;
  const reading = readings.get(reference.subject.key);
  const read = reading === undefined ? null : valueOf(known, reading, reference.metric, date);
  const value = read ?? (isUnanswered(reading) ? inForce(known, rule, date) : null);
  if (!(value instanceof Decimal)) return null;
  return { value, decimals: reference.decimals ?? reading?.decimals(reference.metric) ?? null };
}

/** Whether this round knows nothing of the subject, good or bad. */
function isUnanswered(reading: Reading | undefined): boolean {
  if (reading === undefined || reading.unanswered !== null) return true;
  return reading.rows.length === 0 && !reading.absent;
}

function valueOf(
  known: ReferenceRuntime,
  { rows }: Reading,
  metric: string,
  date: number,
): Value | null {
  const { bucketMs } = known.kind;
  if (bucketMs === null) return rows[0]?.value(metric) ?? null;
  const row = rows.findLast((one) => one.date !== null && date - one.date >= MIN_AGE_MS);
  const start = row?.date ?? null;
  if (row === undefined || start === null) return null;
  // An answer without the newest hour that is known comes from a lagging indexer.
  const newest = keptBucket(known, bucketMs, date);
  if (newest !== null && newest.at > start) return newest.value;
  return isOld(start, bucketMs, date) ? null : row.value(metric);
}

function inForce(known: ReferenceRuntime, { rule }: RuleRuntime, date: number): Value | null {
  const { kind, series } = known;
  if (kind.bucketMs !== null) return keptBucket(known, kind.bucketMs, date)?.value ?? null;
  if (series === null) return null;
  const { last, text, quantity } = series;
  if (text === null || date > rule.schedule.third(last)) return null;
  return valueFromText(text, quantity);
}

function keptBucket(
  { series }: ReferenceRuntime,
  bucketMs: number,
  date: number,
): { readonly value: Value; readonly at: number } | null {
  const bucket = series?.buckets?.newest(date, MIN_AGE_MS) ?? null;
  return bucket === null || isOld(bucket.at, bucketMs, date) ? null : bucket;
}

function isOld(start: number, bucketMs: number, date: number): boolean {
  return date - (start + bucketMs) > MAX_AGE_BUCKETS * bucketMs;
}

/** The record whose request failed, and why: the subject's own or that of a reference; null: all were answered. */
export function unansweredOf(
  reading: Reading,
  rule: RuleRuntime,
  readings: ReferenceReadings,
): { readonly record: Ask["record"]; readonly detail: string | null } | null {
  const own = reading.unanswered;
  if (own !== null) return { record: own, detail: reading.trouble };
  if (rule.references.size === 0) return null;
  for (const { subject, name } of rule.references.keys()) {
    const other = readings.get(subject.key);
    if (other === undefined || other.unanswered === null) continue;
    return { record: other.unanswered, detail: `${name}: ${other.trouble ?? "no answer"}` };
  }
  return null;
}

/** Why values are missing, in clean words: those of the subject or of its references. */
export function troubleOf(
  reading: Reading,
  rule: RuleRuntime,
  readings: ReferenceReadings,
): string | null {
  if (reading.trouble !== null) return reading.trouble;
  for (const { subject, name } of rule.references.keys()) {
    const trouble = readings.get(subject.key)?.trouble ?? null;
    if (trouble !== null) return `${name}: ${trouble}`;
  }
  return null;
}
