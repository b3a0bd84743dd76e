import type { Decimal } from "../base/decimal.ts";
import { compare, decimalFromInteger, isZero, multiply, shift } from "../base/decimal.ts";
import { countsRaw } from "../base/quantity.ts";
import type { Limit, ReferenceLimit, Value } from "../model/index.ts";
import type { EvaluationContext } from "./windows/evaluation-context.ts";

const HUNDRED = decimalFromInteger(100);

/** The limit in the metric's own unit, exact; or why it is not known. */
export function limitOf(
  limit: Limit,
  metric: string,
  scene: EvaluationContext,
): Value | UnknownLimit {
  switch (limit.kind) {
    case "value":
      return limit.value;
    case "tokens": {
      const decimals = scene.decimals(metric);
      return decimals === null ? UNKNOWN_VALUE : shift(limit.amount, decimals);
    }
    case "percentile": {
      const base = scene.percentile(limit, metric);
      if (base === null || (isZero(base) && !isWhole(limit.percent))) return UNKNOWN_WINDOW;
      return percentOf(limit.percent, base);
    }
    case "reference":
      return referenceLimit(limit, metric, scene) ?? UNKNOWN_VALUE;
  }
}

/** The limit in the metric's own unit; null while it is not known. */
export function resolveLimit(limit: Limit, metric: string, scene: EvaluationContext): Value | null {
  const resolved = limitOf(limit, metric, scene);
  return typeof resolved === "number" ? null : resolved;
}

/** Tokens of different decimals are compared as whole ones; without their decimals they are not. */
function referenceLimit(
  limit: ReferenceLimit,
  metric: string,
  scene: EvaluationContext,
): Decimal | null {
  const found = scene.reference(limit);
  if (found === null) return null;
  const share = percentOf(limit.percent, found.value);
  const { quantity } = scene.metric(metric);
  if (quantity === limit.reference.quantity && !countsRaw(quantity)) return share;
  const theirs = countsRaw(limit.reference.quantity) ? found.decimals : 0;
  const ours = countsRaw(quantity) ? scene.decimals(metric) : 0;
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
