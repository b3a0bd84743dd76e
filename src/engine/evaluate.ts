import { absolute, compare, Decimal, multiply, pow10, shift, subtract } from "../base/decimal.ts";
import type {
  ChangeComparison,
  Comparison,
  Condition,
  Distance,
  EventComparison,
  Limit,
  RangeComparison,
  Value,
} from "../model.ts";
import type { Metric } from "../watches/watch.ts";
import { type Base, medianOfThree, type Past } from "./window.ts";

/** What one evaluation may look at: the values of one subject at one date, and its past. */
export interface Scene {
  /** The date of the sample that is judged: the round's, or the bucket's start. */
  readonly date: number;
  value(metric: string): Value | null;
  decimals(metric: string): number | null;
  metric(name: string): Metric;
  /** The past of a change's metric; null: nothing is remembered. */
  past(comparison: ChangeComparison): Past | null;
  /** `since: last`: the values this alert saw last, oldest first, at most two. */
  seen(metric: string): readonly Decimal[];
  /** The value of the subject's sample before this one, and its date; for people. */
  previous(metric: string): { readonly value: Value; readonly at: number } | null;
  /** Events: the value of the alert's last evaluation that had one; null: this is the first. */
  last(metric: string): Value | null;
  /** A position without liquidity. */
  readonly closed: boolean;
  /** The alert is firing or recovering since then; null otherwise. */
  readonly firedAt: number | null;
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

/** What a condition says at the root, where a closed position's range counts as false. */
export function evaluate(condition: Condition, scene: Scene): Truth {
  const truth = judge(condition, scene);
  return truth === UNKNOWN_CLOSED ? FALSE : truth;
}

/** What a condition says of a scene; `negated`: it stands within an odd number of `not`. */
export function judge(condition: Condition, scene: Scene, negated = false): Truth {
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
  scene: Scene,
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

function judgeComparison(comparison: Comparison, scene: Scene): Truth {
  if (scene.closed && scene.metric(comparison.metric).range === true) return UNKNOWN_CLOSED;
  const value = scene.value(comparison.metric);
  if (value === null) return UNKNOWN_VALUE;
  switch (comparison.op) {
    case "equals":
    case "not_equals": {
      const limit = resolveLimit(comparison.limit, comparison.metric, scene);
      if (limit === null) return UNKNOWN_VALUE;
      return sameValue(value, limit) === (comparison.op === "equals") ? TRUE : FALSE;
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
    default: {
      const limit = resolveLimit(comparison.limit, comparison.metric, scene);
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
function judgeEvent(comparison: EventComparison, value: Value, scene: Scene): Truth {
  const last = scene.last(comparison.metric);
  if (last === null) return FALSE;
  if (comparison.op === "changes") return sameValue(value, last) ? FALSE : TRUE;
  const limit = resolveLimit(comparison.limit, comparison.metric, scene);
  if (!(value instanceof Decimal && last instanceof Decimal && limit instanceof Decimal)) {
    return UNKNOWN_VALUE;
  }
  return compare(value, limit) >= 0 === compare(last, limit) >= 0 ? FALSE : TRUE;
}

function judgeRange(comparison: RangeComparison, value: Value, scene: Scene): Truth {
  const low = resolveLimit(comparison.low, comparison.metric, scene);
  const high = resolveLimit(comparison.high, comparison.metric, scene);
  if (!(value instanceof Decimal && low instanceof Decimal && high instanceof Decimal)) {
    return UNKNOWN_VALUE;
  }
  const inside = compare(value, low) >= 0 && compare(value, high) <= 0;
  return inside === (comparison.op === "inside") ? TRUE : FALSE;
}

/** Exact equality; text minds letter case except in 0x… values. */
export function sameValue(a: Value, b: Value): boolean {
  if (a instanceof Decimal) return b instanceof Decimal && compare(a, b) === 0;
  if (typeof a === "string" && typeof b === "string") {
    return a === b || (/^0x/i.test(a) && a.toLowerCase() === b.toLowerCase());
  }
  return a === b;
}

/** The limit in the metric's own unit; null while the token's decimals are unknown. */
export function resolveLimit(limit: Limit, metric: string, scene: Scene): Value | null {
  if (limit.kind === "value") return limit.value;
  const decimals = scene.decimals(metric);
  return decimals === null ? null : shift(limit.amount, decimals);
}

/** What a change comparison found, and the base it measured from. */
export interface ChangeFinding {
  readonly truth: Truth;
  /** The base that made it true, or else the one that came closest; null: none is known. */
  readonly base: Base | null;
}

/** Judges `rises`, `falls`, `moves`; exported for the evidence of a notice. */
export function judgeChange(
  comparison: ChangeComparison,
  value: Value,
  scene: Scene,
): ChangeFinding {
  if (!(value instanceof Decimal)) return { truth: UNKNOWN_VALUE, base: null };
  const { span } = comparison;
  if (span.kind === "since_last") {
    const seen = scene.seen(comparison.metric);
    const last = seen.at(-1);
    if (last === undefined) return { truth: UNKNOWN_WINDOW, base: null };
    const before = seen.at(-2);
    const confirmed = before === undefined ? last : medianOfThree(before, last, value);
    const base = { value: confirmed, at: Number.NaN };
    const truth = reached(comparison, value, base, base, scene);
    return { truth: truth.truth, base };
  }
  const past = scene.past(comparison);
  if (past === null) return { truth: UNKNOWN_WINDOW, base: null };
  const from = scene.date - span.ms;
  return span.kind === "within"
    ? judgeWithin(comparison, value, past, from, scene)
    : judgeSince(comparison, value, past, from, scene);
}

function judgeWithin(
  comparison: ChangeComparison,
  value: Decimal,
  past: Past,
  from: number,
  scene: Scene,
): ChangeFinding {
  const lowest = comparison.op === "falls" ? null : past.lowest(from, value);
  const highest = comparison.op === "rises" ? null : past.highest(from, value);
  if (lowest === null && highest === null) return { truth: UNKNOWN_WINDOW, base: null };
  const finding = reached(comparison, value, lowest, highest, scene);
  if (finding.truth !== FALSE) return finding;
  const half = past.known(from, scene.date) * 2 >= scene.date - from;
  return half || wholeSinceFired(past, from, scene)
    ? finding
    : { truth: UNKNOWN_WINDOW, base: finding.base };
}

/** All of the window is known since the alert fired: enough to say that the change is over. */
function wholeSinceFired(past: Past, from: number, scene: Scene): boolean {
  if (scene.firedAt === null) return false;
  const start = Math.max(from, scene.firedAt);
  return past.known(start, scene.date) >= scene.date - start;
}

function judgeSince(
  comparison: ChangeComparison,
  value: Decimal,
  past: Past,
  from: number,
  scene: Scene,
): ChangeFinding {
  const base = past.inForce(from, value);
  if (base !== null) return reached(comparison, value, base, base, scene);
  const first = past.first();
  if (first === null || first.at <= from) return { truth: UNKNOWN_WINDOW, base: null };
  // While the series is younger than the window its first value stands in.
  const finding = reached(comparison, value, first, first, scene);
  if (finding.truth !== FALSE || scene.firedAt !== null) return finding;
  return { truth: UNKNOWN_WINDOW, base: first };
}

function reached(
  comparison: ChangeComparison,
  value: Decimal,
  lowest: Base | null,
  highest: Base | null,
  scene: Scene,
): ChangeFinding {
  const { by, op, metric } = comparison;
  let distance: Decimal | null = null;
  if (by.kind === "absolute") {
    const limit = resolveLimit(by.limit, metric, scene);
    if (!(limit instanceof Decimal)) return { truth: UNKNOWN_VALUE, base: lowest ?? highest };
    distance = limit;
  }
  const rise = lowest === null || op === "falls" ? null : subtract(value, lowest.value);
  const fall = highest === null || op === "rises" ? null : subtract(highest.value, value);
  if (rise !== null && lowest !== null && goneFar(rise, lowest.value, by, distance)) {
    return { truth: TRUE, base: lowest };
  }
  if (fall !== null && highest !== null && goneFar(fall, highest.value, by, distance)) {
    return { truth: TRUE, base: highest };
  }
  const closest =
    rise !== null && (fall === null || compare(rise, fall) >= 0) ? lowest : (highest ?? lowest);
  return { truth: FALSE, base: closest };
}

/**
 * Whether a change is at least the distance; percentages are of |base| and compared by
 * multiplication, so nothing is rounded. No change is never a rise or fall, and a change from
 * zero exceeds every percentage.
 */
function goneFar(change: Decimal, base: Decimal, by: Distance, absolut: Decimal | null): boolean {
  if (change.digits <= 0n) return false;
  if (by.kind === "percent") {
    if (base.digits === 0n) return true;
    const hundredfold = new Decimal(change.digits * pow10(2), change.scale);
    return compare(hundredfold, multiply(by.percent, absolute(base))) >= 0;
  }
  return absolut !== null && compare(change, absolut) >= 0;
}
