import { compare, Decimal, decimalFromInteger, isZero, multiply, shift } from "../base/decimal.ts";
import { countsRaw } from "../base/quantity.ts";
import type { Metric } from "../kinds/kind.ts";
import type {
  ChangeComparison,
  Distance,
  Limit,
  PercentileLimit,
  ReferenceLimit,
  UnchangedComparison,
  Value,
} from "../model/index.ts";
import type { WindowHistory } from "./windows/sampled.ts";

/** What one evaluation may look at: the values of one subject at one date, and its past. */
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
  /** What the reference is now; null: no data. */
  reference(limit: ReferenceLimit): ReferenceValue | null;
  /** Whether the metric's value has been this one for the time; null: that is not known. */
  unchanged(comparison: UnchangedComparison, value: Value): boolean | null;
  /** When the record was last heard of by its own time, in epoch milliseconds; null: never. */
  updatedAt(metric: string): Decimal | null;
  /** `since: last`: the values this alert saw last, oldest first, at most two. */
  seen(metric: string): readonly Decimal[];
  /** The value of the subject's sample before this one, and its date; for people. */
  previous(metric: string): { readonly value: Value; readonly at: number } | null;
  /** Events: the value of the alert's last evaluation that had one; null: this is the first. */
  last(metric: string): Value | null;
  /** Its samples are hours or days, which count as they are. */
  readonly bucketed: boolean;
  /** A position without liquidity. */
  readonly closed: boolean;
  /** The alert is firing or recovering since then; null otherwise. */
  readonly firedAt: number | null;
}

/** A value of a reference in its metric's own unit. */
export interface ReferenceValue {
  readonly value: Decimal;
  /** The decimals behind raw units; null while unknown. */
  readonly decimals: number | null;
}

const HUNDRED = decimalFromInteger(100);

/** The limit in the metric's own unit, exact; or why it is not known. */
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

/** The limit in the metric's own unit; null while it is not known. */
export function resolveLimit(
  limit: Limit,
  metric: string,
  context: EvaluationContext,
): Value | null {
  const resolved = limitOf(limit, metric, context);
  return typeof resolved === "number" ? null : resolved;
}

/** The size of a distance in the metric's own unit; null for percentages, and while it is not known. */
export function amountOf(by: Distance, metric: string, context: EvaluationContext): Decimal | null {
  const limit = by.kind === "percent" ? null : resolveLimit(by.limit, metric, context);
  return limit instanceof Decimal ? limit : null;
}

/** Tokens of different decimals are compared as whole ones; without their decimals they are not. */
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
 * Three times a usual value of nothing is nothing, and says of no value whether it is unusual. The
 * percentile itself may be 0, and so may be what a reference has: that is what it really holds.
 */
function isWhole(percent: Decimal): boolean {
  return compare(percent, HUNDRED) === 0;
}

function percentOf(percent: Decimal, base: Decimal): Decimal {
  return shift(multiply(percent, base), -2);
}

/**
 * Three-valued truth, as small integers since a round computes a hundred thousand of them. The
 * unknowns are ordered: of several, the greatest says why the whole is unknown.
 */
export const FALSE = 0;
export const TRUE = 1;
/** Only because a closed position has no range. */
export const UNKNOWN_CLOSED = 2;
/** The past is not known well enough. */
export const UNKNOWN_WINDOW = 3;
/** A value is missing now. */
export const UNKNOWN_VALUE = 4;
export type Truth = 0 | 1 | 2 | 3 | 4;

/** Why a limit is not known. */
export type UnknownLimit = typeof UNKNOWN_WINDOW | typeof UNKNOWN_VALUE;
