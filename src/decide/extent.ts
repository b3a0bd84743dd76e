import {
  absolute,
  compare,
  Decimal,
  isZero,
  negate,
  parseDecimal,
  subtract,
} from "../base/decimal.ts";
import type {
  ChangeComparison,
  Comparison,
  Distance,
  Rule,
  Way,
  WorseBy,
  Worst,
} from "../model/index.ts";
import { resolveLimit } from "./limit.ts";
import { goneFar, judgeChange, largerWay } from "./windows/change.ts";
import type { EvaluationContext } from "./windows/evaluation-context.ts";
import type { Base } from "./windows/sampled.ts";

/** `far` of `of`, never rounded: of a percentage the base, else one. */
export interface Extent {
  readonly far: Decimal;
  readonly of: Decimal;
}

/** How far a value has gone at one date, for `worse`. */
export interface Extents {
  readonly value: Decimal;
  /** `moves` goes both ways; everything else has one of them. */
  readonly up: Extent | null;
  readonly down: Extent | null;
  /** The direction that speaks: of `moves` the larger one of those that reach the limit. */
  readonly way: Way;
  /** Changes: whether the limit is reached in that direction. */
  readonly reached: { readonly up: boolean; readonly down: boolean };
  /** Changes: what is measured from in that direction. */
  readonly bases: { readonly up: Decimal | null; readonly down: Decimal | null };
  /** `moves`: from the base that people were told, in the direction that they were told. */
  readonly fromTold: Extent | null;
  /** What this is measured on: only what is measured on the same can be compared. */
  readonly on: string;
}

const ONE = new Decimal(1n, 0);
const NEITHER: Extents["reached"] = { up: false, down: false };
const NO_BASES: Extents["bases"] = { up: null, down: null };

/** What an extent is measured on: the metric first, then the comparison and the kind of distance. */
export function measuredOn({ metric, op }: Comparison, by: Distance["kind"] | null): string {
  return [metric, op, ...(by === null ? [] : [by])].join(" ");
}

/**
 * How far the value that `worse` is measured on has gone; null: that is not known. `worst`: what
 * people were told of it.
 */
export function measure(
  { worse }: Rule,
  scene: EvaluationContext,
  worst: Worst | null = null,
): Extents | null {
  if (worse === null) return null;
  const { comparison, by } = worse;
  const value = scene.value(comparison.metric);
  if (!(value instanceof Decimal)) return null;
  if ("span" in comparison) return measureChange(worse, comparison, value, scene, worst);
  const up = measureLevel(worse, value, scene);
  const on = measuredOn(comparison, by.kind);
  return up === null
    ? null
    : { value, up, down: null, way: "up", reached: NEITHER, bases: NO_BASES, fromTold: null, on };
}

/** How far beyond its limit a level is; null: that is not known, or it has no direction. */
export function measureLevel(
  { by, comparison }: WorseBy,
  value: Decimal,
  scene: EvaluationContext,
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
  scene: EvaluationContext,
  worst: Worst | null,
): Extents | null {
  const { op } = comparison;
  const { lowest, highest } = basesOf(comparison, value, scene);
  const low = op === "falls" ? null : (lowest?.value ?? null);
  const high = op === "rises" ? null : (highest?.value ?? null);
  const rise = low === null ? null : { change: subtract(value, low), base: low };
  const fall = high === null ? null : { change: subtract(high, value), base: high };
  const from = (way: Way, base: Decimal | null): Extent | null =>
    base === null ? null : measureFrom(base, value, way, by, comparison);
  const up = from("up", low);
  const down = from("down", high);
  if (up === null && down === null) return null;
  const amount = amountOf(comparison.by, comparison.metric, scene);
  const reaches = (one: typeof rise): boolean =>
    one !== null && goneFar(one.change, one.base, comparison.by, amount);
  const reached = { up: reaches(rise), down: reaches(fall) };
  const both = reached.up && reached.down && rise !== null && fall !== null;
  const single: Way = up === null || (reached.down && !reached.up) ? "down" : "up";
  const way = both ? largerWay(rise, fall, comparison.by) : single;
  const swings = op === "moves" && comparison.span.kind !== "since_last";
  const told = swings && worst !== null ? parseDecimal(worst.base ?? "") : null;
  const fromTold = worst === null ? null : from(worst.way, told);
  const bases = { up: low, down: high };
  return { value, up, down, way, reached, bases, fromTold, on: measuredOn(comparison, by.kind) };
}

/** How far a value has gone from a base in one direction. */
export function measureFrom(
  base: Decimal,
  value: Decimal,
  way: Way,
  by: Distance,
  { span }: ChangeComparison,
): Extent | null {
  const far = way === "up" ? subtract(value, base) : subtract(base, value);
  // Of a change from nothing there is no part, and yet it is one that is told.
  return by.kind === "absolute" || (span.kind === "since_last" && isZero(base))
    ? { far, of: ONE }
    : partOf(far, base);
}

function basesOf(
  comparison: ChangeComparison,
  value: Decimal,
  scene: EvaluationContext,
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

/** A percentage of nothing has no size. */
function partOf(far: Decimal, whole: Decimal | null): Extent | null {
  return whole === null || isZero(whole) ? null : { far, of: absolute(whole) };
}

function number(value: unknown): Decimal | null {
  return value instanceof Decimal ? value : null;
}

/** The size of a distance in the metric's own unit; null for percentages, and while it is not known. */
export function amountOf(by: Distance, metric: string, scene: EvaluationContext): Decimal | null {
  return by.kind === "percent" ? null : number(resolveLimit(by.limit, metric, scene));
}
