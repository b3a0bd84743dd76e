import {
  absolute,
  compare,
  Decimal,
  decimalFromInteger,
  multiply,
  shift,
  subtract,
} from "../base/decimal.ts";
import type {
  ChangeComparison,
  Comparison,
  Condition,
  Distance,
  EventComparison,
  RangeComparison,
  SilenceComparison,
  Value,
  Way,
} from "../model/index.ts";
import {
  amountOf,
  ascending,
  type EvaluationContext,
  FALSE,
  limitOf,
  TRUE,
  type Truth,
  UNKNOWN_CLOSED,
  UNKNOWN_VALUE,
  UNKNOWN_WINDOW,
} from "./evaluation-context.ts";
import { type Base, valuesEqual, type WindowHistory } from "./windows/sampled.ts";
import { medianOfThree } from "./windows/window.ts";

/** The truth of a whole condition; a closed position's range counts as false here. */
export function evaluate(condition: Condition, context: EvaluationContext): Truth {
  const truth = judge(condition, context);
  return truth === UNKNOWN_CLOSED ? FALSE : truth;
}

/** The truth of a condition in a context; `negated`: it is inside an odd number of `not`. */
export function judge(condition: Condition, context: EvaluationContext, negated = false): Truth {
  switch (condition.op) {
    case "all":
      return combine(condition.terms, context, FALSE, TRUE, negated);
    case "any":
      return combine(condition.terms, context, TRUE, FALSE, negated);
    case "not": {
      const truth = judge(condition.term, context, !negated);
      return truth === TRUE ? FALSE : truth === FALSE ? TRUE : truth;
    }
    default:
      return judgeComparison(condition, context);
  }
}

/**
 * `all` stops at a false, `any` at a true; otherwise the gravest unknown decides. But where a closed position makes
 * the whole false whatever the other terms are, a missing value beside it does not matter.
 */
function combine(
  terms: readonly Condition[],
  context: EvaluationContext,
  stop: typeof TRUE | typeof FALSE,
  otherwise: Truth,
  negated: boolean,
): Truth {
  const closedDecides = (stop === TRUE) === negated;
  let truth = otherwise;
  let closed = false;
  for (const term of terms) {
    const one = judge(term, context, negated);
    if (one === stop) return stop;
    if (one === UNKNOWN_CLOSED) closed = true;
    if (one > truth) truth = one;
  }
  return closed && closedDecides ? UNKNOWN_CLOSED : truth;
}

