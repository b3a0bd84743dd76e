import {
  absolute,
  compare,
  Decimal,
  isZero,
  multiply,
  negate,
  parseDecimal,
  shift,
  subtract,
} from "../base/decimal.ts";
import type {
  ChangeComparison,
  Comparison,
  Distance,
  ExtentText,
  Limit,
  Rule,
  Value,
  Way,
  WorseBy,
  Worst,
} from "../model/index.ts";
import { type ChangeFinding, judgeChange } from "./evaluate.ts";
import { amountOf, ascending, type EvaluationContext, resolveLimit } from "./evaluation-context.ts";

/** `far` per `of`, never rounded; `of` is the base for percentages, else one. */
interface Extent {
  readonly far: Decimal;
  readonly of: Decimal;
}

/** How far a value has gone at one date. */
export interface Extents {
  readonly value: Decimal;
  /** `moves` goes both ways; everything else goes one way. */
  readonly up: Extent | null;
  readonly down: Extent | null;
  /** The direction to show. */
  readonly way: Way;
  /** `moves`: from the base that people were told, in the direction that they were told. */
  readonly fromTold: Extent | null;
  /** The result of the comparison; null: it is a level. */
  readonly change: ChangeFinding | null;
  /** The measure: only extents with the same measure can be compared. */
  readonly on: string;
}

const ONE = new Decimal(1n, 0);

/** The measure of an extent: the metric, then the comparison and the kind of distance. */
function measuredOn({ metric, op }: Comparison, by: Distance["kind"] | null): string {
  return by === null ? `${metric} ${op}` : `${metric} ${op} ${by}`;
}

/** How far the value of `worse_by` has gone; null: unknown. `worst`: the extent that people were told. */
export function measure(
  { worse }: Rule,
  context: EvaluationContext,
  worst: Worst | null = null,
): Extents | null {
  if (worse === null) return null;
  const { comparison, by } = worse;
  const value = context.value(comparison.metric);
  if (!(value instanceof Decimal)) return null;
  const on = measuredOn(comparison, by.kind);
  if (!("span" in comparison)) {
    const up = measureLevel(worse, value, context);
    if (up === null) return null;
    return { value, up, down: null, way: "up", change: null, fromTold: null, on };
  }
  const change = judgeChange(comparison, value, context);
  const from = (way: Way, base: Decimal | null | undefined): Extent | null =>
    base ? measureFrom(base, value, way, by, comparison) : null;
  const up = from("up", change.up?.base.value);
  const down = from("down", change.down?.base.value);
  if (up === null && down === null) return null;
  const goesOn = comparison.op === "moves" && worst !== null;
  const fromTold = goesOn ? from(worst.way, parseDecimal(worst.base ?? "")) : null;
  return { value, up, down, way: change.way, change, fromTold, on };
}

/** How far a level is beyond its limit; null: unknown, or it has no direction. */
function measureLevel(
  { by, comparison }: WorseBy,
  value: Decimal,
  context: EvaluationContext,
): Extent | null {
  const numberOf = (limit: Limit): Decimal | null =>
    number(resolveLimit(limit, comparison.metric, context));
  const share = (far: Decimal, limit: Decimal | null): Extent | null =>
    by.kind === "absolute" ? { far, of: ONE } : partOf(far, limit);
  switch (comparison.op) {
    case "above":
    case "at_least":
      return share(value, numberOf(comparison.limit));
    case "below":
    case "at_most":
      return share(negate(value), numberOf(comparison.limit));
    case "outside": {
      const range = ascending(comparison, context);
      const [low, high] = [numberOf(range.low), numberOf(range.high)];
      if (low === null || high === null) return null;
      const [under, over] = [subtract(low, value), subtract(value, high)];
      return compare(under, over) > 0 ? share(under, low) : share(over, high);
    }
    default:
      return null;
  }
}

/** How far a value has gone from a base in one direction. */
function measureFrom(
  base: Decimal,
  value: Decimal,
  way: Way,
  by: Distance,
  { span }: ChangeComparison,
): Extent | null {
  const far = way === "up" ? subtract(value, base) : subtract(base, value);
  // A change from zero has no percentage, but it is notified.
  return by.kind === "absolute" || (span.kind === "since_last" && isZero(base))
    ? { far, of: ONE }
    : partOf(far, base);
}

/** A percentage of zero has no size. */
function partOf(far: Decimal, whole: Decimal | null): Extent | null {
  return whole === null || isZero(whole) ? null : { far, of: absolute(whole) };
}

function number(value: Value | null): Decimal | null {
  return value instanceof Decimal ? value : null;
}

/**
 * The direction in which the value has gone the rule's distance beyond the furthest extent that people were told
 * (`worst`; null: unknown). Null: it is not worse; perhaps it has only swung the other way.
 */
export function worseWay(
  { worse }: Rule,
  worst: Worst | null,
  now: Extents,
  context: EvaluationContext,
): Way | null {
  if (worse === null) return null;
  const { comparison } = worse;
  if (isSinceLast(comparison)) {
    const way = hasReached(now, "up") ? "up" : hasReached(now, "down") ? "down" : null;
    return way !== null && isNewsOfRound(worse, worst, now, way, context) ? way : null;
  }
  if (worst === null) return null;
  const { way } = worst;
  const then = extentOf(worst[way]);
  const far = now.fromTold ?? now[way];
  if (then === null || far === null) return null;
  return isFurther(far, then, worse, context) ? way : null;
}

