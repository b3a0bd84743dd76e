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
  Rule,
  WorseBy,
  Worst,
} from "../model.ts";
import { goneFar, judgeChange } from "./change.ts";
import { resolveLimit } from "./limit.ts";
import type { Base } from "./past.ts";
import type { Scene } from "./sight.ts";

/** `far` of `of`, never rounded: of a percentage the base, else one. */
interface Extent {
  readonly far: Decimal;
  readonly of: Decimal;
}

/** How far a value has gone at one date, for `worse`. */
export interface Extents {
  readonly value: Decimal;
  /** `moves` goes both ways; everything else has one of them. */
  readonly up: Extent | null;
  readonly down: Extent | null;
  /** The direction that speaks: of `moves` the one that has reached the limit. */
  readonly way: "up" | "down";
  /** `moves`: whether the limit is reached in that direction, and in the other one. */
  readonly reached: { readonly up: boolean; readonly down: boolean };
}

export type Way = Extents["way"];

const ONE = new Decimal(1n, 0);
const NEITHER: Extents["reached"] = { up: false, down: false };

/** How far the value that `worse` is measured on has gone; null: that is not known. */
export function measure({ worse }: Rule, scene: Scene): Extents | null {
  if (worse === null) return null;
  const { comparison } = worse;
  const value = scene.value(comparison.metric);
  if (!(value instanceof Decimal)) return null;
  if ("span" in comparison) return measureChange(worse, comparison, value, scene);
  const extent = measureLevel(worse, comparison, value, scene);
  return extent === null ? null : { value, up: extent, down: null, way: "up", reached: NEITHER };
}

function measureLevel(
  { by }: WorseBy,
  comparison: Comparison,
  value: Decimal,
  scene: Scene,
): Extent | null {
  const { metric } = comparison;
  const share = (far: Decimal, limit: Decimal | null): Extent | null =>
    by.kind === "absolute" ? { far, of: ONE } : partOf(far, limit);
  switch (comparison.op) {
    case "above":
    case "at_least":
      return share(value, number(resolveLimit(comparison.limit, metric, scene)));
    case "below":
    case "at_most":
      return share(negate(value), number(resolveLimit(comparison.limit, metric, scene)));
    case "outside": {
      const low = number(resolveLimit(comparison.low, metric, scene));
      const high = number(resolveLimit(comparison.high, metric, scene));
      if (low === null || high === null) return null;
      const under = subtract(low, value);
      const over = subtract(value, high);
      return compare(under, over) > 0 ? share(under, low) : share(over, high);
    }
    default:
      return null;
  }
}

function measureChange(
  { by }: WorseBy,
  comparison: ChangeComparison,
  value: Decimal,
  scene: Scene,
): Extents | null {
  const { op, span } = comparison;
  const { lowest, highest } = basesOf(comparison, value, scene);
  // Of a change from nothing there is no part, and yet it is one that is told.
  const share = (far: Decimal, base: Base): Extent | null =>
    by.kind === "absolute" || (span.kind === "since_last" && isZero(base.value))
      ? { far, of: ONE }
      : partOf(far, base.value);
  const rise = lowest === null || op === "falls" ? null : subtract(value, lowest.value);
  const fall = highest === null || op === "rises" ? null : subtract(highest.value, value);
  const up = rise === null || lowest === null ? null : share(rise, lowest);
  const down = fall === null || highest === null ? null : share(fall, highest);
  if (up === null && down === null) return null;
  const rose = rise !== null && lowest !== null && reaches(rise, lowest, comparison, scene);
  const fell = fall !== null && highest !== null && reaches(fall, highest, comparison, scene);
  const way: Way = up === null || (down !== null && fell && !rose) ? "down" : "up";
  return { value, up, down, way, reached: { up: rose, down: fell } };
}

function basesOf(
  comparison: ChangeComparison,
  value: Decimal,
  scene: Scene,
): { lowest: Base | null; highest: Base | null } {
  const { span } = comparison;
  if (span.kind !== "within") {
    const { base } = judgeChange(comparison, value, scene);
    return { lowest: base, highest: base };
  }
  const past = scene.past(comparison);
  const from = scene.date - span.ms;
  return {
    lowest: past?.lowest(from, value) ?? null,
    highest: past?.highest(from, value) ?? null,
  };
}