function judgeComparison(comparison: Comparison, context: EvaluationContext): Truth {
  if (context.closed && context.metric(comparison.metric).range === true) return UNKNOWN_CLOSED;
  // The comparison is about silence itself.
  if (comparison.op === "no_update_for") return judgeSilence(comparison, context);
  const value = context.value(comparison.metric);
  if (value === null) return UNKNOWN_VALUE;
  switch (comparison.op) {
    case "equals":
    case "not_equals": {
      const limit = limitOf(comparison.limit, comparison.metric, context);
      if (typeof limit === "number") return limit;
      return valuesEqual(value, limit) === (comparison.op === "equals") ? TRUE : FALSE;
    }
    case "inside":
    case "outside":
      return judgeRange(comparison, value, context);
    case "rises":
    case "falls":
    case "moves":
      return judgeChange(comparison, value, context).truth;
    case "changes":
    case "crosses":
      return judgeEvent(comparison, value, context);
    case "unchanged": {
      const unchanged = context.unchanged(comparison, value);
      return unchanged === null ? UNKNOWN_WINDOW : unchanged ? TRUE : FALSE;
    }
    default: {
      const limit = limitOf(comparison.limit, comparison.metric, context);
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

/** The first value is the baseline and never an event. */
function judgeEvent(comparison: EventComparison, value: Value, context: EvaluationContext): Truth {
  const last = context.last(comparison.metric);
  if (last === null) return FALSE;
  if (comparison.op === "changes") return valuesEqual(value, last) ? FALSE : TRUE;
  const limit = limitOf(comparison.limit, comparison.metric, context);
  if (typeof limit === "number") return limit;
  if (!(value instanceof Decimal && last instanceof Decimal && limit instanceof Decimal)) {
    return UNKNOWN_VALUE;
  }
  return compare(value, limit) >= 0 === compare(last, limit) >= 0 ? FALSE : TRUE;
}

/** Exactly so long ago is not yet silent; a time in the future, such as the end of a running bucket, never is. */
function judgeSilence({ metric, ms }: SilenceComparison, context: EvaluationContext): Truth {
  const updated = context.updatedAt(metric);
  if (updated === null) return UNKNOWN_VALUE;
  return compare(updated, decimalFromInteger(context.now - ms)) < 0 ? TRUE : FALSE;
}

function judgeRange(given: RangeComparison, value: Value, context: EvaluationContext): Truth {
  const comparison = ascending(given, context);
  const low = limitOf(comparison.low, comparison.metric, context);
  const high = limitOf(comparison.high, comparison.metric, context);
  if (low === UNKNOWN_VALUE || high === UNKNOWN_VALUE) return UNKNOWN_VALUE;
  if (typeof low === "number" || typeof high === "number") return UNKNOWN_WINDOW;
  if (!(value instanceof Decimal && low instanceof Decimal && high instanceof Decimal)) {
    return UNKNOWN_VALUE;
  }
  const inside = compare(value, low) >= 0 && compare(value, high) <= 0;
  return inside === (comparison.op === "inside") ? TRUE : FALSE;
}

/** How far a value has moved in one direction, and from what. */
export interface Move {
  readonly far: Decimal;
  readonly base: Base;
  /** Whether it is at least the comparison's distance. */
  readonly reached: boolean;
}

/** The result of a change comparison. */
export interface ChangeFinding {
  readonly truth: Truth;
  /** Null: the comparison ignores that direction, or has no base to measure from. */
  readonly up: Move | null;
  readonly down: Move | null;
  /** The direction to show: the larger of two that reach the distance. */
  readonly way: Way;
  /** The base that made it true, else the one that came closest; null: no base is known. */
  readonly base: Base | null;
}

const NOTHING_KNOWN = { up: null, down: null, way: "up", base: null } as const;

/** Judges `rises`, `falls`, `moves`. */
export function judgeChange(
  comparison: ChangeComparison,
  value: Value,
  context: EvaluationContext,
): ChangeFinding {
  if (!(value instanceof Decimal)) return { truth: UNKNOWN_VALUE, ...NOTHING_KNOWN };
  const { span, metric, op } = comparison;
  if (span.kind === "since_last") {
    const seen = context.seen(metric);
    const last = seen.at(-1);
    if (last === undefined) return { truth: UNKNOWN_WINDOW, ...NOTHING_KNOWN };
    // Hours and days need no confirmation by a neighbour.
    const before = context.bucketed ? undefined : seen.at(-2);
    const confirmed = before === undefined ? last : medianOfThree(before, last, value);
    const base = { value: confirmed, at: Number.NaN };
    return measured(comparison, value, base, base, context);
  }
  const past = context.past(comparison);
  if (past === null) return { truth: UNKNOWN_WINDOW, ...NOTHING_KNOWN };
  const from = context.date - span.ms;
  if (span.kind === "since") return judgeSince(comparison, value, past, from, context);
  const lowest = op === "falls" ? null : past.lowest(from, value);
  const highest = op === "rises" ? null : past.highest(from, value);
  if (lowest === null && highest === null) return { truth: UNKNOWN_WINDOW, ...NOTHING_KNOWN };
  const finding = measured(comparison, value, lowest, highest, context);
  if (finding.truth !== FALSE) return finding;
  const half = past.known(from, context.date) * 2 >= context.date - from;
  return half || knownSinceFired(past, context) ? finding : { ...finding, truth: UNKNOWN_WINDOW };
}

/** The past is known since the alert fired, which is enough to say that the change is over. */
function knownSinceFired(past: WindowHistory, { firedAt, date }: EvaluationContext): boolean {
  return firedAt !== null && past.known(firedAt, date) >= date - firedAt;
}

function judgeSince(
  comparison: ChangeComparison,
  value: Decimal,
  past: WindowHistory,
  from: number,
  context: EvaluationContext,
): ChangeFinding {
  const base = past.inForce(from, value);
  if (base !== null) return measured(comparison, value, base, base, context);
  const first = past.first(from, context.date);
  if (first === null) return { truth: UNKNOWN_WINDOW, ...NOTHING_KNOWN };
  // The first value replaces the base while the series is younger than the window.
  const finding = measured(comparison, value, first, first, context);
  if (finding.truth !== FALSE || context.firedAt !== null) return finding;
  return { ...finding, truth: UNKNOWN_WINDOW };
}

function measured(
  { by, op, metric }: ChangeComparison,
  value: Decimal,
  lowest: Base | null,
  highest: Base | null,
  context: EvaluationContext,
): ChangeFinding {
  const distance = amountOf(by, metric, context);
  const isUp = lowest !== null && op !== "falls";
  const isDown = highest !== null && op !== "rises";
  const up = isUp ? moveFrom(lowest, subtract(value, lowest.value), by, distance) : null;
  const down = isDown ? moveFrom(highest, subtract(highest.value, value), by, distance) : null;
  if (by.kind === "absolute" && distance === null) {
    const way = up === null ? "down" : "up";
    return { truth: UNKNOWN_VALUE, up, down, way, base: lowest ?? highest };
  }
  const rose = up?.reached === true;
  const fell = down?.reached === true;
  if (rose || fell) {
    const way = !fell || (rose && isLarger(up, down, by)) ? "up" : "down";
    return { truth: TRUE, up, down, way, base: way === "up" ? lowest : highest };
  }
  const isRise = up !== null && (down === null || compare(up.far, down.far) >= 0);
  const base = isRise ? lowest : (highest ?? lowest);
  return { truth: FALSE, up, down, way: up === null ? "down" : "up", base };
}

function moveFrom(base: Base, far: Decimal, by: Distance, distance: Decimal | null): Move {
  return { far, base, reached: reachesDistance(far, base.value, by, distance) };
}

/** Whether a rise is at least as large as a fall, in the unit of the distance. */
function isLarger(rise: Move, fall: Move, { kind }: Distance): boolean {
  if (kind === "absolute") return compare(rise.far, fall.far) >= 0;
  // Fractions of their bases, without division: a change from zero exceeds every other.
  const risen = multiply(rise.far, absolute(fall.base.value));
  return compare(risen, multiply(fall.far, absolute(rise.base.value))) >= 0;
}

/**
 * Whether a change is at least the distance. Percentages are of |base| and compared by multiplication, so nothing is
 * rounded. An unchanged value is no rise or fall, and a change from zero exceeds every percentage.
 */
export function reachesDistance(
  change: Decimal,
  base: Decimal,
  by: Distance,
  distance: Decimal | null,
): boolean {
  if (change.digits <= 0n) return false;
  if (by.kind === "absolute") return distance !== null && compare(change, distance) >= 0;
  if (base.digits === 0n) return true;
  return compare(shift(change, 2), multiply(by.percent, absolute(base))) >= 0;
}
