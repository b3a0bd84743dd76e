import { compare, Decimal, decimalFromInteger } from "../base/decimal.ts";
import type {
  Comparison,
  Condition,
  EventComparison,
  RangeComparison,
  SilenceComparison,
  Value,
} from "../model/index.ts";
import {
  FALSE,
  limitOf,
  TRUE,
  type Truth,
  UNKNOWN_CLOSED,
  UNKNOWN_VALUE,
  UNKNOWN_WINDOW,
} from "./limit.ts";
import { judgeChange } from "./windows/change.ts";
import type { EvaluationContext } from "./windows/evaluation-context.ts";
import { valuesEqual } from "./windows/sampled.ts";

export { FALSE, TRUE, type Truth, UNKNOWN_CLOSED, UNKNOWN_VALUE, UNKNOWN_WINDOW } from "./limit.ts";
export type { EvaluationContext } from "./windows/evaluation-context.ts";

/** What a condition says at the root, where a closed position's range counts as false. */
export function evaluate(condition: Condition, scene: EvaluationContext): Truth {
  const truth = judge(condition, scene);
  return truth === UNKNOWN_CLOSED ? FALSE : truth;
}

/** What a condition says of a scene; `negated`: it stands within an odd number of `not`. */
export function judge(condition: Condition, scene: EvaluationContext, negated = false): Truth {
  switch (condition.op) {
    case "all":
      return combine(condition.terms, scene, FALSE, TRUE, negated);
    case "any":
      return combine(condition.terms, scene, TRUE, FALSE, negated);
    case "not": {
      const truth = judge(condition.term, scene, !negated);
      return truth === TRUE ? FALSE : truth === FALSE ? TRUE : truth;
    }
    default:
      return judgeComparison(condition, scene);
  }
}

/**
 * `all` stops at a false, `any` at a true; otherwise the gravest unknown decides. But where a
 * closed position makes the root false whatever the other terms would say, a value that is missing
 * beside it matters to nobody.
 */
function combine(
  terms: readonly Condition[],
  scene: EvaluationContext,
  stop: typeof TRUE | typeof FALSE,
  otherwise: Truth,
  negated: boolean,
): Truth {
  const closedDecides = (stop === TRUE) === negated;
  let truth = otherwise;
  let closed = false;
  for (const term of terms) {
    const one = judge(term, scene, negated);
    if (one === stop) return stop;
    if (one === UNKNOWN_CLOSED) closed = true;
    if (one > TRUE && one > truth) truth = one;
  }
  return closed && closedDecides ? UNKNOWN_CLOSED : truth;
}

function judgeComparison(comparison: Comparison, scene: EvaluationContext): Truth {
  if (scene.closed && scene.metric(comparison.metric).range === true) return UNKNOWN_CLOSED;
  // Silence is the very thing that it asks about.
  if (comparison.op === "no_update_for") return judgeSilence(comparison, scene);
  const value = scene.value(comparison.metric);
  if (value === null) return UNKNOWN_VALUE;
  switch (comparison.op) {
    case "equals":
    case "not_equals": {
      const limit = limitOf(comparison.limit, comparison.metric, scene);
      if (typeof limit === "number") return limit;
      return valuesEqual(value, limit) === (comparison.op === "equals") ? TRUE : FALSE;
    }
    case "inside":
    case "outside":
      return judgeRange(comparison, value, scene);
    case "rises":
    case "falls":
    case "moves":
      return judgeChange(comparison, value, scene).truth;
    case "changes":
    case "crosses":
      return judgeEvent(comparison, value, scene);
    case "unchanged": {
      const unchanged = scene.unchanged(comparison, value);
      return unchanged === null ? UNKNOWN_WINDOW : unchanged ? TRUE : FALSE;
    }
    default: {
      const limit = limitOf(comparison.limit, comparison.metric, scene);
      if (typeof limit === "number") return limit;
      if (!(value instanceof Decimal) || !(limit instanceof Decimal)) return UNKNOWN_VALUE;
      const order = compare(value, limit);
      switch (comparison.op) {
        case "above":
          return order > 0 ? TRUE : FALSE;
        case "below":
          return order < 0 ? TRUE : FALSE;
        case "at_least":
          return order >= 0 ? TRUE : FALSE;
        case "at_most":
          return order <= 0 ? TRUE : FALSE;
      }
    }
  }
}

/** The first value is the baseline and no event, however it stands. */
function judgeEvent(comparison: EventComparison, value: Value, scene: EvaluationContext): Truth {
  const last = scene.last(comparison.metric);
  if (last === null) return FALSE;
  if (comparison.op === "changes") return valuesEqual(value, last) ? FALSE : TRUE;
  const limit = limitOf(comparison.limit, comparison.metric, scene);
  if (typeof limit === "number") return limit;
  if (!(value instanceof Decimal && last instanceof Decimal && limit instanceof Decimal)) {
    return UNKNOWN_VALUE;
  }
  return compare(value, limit) >= 0 === compare(last, limit) >= 0 ? FALSE : TRUE;
}

/** Exactly so long ago is not yet; a time that is still to come, as of a running bucket, never is. */
function judgeSilence({ metric, ms }: SilenceComparison, scene: EvaluationContext): Truth {
  const updated = scene.updatedAt(metric);
  if (updated === null) return UNKNOWN_VALUE;
  return compare(updated, decimalFromInteger(scene.now - ms)) < 0 ? TRUE : FALSE;
}

function judgeRange(comparison: RangeComparison, value: Value, scene: EvaluationContext): Truth {
  const low = limitOf(comparison.low, comparison.metric, scene);
  const high = limitOf(comparison.high, comparison.metric, scene);
  if (low === UNKNOWN_VALUE || high === UNKNOWN_VALUE) return UNKNOWN_VALUE;
  if (typeof low === "number" || typeof high === "number") return UNKNOWN_WINDOW;
  if (!(value instanceof Decimal && low instanceof Decimal && high instanceof Decimal)) {
    return UNKNOWN_VALUE;
  }
  const inside = compare(value, low) >= 0 && compare(value, high) <= 0;
  return inside === (comparison.op === "inside") ? TRUE : FALSE;
}