function reaches(
  change: Decimal,
  base: Base,
  { by, metric }: ChangeComparison,
  scene: Scene,
): boolean {
  return goneFar(change, base.value, by, amountOf(by, metric, scene));
}

/** A percentage of nothing has no size. */
function partOf(far: Decimal, whole: Decimal | null): Extent | null {
  return whole === null || isZero(whole) ? null : { far, of: absolute(whole) };
}

function number(value: unknown): Decimal | null {
  return value instanceof Decimal ? value : null;
}

function amountOf(by: Distance, metric: string, scene: Scene): Decimal | null {
  return by.kind === "percent" ? null : number(resolveLimit(by.limit, metric, scene));
}

/**
 * The direction in which the value has gone the rule's distance further than the furthest that
 * people were told (`worst`; null: that is not known); of `moves` also the other one, once the limit is reached there that far from the
 * value told last. Null: it is not worse.
 */
export function worseWay(rule: Rule, worst: Worst | null, now: Extents, scene: Scene): Way | null {
  const { worse } = rule;
  if (worse === null) return null;
  if (isSinceLast(worse.comparison)) return newsOfRound(worse, worst, now, scene);
  if (worst === null) return null;
  const then = extentOf(worst[worst.way]);
  const same = now[worst.way];
  if (then !== null && same !== null && isFurther(same, then, worse, scene)) return worst.way;
  const way = worst.way === "up" ? "down" : "up";
  if (worse.comparison.op !== "moves" || !now.reached[way]) return null;
  const other = now[way];
  const told = parseDecimal(worst.value);
  if (other === null || told === null) return null;
  return reachesBy(absolute(subtract(now.value, told)), other, worse, scene) ? way : null;
}

function isSinceLast(comparison: Comparison): boolean {
  return "span" in comparison && comparison.span.kind === "since_last";
}

/**
 * Since the last round: each round that is true is a change of its own, which no larger one before hides.
 * It is told if it is as far as the rule's distance, or if the value is by now that far from the one told.
 */
function newsOfRound(worse: WorseBy, worst: Worst | null, now: Extents, scene: Scene): Way | null {
  const way = now.reached.up ? "up" : now.reached.down ? "down" : null;
  const extent = way === null ? null : now[way];
  if (extent === null) return null;
  if (isOwnDistance(worse) || reachesBy(extent.far, extent, worse, scene)) return way;
  const told = worst === null ? null : parseDecimal(worst.value);
  if (told === null) return null;
  return reachesBy(absolute(subtract(now.value, told)), extent, worse, scene) ? way : null;
}

/** Whether the rule says no other distance than that of its change, which a change from nothing has. */
function isOwnDistance({ comparison, by }: WorseBy): boolean {
  return "by" in comparison && comparison.by === by;
}

function isFurther(now: Extent, then: Extent, { by, comparison }: WorseBy, scene: Scene): boolean {
  if (by.kind === "absolute") {
    const amount = amountOf(by, comparison.metric, scene);
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
  scene: Scene,
): boolean {
  if (by.kind === "percent") return compare(shift(way, 2), multiply(by.percent, of)) >= 0;
  const amount = amountOf(by, comparison.metric, scene);
  return amount !== null && compare(way, amount) >= 0;
}

/** What people have been told of how far it went, once they are told of `now`. */
export function worstAfter(worst: Worst | null, now: Extents, way: Way = now.way): Worst {
  return {
    up: way === "up" ? furthest(worst?.up ?? null, now.up) : (worst?.up ?? null),
    down: way === "down" ? furthest(worst?.down ?? null, now.down) : (worst?.down ?? null),
    value: now.value.toString(),
    way,
  };
}

function furthest(text: ExtentText | null, now: Extent | null): ExtentText | null {
  if (now === null) return text;
  const then = extentOf(text);
  const further =
    then === null || compare(multiply(now.far, then.of), multiply(then.far, now.of)) > 0;
  return further ? { far: now.far.toString(), of: now.of.toString() } : text;
}

function extentOf(text: ExtentText | null): Extent | null {
  if (text === null) return null;
  const far = parseDecimal(text.far);
  const of = parseDecimal(text.of);
  return far === null || of === null ? null : { far, of };
}
