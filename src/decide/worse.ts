import {
  absolute,
  compare,
  type Decimal,
  multiply,
  parseDecimal,
  shift,
  subtract,
} from "../base/decimal.ts";
import type { Comparison, ExtentText, Rule, Way, WorseBy, Worst } from "../model/index.ts";
import type { Evidence } from "./event.ts";
import {
  amountOf,
  type Extent,
  type Extents,
  measuredOn,
  measureFrom,
  measureLevel,
} from "./extent.ts";
import type { EvaluationContext } from "./windows/evaluation-context.ts";

/**
 * The direction in which the value has gone the rule's distance further than the furthest that
 * people were told (`worst`; null: that is not known). Null: it is not worse, as where it has only swung
 * the other way.
 */
export function worseWay(
  { worse }: Rule,
  worst: Worst | null,
  now: Extents,
  scene: EvaluationContext,
): Way | null {
  if (worse === null) return null;
  const { comparison } = worse;
  if (isSinceLast(comparison)) {
    const way = now.reached.up ? "up" : now.reached.down ? "down" : null;
    return way !== null && isNewsOfRound(worse, worst, now, way, scene) ? way : null;
  }
  if (worst === null) return null;
  const { way } = worst;
  const then = extentOf(worst[way]);
  const far = now.fromTold ?? now[way];
  if (then === null || far === null) return null;
  if (comparison.op === "moves" && !now.reached[way]) return null;
  return isFurther(far, then, worse, scene) ? way : null;
}

function isSinceLast(comparison: Comparison): boolean {
  return "span" in comparison && comparison.span.kind === "since_last";
}

/**
 * Since the last round: each round that is true is a change of its own, which no larger one before hides.
 * It is told if it is as far as the rule's distance, or if the value is by now that far from the one told.
 */
function isNewsOfRound(
  worse: WorseBy,
  worst: Worst | null,
  now: Extents,
  way: Way,
  scene: EvaluationContext,
): boolean {
  const extent = now[way];
  if (extent === null) return false;
  if (isOwnDistance(worse) || reachesBy(extent.far, extent, worse, scene)) return true;
  const told = worst === null ? null : parseDecimal(worst.value);
  return told !== null && reachesBy(absolute(subtract(now.value, told)), extent, worse, scene);
}

/** Whether the rule says no other distance than that of its change, which a change from nothing has. */
function isOwnDistance({ comparison, by }: WorseBy): boolean {
  return "by" in comparison && comparison.by === by;
}

function isFurther(
  now: Extent,
  then: Extent,
  { by, comparison }: WorseBy,
  scene: EvaluationContext,
): boolean {
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
  scene: EvaluationContext,
): boolean {
  if (by.kind === "percent") return compare(shift(way, 2), multiply(by.percent, of)) >= 0;
  const amount = amountOf(by, comparison.metric, scene);
  return amount !== null && compare(way, amount) >= 0;
}

/** What people have been told of how far it went, once they are told of `now`. */
export function worstAfter(worst: Worst | null, now: Extents, way: Way = now.way): Worst {
  const far = (worst === null ? null : now.fromTold) ?? now[way];
  const known = worst?.way === way ? worst : null;
  const base = known?.base ?? now.bases[way]?.toString() ?? null;
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

/** What is told of a firing that is not measured now: an edit of its rule may ask for it later. */
export function worstOf({ comparison, value, base }: Evidence): Worst | null {
  if (typeof value !== "object") return null;
  const from = "span" in comparison && typeof base === "object" ? base : null;
  const way = from !== null && compare(value, from) < 0 ? "down" : "up";
  const on = measuredOn(comparison, null);
  const text = value.toString();
  return { up: null, down: null, value: text, way, base: from?.toString() ?? null, on };
}

/**
 * What people were told of how far it went, as the rule measures now: after an edit the value that they
 * were told is measured anew. Null: nothing that could be.
 */
export function worstTold(
  { worse }: Rule,
  worst: Worst | null,
  scene: EvaluationContext,
): Worst | null {
  if (worst === null || worse === null) return worst;
  const { comparison, by } = worse;
  // What earlier versions wrote was forgotten with every edit.
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
      : measureLevel(worse, value, scene);
  if (extent === null || isOtherWay(comparison, way)) return null;
  const text = textOf(extent);
  return { ...worst, up: way === "up" ? text : null, down: way === "down" ? text : null, way };
}

/** What was told of a rise says nothing of a fall. */
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
