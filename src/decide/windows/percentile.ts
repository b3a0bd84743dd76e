import { compare, Decimal, pow10 } from "../../base/decimal.ts";
import type { Schedule } from "../../base/schedule.ts";
import type { Value } from "../../model/index.ts";
import { type Points, SampledWindow } from "./sampled.ts";

/** A value, and for how many milliseconds of a window it was in force. */
interface Level {
  readonly value: Decimal;
  ms: number;
}

/** A past that knows for how long each value was in force. */
export interface Percentiles {
  /** The percentile of [from, date); null if less than half of it is known. */
  percentile(percentile: Decimal, from: number, date: number): Decimal | null;
}

/**
 * The smallest x such that values ≤ x were in force for at least `percentile` percent (above 0, at
 * most 100) of the known time; null if nothing is known. `levels` ascend by value.
 */
export function percentileOf(levels: readonly Level[], percentile: Decimal): Decimal | null {
  const known = levels.reduce((sum, { ms }) => sum + ms, 0);
  const need = shareOf(percentile, known);
  let sum = 0;
  for (const { value, ms } of levels) {
    sum += ms;
    if (sum >= need) return value;
  }
  return null;
}

/** The least whole number of milliseconds that is at least `percentile` percent of `ms`; exact. */
function shareOf(percentile: Decimal, ms: number): number {
  const whole = 100n * pow10(percentile.scale);
  return Number((percentile.digits * BigInt(ms) + whole - 1n) / whole);
}

/** So many intervals at the front are let go of at once. */
const SPARE = 1_024;

/** So far one looks for a level that holds nothing, to use its place. */
const NEAR = 32;

/** Fewer levels than these that hold nothing any more are left where they are. */
const FEWEST_EMPTY = 64;

/**
 * The past of a state series for percentiles: every value as it was observed, with the time for
 * which it was in force. Values are kept in order, each with its time, and the place that was found last is where the
 * next search begins: from round to round a percentile moves by a value or two.
 */
export class PercentileWindow extends SampledWindow implements Percentiles {
  readonly #scheduleKey: string;
  /** By value, ascending, no value twice; some may hold nothing. */
  #levels: Level[] = [];
  /** How many of them hold nothing. */
  #empty = 0;
  /** A place among them, and what those before it hold together. */
  #at = 0;
  #below = 0;
  /** The place that was looked for last. */
  #found = 0;
  /** What they hold together. */
  #closedMs = 0;
  /** What is over, oldest first from `#head` on: three lists, which take a third of the room. */
  #starts: number[] = [];
  #ends: number[] = [];
  #held: Level[] = [];
  #head = 0;
  /** The newest run with a value; not among the levels yet. */
  #value: Decimal | null = null;
  #from = 0;
  #last = 0;
  /** When "no data" began that is newer than the newest value; null: there is none. */
  #nothingSince: number | null = null;

  /** Remembers at least `spanMs` milliseconds. */
  constructor(spanMs: number, schedule: Pick<Schedule, "key" | "third">, points?: Points) {
    super(schedule, points, spanMs);
    this.#scheduleKey = schedule.key;
  }

  /** Whether one of its series with this span and schedule would be the same. */
  is(spanMs: number, { key }: Pick<Schedule, "key">): boolean {
    return this.spanMs === spanMs && this.#scheduleKey === key;
  }

  /** Forgets everything. */
  override clear(): void {
    this.#levels = [];
    this.#empty = 0;
    this.#at = 0;
    this.#below = 0;
    this.#found = 0;
    this.#closedMs = 0;
    this.#starts = [];
    this.#ends = [];
    this.#held = [];
    this.#head = 0;
    this.#value = null;
  }

