import { HOUR, MINUTE } from "../base/duration.ts";
import type { UsdPrice } from "./usd-prices.ts";

/** The lowest and the highest price of a time. */
export interface PriceRange {
  readonly low: number;
  readonly high: number;
}

/** Besides both ends of every hour, a price is looked at every five minutes. */
const GRID = 5 * MINUTE;
/** Finished hours are kept so as not to be computed again: a year and some weeks. */
const KEPT_HOURS = 10_000;

/**
 * The range of a price from one time to another, both included (epoch ms). It is made of whole
 * hours where it holds any, so that a day reaches exactly as far as its hours do.
 */
export function priceRangeOf(price: UsdPrice): (from: number, to: number) => PriceRange {
  const finished = new Map<number, PriceRange>();

  const looked = (from: number, to: number): PriceRange => {
    let low = Math.min(price(from).usd, price(to).usd);
    let high = Math.max(price(from).usd, price(to).usd);
    for (let at = (Math.floor(from / GRID) + 1) * GRID; at < to; at += GRID) {
      const { usd } = price(at);
      low = Math.min(low, usd);
      high = Math.max(high, usd);
    }
    return { low, high };
  };

  const whole = (hour: number): PriceRange => {
    const kept = finished.get(hour);
    if (kept !== undefined) return kept;
    // The hour opens where the one before has closed.
    const range = looked(hour - 1, hour + HOUR - 1);
    if (finished.size >= KEPT_HOURS) finished.clear();
    finished.set(hour, range);
    return range;
  };

  return (from, to) => {
    let low = Number.POSITIVE_INFINITY;
    let high = Number.NEGATIVE_INFINITY;
    for (let hour = Math.floor(from / HOUR) * HOUR; hour <= to; hour += HOUR) {
      const isWhole = from <= hour && hour + HOUR - 1 <= to;
      const range = isWhole
        ? whole(hour)
        : looked(Math.max(from, hour - 1), Math.min(to, hour + HOUR - 1));
      low = Math.min(low, range.low);
      high = Math.max(high, range.high);
    }
    return { low, high };
  };
}
