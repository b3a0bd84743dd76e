import { absolute, compare, Decimal, multiply, shift, subtract } from "../../base/decimal.ts";
import type { ChangeComparison, Distance, Value, Way } from "../../model/index.ts";
import { FALSE, resolveLimit, TRUE, type Truth, UNKNOWN_VALUE, UNKNOWN_WINDOW } from "../limit.ts";
import type { EvaluationContext } from "./evaluation-context.ts";
import type { Base, WindowHistory } from "./sampled.ts";
import { medianOfThree } from "./window.ts";

/** What a change comparison found, and the base it measured from. */
export interface ChangeFinding {
  readonly truth: Truth;
  /** The base that made it true, or else the one that came closest; null: none is known. */
  readonly base: Base | null;
}

/**
 * Judges `rises`, `falls`, `moves`; exported for the evidence of a notice. Where a value has gone far
 * enough both ways the larger change speaks, or the one that is `wanted`.
 */
export function judgeChange(
  comparison: ChangeComparison,
  value: Value,
  scene: EvaluationContext,
  wanted: Way | null = null,
): ChangeFinding {
  if (!(value instanceof Decimal)) return { truth: UNKNOWN_VALUE, base: null };
  const { span } = comparison;
  if (span.kind === "since_last") {
    const seen = scene.seen(comparison.metric);
    const last = seen.at(-1);
    if (last === undefined) return { truth: UNKNOWN_WINDOW, base: null };
    // Hours and days count as they are: no neighbour has to confirm them.
    const before = scene.bucketed ? undefined : seen.at(-2);
    const confirmed = before === undefined ? last : medianOfThree(before, last, value);
    const base = { value: confirmed, at: Number.NaN };
    const truth = reached(comparison, value, base, base, scene);
    return { truth: truth.truth, base };
  }
  const past = scene.past(comparison);
  if (past === null) return { truth: UNKNOWN_WINDOW, base: null };
  const from = scene.date - span.ms;
  return span.kind === "within"
    ? judgeWithin(comparison, value, past, from, scene, wanted)
    : judgeSince(comparison, value, past, from, scene);
}

function judgeWithin(
  comparison: ChangeComparison,
  value: Decimal,
  past: WindowHistory,
  from: number,
  scene: EvaluationContext,
  wanted: Way | null,
): ChangeFinding {
  const lowest = comparison.op === "falls" ? null : past.lowest(from, value);
  const highest = comparison.op === "rises" ? null : past.highest(from, value);
  if (lowest === null && highest === null) return { truth: UNKNOWN_WINDOW, base: null };
  const finding = reached(comparison, value, lowest, highest, scene, wanted);
  if (finding.truth !== FALSE) return finding;
  const half = past.known(from, scene.date) * 2 >= scene.date - from;
  return half || wholeSinceFired(past, from, scene)
    ? finding
    : { truth: UNKNOWN_WINDOW, base: finding.base };
}

/** All of the window is known since the alert fired: enough to say that the change is over. */
function wholeSinceFired(past: WindowHistory, from: number, scene: EvaluationContext): boolean {
  if (scene.firedAt === null) return false;
  const start = Math.max(from, scene.firedAt);
  return past.known(start, scene.date) >= scene.date - start;
}

function judgeSince(
  comparison: ChangeComparison,
  value: Decimal,
  past: WindowHistory,
  from: number,
  scene: EvaluationContext,
): ChangeFinding {
  const base = past.inForce(from, value);
  if (base !== null) return reached(comparison, value, base, base, scene);
  const first = past.first(from, scene.date);
  if (first === null) return { truth: UNKNOWN_WINDOW, base: null };
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
  scene: EvaluationContext,
  wanted: Way | null = null,
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
  const rose = rise !== null && lowest !== null && goneFar(rise, lowest.value, by, distance);
  const fell = fall !== null && highest !== null && goneFar(fall, highest.value, by, distance);
  if (rose && fell) {
    const up = { change: rise, base: lowest.value };
    const way = wanted ?? largerWay(up, { change: fall, base: highest.value }, by);
    return { truth: TRUE, base: way === "up" ? lowest : highest };
  }
  if (rose || fell) return { truth: TRUE, base: rose ? lowest : highest };
  const closest =
    rise !== null && (fall === null || compare(rise, fall) >= 0) ? lowest : (highest ?? lowest);
  return { truth: FALSE, base: closest };
}

/** How far from what. */
interface Change {
  readonly change: Decimal;
  readonly base: Decimal;
}

/** Of a rise and a fall the larger one, as its distance counts; of two equal ones the rise. */
export function largerWay(rise: Change, fall: Change, { kind }: Distance): Way {
  const order =
    kind === "absolute"
      ? compare(rise.change, fall.change)
      : // Parts of their bases, without dividing: one of nothing exceeds every other.
        compare(
          multiply(rise.change, absolute(fall.base)),
          multiply(fall.change, absolute(rise.base)),
        );
  return order >= 0 ? "up" : "down";
}

/**
 * Whether a change is at least the distance; percentages are of |base| and compared by
 * multiplication, so nothing is rounded. No change is never a rise or fall, and a change from
 * zero exceeds every percentage.
 */
export function goneFar(
  change: Decimal,
  base: Decimal,
  by: Distance,
  absolut: Decimal | null,
): boolean {
  if (change.digits <= 0n) return false;
  if (by.kind === "percent") {
    if (base.digits === 0n) return true;
    return compare(shift(change, 2), multiply(by.percent, absolute(base))) >= 0;
  }
  return absolut !== null && compare(change, absolut) >= 0;
}