  /** Takes a value that was observed from `first` to `last`; what is no number is "no data". */
  override load(first: number, last: number, value: Value | null): void {
    if (!(value instanceof Decimal)) {
      this.#nothingSince ??= first;
      return;
    }
    if (this.#value !== null) {
      const end = Math.min(this.third(this.#last), this.#nothingSince ?? first);
      const unbroken = this.#nothingSince === null && end === first;
      if (unbroken && compare(value, this.#value) === 0) {
        this.#last = last;
        return;
      }
      this.#close(this.#value, end);
      this.#forget(last - this.spanMs);
    }
    this.#value = value;
    this.#from = first;
    this.#last = last;
    this.#nothingSince = null;
  }

  /**
   * The percentile of [from, date), in which the sample of `date` has no part yet; null if less than
   * half of it is known.
   */
  percentile(percentile: Decimal, from: number, date: number): Decimal | null {
    if (this.#value === null) return null;
    const end = Math.min(this.third(this.#last), this.#nothingSince ?? date, date);
    const newestMs = Math.max(0, end - Math.max(this.#from, from));
    this.#clip(from, -1);
    const known = this.#closedMs + newestMs;
    const isHalf = known * 2 >= date - from;
    const found = isHalf ? this.#reached(shareOf(percentile, known), this.#value, newestMs) : null;
    this.#clip(from, 1);
    return found;
  }

  /** The least value at or below which the levels and the newest value were in force for `need` milliseconds together. */
  #reached(need: number, newest: Decimal, newestMs: number): Decimal | null {
    // The first level up to which, it included, they were.
    while (this.#at > 0) {
      const level = this.#levels[this.#at - 1];
      if (level === undefined || this.#below + this.#newestIn(level, newest, newestMs) < need)
        break;
      this.#at -= 1;
      this.#below -= level.ms;
    }
    let level = this.#levels[this.#at];
    while (level !== undefined) {
      if (this.#below + level.ms + this.#newestIn(level, newest, newestMs) >= need) break;
      this.#at += 1;
      this.#below += level.ms;
      level = this.#levels[this.#at];
    }
    // All below this level held less, and so does the newest value unless it lies between them and this level.
    const isNext = level === undefined || compare(newest, level.value) < 0;
    if (isNext && this.#below + newestMs >= need) return newest;
    return level?.value ?? null;
  }

  #newestIn(level: Level, newest: Decimal, newestMs: number): number {
    return compare(newest, level.value) <= 0 ? newestMs : 0;
  }

  #close(value: Decimal, end: number): void {
    if (end <= this.#from) return;
    const level = this.#levelAt(value);
    this.#change(level, end - this.#from);
    this.#starts.push(this.#from);
    this.#ends.push(end);
    this.#held.push(level);
  }

  /** Gives a level so many milliseconds, or takes them from it. */
  #change(level: Level, ms: number): void {
    level.ms += ms;
    this.#closedMs += ms;
    const here = this.#levels[this.#at];
    if (here === undefined || compare(level.value, here.value) < 0) this.#below += ms;
  }

  /** Takes what lies before `from` out of the levels (-1), or gives it back to them (1). */
  #clip(from: number, sign: -1 | 1): void {
    for (let i = this.#head; i < this.#held.length; i += 1) {
      const start = this.#starts[i] ?? from;
      const level = this.#held[i];
      if (start >= from || level === undefined) return;
      this.#change(level, sign * (Math.min(this.#ends[i] ?? from, from) - start));
    }
  }

  #forget(from: number): void {
    for (; (this.#ends[this.#head] ?? Number.POSITIVE_INFINITY) <= from; this.#head += 1) {
      const level = this.#held[this.#head];
      if (level === undefined) continue;
      this.#change(level, (this.#starts[this.#head] ?? 0) - (this.#ends[this.#head] ?? 0));
      if (level.ms === 0) this.#empty += 1;
    }
    this.#tidy();
    if (this.#head < SPARE) return;
    // In place, since lists that grow anew are copied on and on.
    this.#starts.splice(0, this.#head);
    this.#ends.splice(0, this.#head);
    this.#held.splice(0, this.#head);
    this.#head = 0;
  }

  /** The level of a value, which is there from now on. */
  #levelAt(value: Decimal): Level {
    const index = this.#indexOf(value);
    const known = this.#levels[index];
    if (known !== undefined && compare(known.value, value) === 0) {
      if (known.ms === 0) this.#empty -= 1;
      return known;
    }
    const level = { value, ms: 0 };
    this.#insert(index, level);
    return level;
  }

  /**
   * Puts a level that holds nothing before the one at `index`. It takes the place of one that holds nothing any more
   * where one is near, so that only those between the two move.
   */
  #insert(index: number, level: Level): void {
    const levels = this.#levels;
    const end = Math.min(levels.length, index + NEAR);
    for (let empty = index; empty < end; empty += 1) {
      if (levels[empty]?.ms !== 0) continue;
      for (let i = empty; i > index; i -= 1) levels[i] = levels[i - 1] ?? level;
      levels[index] = level;
      this.#empty -= 1;
      if (index <= this.#at && this.#at <= empty) this.#at += 1;
      return;
    }
    levels.splice(index, 0, level);
    if (index <= this.#at) this.#at += 1;
  }

  /** Lets go of levels that hold nothing once they are many. */
  #tidy(): void {
    if (this.#empty < FEWEST_EMPTY || this.#empty * 8 < this.#levels.length) return;
    this.#levels = this.#levels.filter(({ ms }) => ms > 0);
    this.#empty = 0;
    this.#at = 0;
    this.#below = 0;
  }

  /** The place of the first level that is not below the value; mostly it is near the one that was found before. */
  #indexOf(value: Decimal): number {
    const levels = this.#levels;
    const isBelow = (index: number): boolean => {
      const level = levels[index];
      return level !== undefined && compare(level.value, value) < 0;
    };
    let low = 0;
    let high = levels.length;
    let step = 1;
    let at = Math.min(this.#found, levels.length - 1);
    if (isBelow(at)) {
      for (; at < high && isBelow(at); step *= 2) {
        low = at + 1;
        at += step;
      }
      high = Math.min(high, at);
    } else {
      for (; at >= low && !isBelow(at); step *= 2) {
        high = at;
        at -= step;
      }
      low = Math.max(low, at + 1);
    }
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (isBelow(middle)) low = middle + 1;
      else high = middle;
    }
    this.#found = low;
    return low;
  }
}