function hasReached({ change }: Extents, way: Way): boolean {
  return change?.[way]?.reached === true;
}

function isSinceLast(comparison: Comparison): boolean {
  return "span" in comparison && comparison.span.kind === "since_last";
}

/**
 * `since: last`: each true round is a change of its own, which a larger one before does not hide. It is notified if it
 * reaches the rule's distance, or if the value is by now that far from the one that people were told.
 */
function isNewsOfRound(
  worse: WorseBy,
  worst: Worst | null,
  now: Extents,
  way: Way,
  context: EvaluationContext,
): boolean {
  const extent = now[way];
  if (extent === null) return false;
  if (isOwnDistance(worse) || reachesBy(extent.far, extent, worse, context)) return true;
  const told = worst === null ? null : parseDecimal(worst.value);
  return told !== null && reachesBy(absolute(subtract(now.value, told)), extent, worse, context);
}

/** Whether the rule's only distance is that of its change, which a change from zero exceeds. */
function isOwnDistance({ comparison, by }: WorseBy): boolean {
  return "by" in comparison && comparison.by === by;
}

function isFurther(
  now: Extent,
  then: Extent,
  { by, comparison }: WorseBy,
  context: EvaluationContext,
): boolean {
  if (by.kind === "absolute") {
    const amount = amountOf(by, comparison.metric, context);
    return amount !== null && compare(subtract(now.far, then.far), amount) >= 0;
  }
  // now.far / now.of − then.far / then.of ≥ percent / 100, without dividing.
  const gone = subtract(multiply(now.far, then.of), multiply(then.far, now.of));
  return compare(shift(gone, 2), multiply(by.percent, multiply(now.of, then.of))) >= 0;
}

function reachesBy(
  way: Decimal,
  { of }: Extent,
  { by, comparison }: WorseBy,
  context: EvaluationContext,
): boolean {
  if (by.kind === "percent") return compare(shift(way, 2), multiply(by.percent, of)) >= 0;
  const amount = amountOf(by, comparison.metric, context);
  return amount !== null && compare(way, amount) >= 0;
}

/** The notified extent, once people are told of `now`. */
export function worstAfter(worst: Worst | null, now: Extents, way: Way = now.way): Worst {
  const far = (worst === null ? null : now.fromTold) ?? now[way];
  const known = worst?.way === way ? worst : null;
  const base = known?.base ?? now.change?.[way]?.base.value.toString() ?? null;
  const extent = furthest(known?.[way] ?? null, far);
  return {
    up: way === "up" ? extent : null,
    down: way === "down" ? extent : null,
    value: now.value.toString(),
    way,
    base,
    on: now.on,
  };
}

/** The notified value of a firing that is not measured now: an edit of its rule may need it later. */
export function worstOf(comparison: Comparison, value: Value, base: Value | null): Worst | null {
  if (!(value instanceof Decimal)) return null;
  const from = "span" in comparison ? number(base) : null;
  const way = from !== null && compare(value, from) < 0 ? "down" : "up";
  const on = measuredOn(comparison, null);
  const text = value.toString();
  return { up: null, down: null, value: text, way, base: from?.toString() ?? null, on };
}

/**
 * The notified extent as the rule measures now: after an edit the notified value is measured anew. Null: it cannot
 * be.
 */
export function worstTold(
  { worse }: Rule,
  worst: Worst | null,
  context: EvaluationContext,
): Worst | null {
  if (worst === null || worse === null) return worst;
  const { comparison, by } = worse;
  // Extents of earlier versions were forgotten with every edit.
  if (worst.on === undefined || worst.on === measuredOn(comparison, by.kind)) return worst;
  const value = parseDecimal(worst.value);
  if (value === null || !worst.on.startsWith(`${comparison.metric} `)) return null;
  const base = parseDecimal(worst.base ?? "");
  const way = "span" in comparison ? worst.way : "up";
  const extent =
    "span" in comparison
      ? base === null
        ? null
        : measureFrom(base, value, way, by, comparison)
      : measureLevel(worse, value, context);
  if (extent === null || isOtherWay(comparison, way)) return null;
  const text = textOf(extent);
  return { ...worst, up: way === "up" ? text : null, down: way === "down" ? text : null, way };
}

/** A notified rise says nothing of a fall. */
function isOtherWay({ op }: Comparison, way: Way): boolean {
  return (op === "rises" && way === "down") || (op === "falls" && way === "up");
}

function furthest(text: ExtentText | null, now: Extent | null): ExtentText | null {
  if (now === null) return text;
  const then = extentOf(text);
  return then === null || isBeyond(now, then) ? textOf(now) : text;
}

function isBeyond(now: Extent, then: Extent): boolean {
  return compare(multiply(now.far, then.of), multiply(then.far, now.of)) > 0;
}

function textOf({ far, of }: Extent): ExtentText {
  return { far: far.toString(), of: of.toString() };
}

function extentOf(text: ExtentText | null): Extent | null {
  if (text === null) return null;
  const far = parseDecimal(text.far);
  const of = parseDecimal(text.of);
  return far === null || of === null ? null : { far, of };
}
