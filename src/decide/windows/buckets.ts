import { compare, Decimal } from "../../base/decimal.ts";
import type { Value } from "../../model/index.ts";
import { type Percentiles, percentileOf } from "./percentile.ts";
import { type Base, UnchangedWindow, type WindowHistory } from "./sampled.ts";

interface Bucket {
  readonly start: number;
  readonly value: Value | null;
}

/**
 * The values of a bucketed series by the start of their bucket. A later answer for a bucket replaces its value; buckets
 * need no confirmation by a neighbour. Immutable: a round that learns something makes a new one.
 */
export class BucketSeries {
  static empty(bucketMs: number): BucketSeries {
    return new BucketSeries(bucketMs, []);
  }

  private constructor(
    private readonly bucketMs: number,
    /** Oldest first. */
    private readonly buckets: readonly Bucket[],
  ) {}

  /** The newest answer for a bucket; null: it had no value; undefined: no such bucket. */
  get(start: number): Value | null | undefined {
    const bucket = this.buckets[this.#indexOf(start)];
    return bucket?.start === start ? bucket.value : undefined;
  }

  /**
   * With these buckets in place of their former values. Of those older than `oldest` the newest one stays, because it
   * shows that the series is not young.
   */
  with(
    entries: Iterable<readonly [start: number, value: Value | null]>,
    oldest: number,
  ): BucketSeries {
    const merged = new Map(this.buckets.map(({ start, value }) => [start, value]));
    for (const [start, value] of entries) merged.set(start, value);
    const all = [...merged].toSorted(([a], [b]) => a - b);
    const kept = all.slice(
      Math.max(
        0,
        all.findLastIndex(([start]) => start < oldest),
      ),
    );
    return new BucketSeries(
      this.bucketMs,
      kept.map(([start, value]) => ({ start, value })),
    );
  }

  /** The newest bucket before `start`, if it has a value. */
  previous(start: number): { readonly value: Value; readonly at: number } | null {
    const bucket = this.buckets[this.#indexOf(start) - 1];
    if (bucket === undefined || bucket.value === null) return null;
    return { value: bucket.value, at: bucket.start };
  }

  /** The newest bucket that has a value and is at least so old at `now`. */
  newest(now: number, minAgeMs: number): { readonly value: Value; readonly at: number } | null {
    for (let i = this.buckets.length - 1; i >= 0; i -= 1) {
      const bucket = this.buckets[i];
      if (bucket === undefined || bucket.value === null || now - bucket.start < minAgeMs) continue;
      return { value: bucket.value, at: bucket.start };
    }
    return null;
  }

  /** The past as seen from the bucket that starts at `date`. */
  before(date: number): WindowHistory & Percentiles {
    return new BucketPast(this.bucketMs, this.buckets, this.#indexOf(date));
  }

  /** Whether the buckets up to the one at `date`, which has this value, have had it for `ms`. */
  unchanged(value: Value, date: number, ms: number): boolean | null {
    const still = new UnchangedWindow({ third: (start) => start + 3 * this.bucketMs });
    for (const bucket of this.buckets.slice(0, this.#indexOf(date))) {
      still.load(bucket.start, bucket.start, bucket.value);
    }
    return still.unchanged(value, date, ms);
  }

  /** The index of the first bucket that starts at `start` or later. */
  #indexOf(start: number): number {
    let low = 0;
    let high = this.buckets.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.buckets[middle]?.start ?? start) < start) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** The buckets before one of them, each in force until the next begins or three have passed. */
class BucketPast implements WindowHistory, Percentiles {
  readonly #held: readonly { start: number; end: number; next: number; value: Value | null }[];

  constructor(bucketMs: number, buckets: readonly Bucket[], count: number) {
    this.#held = buckets.slice(0, count).map(({ start, value }, i) => {
      const next = i + 1 < count ? buckets[i + 1]?.start : undefined;
      return { start, value, end: start + 3 * bucketMs, next: next ?? Number.POSITIVE_INFINITY };
    });
  }

  lowest(from: number): Base | null {
    return this.#extreme(from, 1);
  }

  highest(from: number): Base | null {
    return this.#extreme(from, -1);
  }

  inForce(time: number): Base | null {
    const held = this.#held.findLast(({ start }) => start <= time);
    if (held === undefined || time > held.end) return null;
    return held.value instanceof Decimal ? { value: held.value, at: held.start } : null;
  }

  first(from: number, date: number): Base | null {
    const [oldest] = this.#held;
    if (oldest === undefined || oldest.start <= from) return null;
    let first: Base | null = null;
    let end = oldest.end;
    for (const held of this.#held) {
      if (!(held.value instanceof Decimal)) continue;
      if (held.start > end) return null;
      first ??= { value: held.value, at: held.start };
      end = held.end;
    }
    return date > end ? null : first;
  }

  known(from: number, date: number): number {
    let known = 0;
    for (const { start, end, next, value } of this.#held) {
      if (!(value instanceof Decimal)) continue;
      known += Math.max(0, Math.min(end, next, date) - Math.max(from, start));
    }
    return known;
  }

  /** The percentile of [from, date); null if less than half of it is known. */
  percentile(percentile: Decimal, from: number, date: number): Decimal | null {
    if (this.known(from, date) * 2 < date - from) return null;
    const levels: { value: Decimal; ms: number }[] = [];
    for (const { start, end, next, value } of this.#held) {
      const ms = Math.min(end, next, date) - Math.max(from, start);
      if (value instanceof Decimal && ms > 0) levels.push({ value, ms });
    }
    levels.sort((a, b) => compare(a.value, b.value));
    return percentileOf(levels, percentile);
  }

  #extreme(from: number, sign: 1 | -1): Base | null {
    let best: Base | null = null;
    for (const { start, end, next, value } of this.#held) {
      if (!(value instanceof Decimal) || Math.min(end, next - 1) < from) continue;
      if (best === null || compare(value, best.value) * sign < 0) best = { value, at: start };
    }
    return best;
  }
}
