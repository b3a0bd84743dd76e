import { compare, Decimal } from "../base/decimal.ts";
import type { Value } from "../model.ts";
import type { Base, Past } from "./window.ts";

/**
 * The values of a bucketed series by the start of their bucket. A later answer for a bucket
 * replaces its value; buckets count as they are, no neighbour has to confirm them. Never changed:
 * a round that learns something makes a new one.
 */
export class BucketSeries {
  static empty(bucketMs: number): BucketSeries {
    return new BucketSeries(bucketMs, [], []);
  }

  readonly bucketMs: number;
  readonly #starts: readonly number[];
  readonly #values: readonly (Value | null)[];

  private constructor(
    bucketMs: number,
    starts: readonly number[],
    values: readonly (Value | null)[],
  ) {
    this.bucketMs = bucketMs;
    this.#starts = starts;
    this.#values = values;
  }

  /** The newest answer for a bucket; null: it had no value; undefined: no such bucket. */
  get(start: number): Value | null | undefined {
    const index = this.#indexOf(start);
    return this.#starts[index] === start ? this.#values[index] : undefined;
  }

  /** With these buckets in place of what was known of them, and none older than `oldest`. */
  with(entries: Iterable<readonly [start: number, value: Value | null]>, oldest: number): BucketSeries {
    const merged = new Map<number, Value | null>();
    for (const [index, start] of this.#starts.entries()) {
      merged.set(start, this.#values[index] ?? null);
    }
    for (const [start, value] of entries) merged.set(start, value);
    const kept = [...merged].filter(([start]) => start >= oldest).sort((a, b) => a[0] - b[0]);
    return new BucketSeries(
      this.bucketMs,
      kept.map(([start]) => start),
      kept.map(([, value]) => value),
    );
  }

  /** The past as it looks from the bucket that starts at `date`. */
  before(date: number): Past {
    return new BucketPast(this.bucketMs, this.#starts, this.#values, this.#indexOf(date));
  }

  /** The place of the first bucket that starts at `start` or later. */
  #indexOf(start: number): number {
    let low = 0;
    let high = this.#starts.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#starts[middle] as number) < start) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

class BucketPast implements Past {
  readonly #bucketMs: number;
  readonly #starts: readonly number[];
  readonly #values: readonly (Value | null)[];
  readonly #end: number;

  constructor(
    bucketMs: number,
    starts: readonly number[],
    values: readonly (Value | null)[],
    end: number,
  ) {
    this.#bucketMs = bucketMs;
    this.#starts = starts;
    this.#values = values;
    this.#end = end;
  }

  lowest(from: number): Base | null {
    return this.#extreme(from, 1);
  }

  highest(from: number): Base | null {
    return this.#extreme(from, -1);
  }

  inForce(time: number): Base | null {
    for (let i = this.#end - 1; i >= 0; i -= 1) {
      if ((this.#starts[i] as number) <= time) {
        const value = this.#values[i];
        if (!(value instanceof Decimal) || time > this.#until(i)) return null;
        return { value, at: this.#starts[i] as number };
      }
    }
    return null;
  }

  first(): Base | null {
    for (let i = 0; i < this.#end; i += 1) {
      const value = this.#values[i];
      if (value instanceof Decimal) return { value, at: this.#starts[i] as number };
    }
    return null;
  }

  known(from: number, date: number): number {
    let known = 0;
    for (let i = this.#end - 1; i >= 0; i -= 1) {
      const until = Math.min(this.#third(i), this.#next(i), date);
      if (until <= from) break;
      if (!(this.#values[i] instanceof Decimal)) continue;
      known += Math.max(0, until - Math.max(from, this.#starts[i] as number));
    }
    return known;
  }

  #extreme(from: number, sign: 1 | -1): Base | null {
    let best: Base | null = null;
    for (let i = this.#end - 1; i >= 0 && this.#until(i) >= from; i -= 1) {
      const value = this.#values[i];
      if (!(value instanceof Decimal)) continue;
      if (best === null || compare(value, best.value) * sign < 0) {
        best = { value, at: this.#starts[i] as number };
      }
    }
    return best;
  }

  /** The last moment at which bucket `i` is in force: the next one begins or three have passed. */
  #until(i: number): number {
    return Math.min(this.#third(i), this.#next(i) - 1);
  }

  #third(i: number): number {
    return (this.#starts[i] as number) + 3 * this.#bucketMs;
  }

  #next(i: number): number {
    return i + 1 < this.#end ? (this.#starts[i + 1] as number) : Number.POSITIVE_INFINITY;
  }
}
