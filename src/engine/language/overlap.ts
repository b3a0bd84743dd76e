import { compare, Decimal } from "../../base/decimal.ts";
import type {
  ChangeComparison,
  Comparison,
  Condition,
  Limit,
  LimitComparison,
  RangeComparison,
} from "../../model.ts";

/** Where a comparison of a number is true; null is no bound. */
interface Interval {
  readonly low: Decimal | null;
  readonly lowIn: boolean;
  readonly high: Decimal | null;
  readonly highIn: boolean;
}

/**
 * Whether something makes both conditions true, as far as it is seen at a glance: two single
 * comparisons of one metric with limits of one kind, or two changes in one direction over one span.
 * Of `any` in `when` one term is enough. False says nothing.
 */
export function surelyOverlap(when: Condition, resolve: Condition): boolean {
  if (when.op === "any") return when.terms.some((term) => surelyOverlap(term, resolve));
  if (!isComparison(when) || !isComparison(resolve) || when.metric !== resolve.metric) return false;
  if ("span" in when && "span" in resolve) return sameSpan(when, resolve);
  if (!isLevel(when) || !isLevel(resolve)) return false;
  if (limitKind(when) !== limitKind(resolve)) return false;
  const first = intervals(when);
  const second = intervals(resolve);
  if (first === null || second === null) return sameEquality(when, resolve);
  return first.some((a) => second.some((b) => meet(a, b)));
}

export function isComparison(condition: Condition): condition is Comparison {
  return "metric" in condition;
}

/** A change that is far enough is both. */
function sameSpan(a: ChangeComparison, b: ChangeComparison): boolean {
  const lengthOf = ({ span }: ChangeComparison) => ("ms" in span ? span.ms : null);
  return a.op === b.op && a.span.kind === b.span.kind && lengthOf(a) === lengthOf(b);
}

type Level = LimitComparison | RangeComparison;

function isLevel(comparison: Comparison): comparison is Level {
  return comparison.op !== "crosses" && ("limit" in comparison || "low" in comparison);
}

function limitKind(comparison: Level): string {
  if ("limit" in comparison) return comparison.limit.kind;
  return comparison.low.kind === comparison.high.kind ? comparison.low.kind : "mixed";
}

function sameEquality(a: Level, b: Level): boolean {
  if (!("limit" in a) || !("limit" in b) || a.op !== b.op) return false;
  return a.limit.kind === "value" && b.limit.kind === "value" && a.limit.value === b.limit.value;
}

function intervals(comparison: Level): readonly Interval[] | null {
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

/** The number of a limit as written, in tokens or the metric's own unit; null where it has none. */
export function numberOf(limit: Limit): Decimal | null {
  if (limit.kind === "tokens") return limit.amount;
  return limit.kind === "value" && limit.value instanceof Decimal ? limit.value : null;
}

function meet(a: Interval, b: Interval): boolean {
  return reaches(a.low, a.lowIn, b.high, b.highIn) && reaches(b.low, b.lowIn, a.high, a.highIn);
}

function reaches(
  low: Decimal | null,
  lowIn: boolean,
  high: Decimal | null,
  highIn: boolean,
): boolean {
  if (low === null || high === null) return true;
  const order = compare(low, high);
  return order < 0 || (order === 0 && lowIn && highIn);
}
