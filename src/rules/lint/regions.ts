import { compare, Decimal, decimalFromInteger, negate, shift } from "../../base/decimal.ts";
import { MAX_TICK } from "../../base/ticks.ts";
import type { Metric } from "../../kinds/kind.ts";
import type { Comparison, Limit, LimitComparison, RangeComparison } from "../../model/index.ts";
import { isBoundedRatio, isNeverNegative } from "../parse/units.ts";

/** Where a comparison of a number is true; null is no bound. */
export interface Interval {
  readonly low: Decimal | null;
  readonly lowIn: boolean;
  readonly high: Decimal | null;
  readonly highIn: boolean;
}

/** A comparison that looks at the value now alone. */
export type Level = LimitComparison | RangeComparison;

export function isLevel(comparison: Comparison): comparison is Level {
  return comparison.op !== "crosses" && ("limit" in comparison || "low" in comparison);
}

/** In what limits are written; those of different kinds cannot be compared beforehand. */
export function limitKind(comparison: Level): string {
  if ("limit" in comparison) return comparison.limit.kind;
  return comparison.low.kind === comparison.high.kind ? comparison.low.kind : "mixed";
}

/** The number of a limit as written, in tokens or the metric's own unit; null where it has none. */
export function numberOf(limit: Limit): Decimal | null {
  if (limit.kind === "tokens") return limit.amount;
  return limit.kind === "value" && limit.value instanceof Decimal ? limit.value : null;
}

/** The intervals in which a comparison is true; null if its limits are no numbers beforehand. */
export function intervalsOf(comparison: Level): readonly Interval[] | null {
  if ("low" in comparison) {
    const low = numberOf(comparison.low);
    const high = numberOf(comparison.high);
    if (low === null || high === null) return null;
    return comparison.op === "inside" ? [between(low, true, high, true)] : around(low, high);
  }
  const limit = numberOf(comparison.limit);
  if (limit === null) return null;
  switch (comparison.op) {
    case "above":
      return [between(limit, false, null, false)];
    case "at_least":
      return [between(limit, true, null, false)];
    case "below":
      return [between(null, false, limit, false)];
    case "at_most":
      return [between(null, false, limit, true)];
    case "equals":
      return [between(limit, true, limit, true)];
    case "not_equals":
      return around(limit, limit);
  }
}

function between(
  low: Decimal | null,
  lowIn: boolean,
  high: Decimal | null,
  highIn: boolean,
): Interval {
  return { low, lowIn, high, highIn };
}

function around(low: Decimal, high: Decimal): readonly Interval[] {
  return [between(null, false, low, false), between(high, false, null, false)];
}

const ZERO = Decimal.ZERO;
const ONE = decimalFromInteger(1);
const HIGHEST_TICK = decimalFromInteger(MAX_TICK);
const LOWEST_TICK = decimalFromInteger(-MAX_TICK);
/** From beyond one end of all ticks to the other, the step out of a range included. */
const FARTHEST_EDGE = decimalFromInteger(2 * MAX_TICK + 1);
const FARTHEST_OUT = decimalFromInteger(-2 * MAX_TICK - 1);

/** What values of a metric can be at all. */
export function boundsOf(metric: Metric): Interval {
  if (metric.quantity === "tick") {
    if (metric.name === "tick_spacing") return between(ONE, true, HIGHEST_TICK, true);
    return metric.name === "ticks_to_edge"
      ? between(FARTHEST_OUT, true, FARTHEST_EDGE, true)
      : between(LOWEST_TICK, true, HIGHEST_TICK, true);
  }
  if (isBoundedRatio(metric)) return between(ZERO, true, ONE, true);
  return between(isNeverNegative(metric) ? ZERO : null, true, null, false);
}

/** The same in parts: a price is in its range or out of it, by 0.01% at least, and never on the edge. */
export function possibleOf(metric: Metric): readonly Interval[] {
  const step = EDGE_STEPS[metric.name];
  const bounds = boundsOf(metric);
  if (step === undefined) return [bounds];
  return [
    { ...bounds, high: negate(step), highIn: true },
    { ...bounds, low: step, lowIn: true },
  ];
}

/** The least that a distance to the edge can be, either way. */
const EDGE_STEPS: Readonly<Record<string, Decimal>> = {
  ticks_to_edge: ONE,
  pct_to_edge: shift(ONE, -2),
};

/** What both have in common; null is nothing. */
export function intersect(a: Interval, b: Interval): Interval | null {
  const low = laterLow(a, b);
  const high = earlierHigh(a, b);
  const both = { low: low.low, lowIn: low.lowIn, high: high.high, highIn: high.highIn };
  if (both.low === null || both.high === null) return both;
  const order = compare(both.low, both.high);
  return order < 0 || (order === 0 && both.lowIn && both.highIn) ? both : null;
}

/** The parts that lie in some of both. */
export function meets(a: readonly Interval[], b: readonly Interval[]): readonly Interval[] {
  return a.flatMap((one) => b.flatMap((other) => intersect(one, other) ?? []));
}

/** Whether every number of `whole` lies in some of the intervals. */
export function covers(intervals: readonly Interval[], whole: Interval): boolean {
  const parts = meets(intervals, [whole]).toSorted(byLow);
  let reached: Pick<Interval, "high" | "highIn"> | null = null;
  for (const part of parts) {
    if (reached === null) {
      if (!isSameLow(part, whole)) return false;
      reached = part;
    } else if (reached.high === null) return true;
    else {
      const order = part.low === null ? -1 : compare(part.low, reached.high);
      // A gap is not a number that both leave out, or more.
      if (order > 0 || (order === 0 && !part.lowIn && !reached.highIn)) return false;
      if (endsLater(part, reached)) reached = part;
    }
  }
  if (reached === null) return false;
  if (reached.high === null || whole.high === null) return reached.high === whole.high;
  const order = compare(reached.high, whole.high);
  return order > 0 || (order === 0 && (reached.highIn || !whole.highIn));
}

function isSameLow(part: Interval, whole: Interval): boolean {
  if (part.low === null || whole.low === null) return part.low === whole.low;
  return compare(part.low, whole.low) === 0 && (part.lowIn || !whole.lowIn);
}

function byLow(a: Interval, b: Interval): number {
  if (a.low === null || b.low === null) return Number(b.low === null) - Number(a.low === null);
  return compare(a.low, b.low) || Number(b.lowIn) - Number(a.lowIn);
}

function endsLater(
  a: Pick<Interval, "high" | "highIn">,
  b: Pick<Interval, "high" | "highIn">,
): boolean {
  if (a.high === null || b.high === null) return a.high === null;
  return (compare(a.high, b.high) || Number(a.highIn) - Number(b.highIn)) > 0;
}

function laterLow(a: Interval, b: Interval): Interval {
  if (a.low === null) return b;
  if (b.low === null) return a;
  const order = compare(a.low, b.low);
  return order > 0 || (order === 0 && !a.lowIn) ? a : b;
}

function earlierHigh(a: Interval, b: Interval): Interval {
  if (a.high === null) return b;
  if (b.high === null) return a;
  const order = compare(a.high, b.high);
  return order < 0 || (order === 0 && !a.highIn) ? a : b;
}

/** `"current_tick at least 5"`, for a message. */
export function textOf(comparison: Comparison): string {
  const op = comparison.op.replaceAll("_", " ");
  const limits =
    "low" in comparison
      ? `${comparison.low.text} to ${comparison.high.text}`
      : "limit" in comparison
        ? comparison.limit.text
        : "";
  return `"${comparison.metric} ${op} ${limits}"`;
}
