import { MINUTE } from "../../../base/duration.ts";

/** Where things stand in a picture: pure arithmetic in doubles, since a pixel decides nothing. */

/** One value of a series; `at` in epoch milliseconds, null where there was no data. */
export interface Point {
  readonly at: number;
  readonly value: number | null;
}

/** From `from` to `to`, epoch milliseconds. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

export interface Extent {
  readonly low: number;
  readonly high: number;
}

/** A picture of values that hardly move shows them flat: it spans this share of the value at least. */
const LEAST_SHARE = 0.0012;

/** Low and high of all that must be seen, widened so that what is flat looks flat; null: nothing is. */
export function extentOf(values: readonly (number | null)[]): Extent | null {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const value of values) {
    if (value === null || !Number.isFinite(value)) continue;
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  if (low > high) return null;
  const middle = low / 2 + high / 2;
  const least = Math.abs(middle) * LEAST_SHARE || 1;
  return high - low >= least
    ? { low, high }
    : { low: middle - least / 2, high: middle + least / 2 };
}

/** A value's place in 0…1 of its extent; outside of it if the value is. */
export function shareOf(value: number, { low, high }: Extent): number {
  return (value - low) / (high - low);
}

/** A time's place in 0…1 of the span, cut at its ends. */
export function timeShare(at: number, { from, to }: Span): number {
  return to <= from ? 0 : Math.min(1, Math.max(0, (at - from) / (to - from)));
}

/** `12.5%`, for attributes. */
export function percent(share: number): string {
  return `${trim(share * 100, 2)}%`;
}

/** A number with so many places at most and no trailing zeros: what is not seen costs bytes only. */
export function trim(value: number, places = 1): number {
  const power = 10 ** places;
  return Math.round(value * power) / power;
}

/** Round values for an axis, at most `most` of them, all within the extent. */
export function axisValues({ low, high }: Extent, most: number): number[] {
  const length = high - low;
  if (!(length > 0) || !Number.isFinite(length)) return [];
  const power = 10 ** Math.floor(Math.log10(length / Math.max(1, most)));
  for (const times of [1, 2, 2.5, 5, 10, 20]) {
    const step = times * power;
    const first = Math.ceil(low / step - 1e-9);
    const count = Math.floor(high / step + 1e-9) - first + 1;
    if (count <= most) return Array.from({ length: count }, (_, i) => (first + i) * step);
  }
  return [];
}

/**
 * From how long a silence on a line is broken: three times what usually lies between two values, and never less
 * than five minutes. `apart` are the times between them in milliseconds.
 */
export function gapFrom(apart: readonly number[], step: number): number {
  const sorted = apart.filter((ms) => ms > 0).toSorted((a, b) => a - b);
  const usual = sorted[Math.floor(sorted.length / 2)] ?? 0;
  return Math.max(5 * MINUTE, 2.5 * step, 3 * usual);
}

/** The parts of `spans` that lie in `whole`, each at least as long as `least` of it so that it is seen. */
export function within(spans: readonly Span[], whole: Span, least = 0): Span[] {
  const shortest = (whole.to - whole.from) * least;
  return spans
    .filter(({ from, to }) => to >= whole.from && from <= whole.to)
    .map(({ from, to }) => {
      const end = Math.min(to, whole.to);
      const start = Math.max(from, whole.from);
      return { from: Math.max(whole.from, Math.min(start, end - shortest)), to: end };
    });
}
