import { type Decimal, decimalFromInteger, divide } from "../base/decimal.ts";

/** A position's range [lower, upper) and the tick of its pool; lower < upper. */
export interface TickRange {
  readonly lower: number;
  readonly upper: number;
  readonly tick: number;
}

/**
 * Digits after the point of `range_position`. Ranges span at most 1,774,544 ticks, so that a
 * fraction of one differs from every limit of up to eleven digits by more than the rounding.
 */
const POSITION_SCALE = 18;

export function isInRange({ lower, upper, tick }: TickRange): boolean {
  return lower <= tick && tick < upper;
}

/** On which side of the range the price is; `inverted`: the price that falls when the tick rises. */
export function sideOfRange(range: TickRange, inverted: boolean): "below" | "in" | "above" {
  if (isInRange(range)) return "in";
  return range.tick < range.lower !== inverted ? "below" : "above";
}

/**
 * How many ticks the price must move to cross the nearest edge: positive inside (the move that
 * leads out), negative outside (the move that leads in), never 0.
 */
export function ticksToEdge({ lower, upper, tick }: TickRange): number {
  if (tick < lower) return tick - lower;
  if (tick >= upper) return upper - 1 - tick;
  return Math.min(tick - lower + 1, upper - tick);
}

/** Where the price is, from 0 at the lower to 1 at the upper edge, below 0 or above 1 outside. */
export function rangePosition({ lower, upper, tick }: TickRange, inverted: boolean): Decimal {
  const done = decimalFromInteger(inverted ? upper - tick : tick - lower);
  return divide(done, decimalFromInteger(upper - lower), POSITION_SCALE);
}
