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
  if (known <= 0) return null;
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

/**
 * The past of a state series for percentiles: every value as it was observed, with the time for
 * which it was in force. Values are kept in order, each with its time, so that a round costs one
 * search and one walk over the distinct values, whatever has come and gone.
 */
export class PercentileWindow extends SampledWindow implements Percentiles {
  readonly #spanMs: number;
  readonly #scheduleKey: string;
  /** By value, ascending, no value twice. */
  readonly #levels: Level[] = [];
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
    super(schedule, points);
    this.#spanMs = spanMs;
    this.#scheduleKey = schedule.key;
  }

  /** Whether one of its series with this span and schedule would be the same. */
  is(spanMs: number, { key }: Pick<Schedule, "key">): boolean {
    return this.#spanMs === spanMs && this.#scheduleKey === key;
  }

  /** Forgets everything. */
  override clear(): void {
    this.#levels.length = 0;
    this.#closedMs = 0;
    this.#starts = [];
    this.#ends = [];
    this.#held = [];
    this.#head = 0;
    this.#value = null;
    this.#nothingSince = null;
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
      this.#forget(last - this.#spanMs);
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
    const newest = { value: this.#value, ms: Math.max(0, end - Math.max(this.#from, from)) };
    const undo = this.#clip(from);
    const known = this.#closedMs + newest.ms;
    const isHalf = known > 0 && known * 2 >= date - from;
    const found = isHalf ? this.#reached(shareOf(percentile, known), known, newest) : null;
    undo();
    return found;
  }

  /**
   * The least value at or below which the levels and the newest one, `known` milliseconds together, were in force for
   * `need` of them. The walk begins at the end that is nearer.
   */
  #reached(need: number, known: number, newest: Level): Decimal | null {
    const at = this.#indexOf(newest.value);
    const count = this.#levels.length + 1;
    const levelAt = (place: number): Level | undefined =>
      place === at ? newest : this.#levels[place < at ? place : place - 1];
    if (need * 2 <= known) {
      let sum = 0;
      for (let place = 0; place < count; place += 1) {
        const level = levelAt(place);
        sum += level?.ms ?? 0;
        if (level !== undefined && sum >= need) return level.value;
      }
      return null;
    }
    let above = 0;
    for (let place = count - 1; place >= 0; place -= 1) {
      const level = levelAt(place);
      above += level?.ms ?? 0;
      if (level !== undefined && above > known - need) return level.value;
    }
    return null;
  }

  #close(value: Decimal, end: number): void {
    if (end <= this.#from) return;
    const level = this.#levelAt(value);
    level.ms += end - this.#from;
    this.#closedMs += end - this.#from;
    this.#starts.push(this.#from);
    this.#ends.push(end);
    this.#held.push(level);
  }

  /** Takes what lies before `from` out of the levels; returns how it comes back. */
  #clip(from: number): () => void {
    const clipped: (readonly [Level, number])[] = [];
    for (let i = this.#head; i < this.#held.length; i += 1) {
      const [start = from, end = from, level] = [this.#starts[i], this.#ends[i], this.#held[i]];
      if (start >= from || level === undefined) break;
      const ms = Math.min(end, from) - start;
      level.ms -= ms;
      this.#closedMs -= ms;
      clipped.push([level, ms]);
    }
    return () => {
      for (const [level, ms] of clipped) {
        level.ms += ms;
        this.#closedMs += ms;
      }
    };
  }

  #forget(from: number): void {
    for (; (this.#ends[this.#head] ?? Number.POSITIVE_INFINITY) <= from; this.#head += 1) {
      const level = this.#held[this.#head];
      const [start = 0, end = 0] = [this.#starts[this.#head], this.#ends[this.#head]];
      if (level === undefined) continue;
      level.ms -= end - start;
      this.#closedMs -= end - start;
      this.#drop(level);
    }
    if (this.#head < SPARE) return;
    this.#starts = this.#starts.slice(this.#head);
    this.#ends = this.#ends.slice(this.#head);
    this.#held = this.#held.slice(this.#head);
    this.#head = 0;
  }

  /** The level of a value, which is there from now on. */
  #levelAt(value: Decimal): Level {
    const index = this.#indexOf(value);
    const known = this.#levels[index];
    if (known !== undefined && compare(known.value, value) === 0) return known;
    const level = { value, ms: 0 };
    this.#levels.splice(index, 0, level);
    return level;
  }

  /** Takes a level away once nothing is left of it. */
  #drop(level: Level): void {
    if (level.ms > 0) return;
    const index = this.#indexOf(level.value);
    if (this.#levels[index] === level) this.#levels.splice(index, 1);
  }

  /** The place of the first level that is not below the value. */
  #indexOf(value: Decimal): number {
    let low = 0;
    let high = this.#levels.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const level = this.#levels[middle];
      if (level !== undefined && compare(level.value, value) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
