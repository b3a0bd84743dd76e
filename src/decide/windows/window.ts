import { compare, Decimal } from "../../base/decimal.ts";
import type { Schedule } from "../../base/schedule.ts";
import type { Value } from "../../model/index.ts";
import { type Base, type Points, SampledWindow, type WindowHistory } from "./sampled.ts";

/** What a window must remember for its comparison. */
export type WindowNeed = "lowest" | "highest" | "both" | "trail";

/** A time without a value in force between two values. */
interface Hole {
  readonly from: number;
  readonly to: number;
}

/** Shared by all windows of series that were observed in every round. */
const NO_HOLES: readonly Hole[] = [];

/**
 * The past of a state series: runs of equal values in the order of their rounds. A value counts
 * once the next observation has confirmed it (the median of the three), so that one absurd answer
 * is never a base; a value seen in two rounds confirms itself.
 */
export class StateWindow extends SampledWindow implements WindowHistory {
  // The confirmed values, as far as the need requires; null before the first change.
  #low: ExtremeQueue | null = null;
  #high: ExtremeQueue | null = null;
  #trail: Trail | null = null;
  #holes = NO_HOLES;
  /** When the first value was observed. */
  #begun = 0;
  /** The first value; kept only with a trail. */
  #first: Decimal | null = null;
  /** The first observation, of a value or of none; null: there was none. */
  #since: number | null = null;
  /** There was no value for more than three intervals. */
  #holed = false;
  /** The newest run with a value, not in the queues yet. */
  #value: Decimal | null = null;
  #from = 0;
  #last = 0;
  /** The value of the run before it. */
  #before: Decimal | null = null;
  /** Since when there is no data after the newest value; null: there is data. */
  #nothingSince: number | null = null;

  /** Remembers what `need` requires of at least `spanMs` milliseconds. */
  constructor(
    private readonly need: WindowNeed,
    spanMs: number,
    schedule: Pick<Schedule, "third">,
    points?: Points,
  ) {
    super(schedule, points, spanMs);
  }

  /** Forgets everything. */
  override clear(): void {
    this.#low = null;
    this.#high = null;
    this.#trail = null;
    this.#holes = NO_HOLES;
    this.#first = null;
    this.#since = null;
    this.#value = null;
    this.#before = null;
  }

  /** Takes the observation of a round; null is "no data". Dates never go back. */
  observe(date: number, value: Decimal | null): void {
    this.load(date, date, value);
  }

  /** Takes a whole run observed from `first` to `last`; anything but a number is "no data". */
  override load(first: number, last: number, value: Value | null): void {
    this.#since ??= first;
    if (!(value instanceof Decimal)) {
      this.#nothingSince ??= first;
      return;
    }
    if (this.#value === null) {
      this.#begun = first;
      this.#holed = first > this.third(this.#since);
      if (this.need === "trail") this.#first = value;
      this.#begin(first, last, value);
      return;
    }
    const end = this.#end();
    this.#holed ||= first > end;
    const unbroken = this.#nothingSince === null && first <= end;
    if (unbroken && compare(value, this.#value) === 0) {
      this.#last = last;
      return;
    }
    const next = this.#nothingSince ?? first;
    this.#push(this.#confirmed(value), this.#from, Math.min(end, next - 1));
    const from = Math.min(end, next);
    if (from < first) this.#holes = this.#holes.concat({ from, to: first });
    this.#before = this.#value;
    this.#begin(first, last, value);
    this.#forget(last - this.spanMs);
  }

  lowest(from: number, current: Decimal): Base | null {
    return this.#extreme(this.#low, 1, from, current);
  }

  highest(from: number, current: Decimal): Base | null {
    return this.#extreme(this.#high, -1, from, current);
  }

  inForce(time: number, current: Decimal): Base | null {
    if (this.#value !== null && time >= this.#from) {
      return time <= this.#newestUntil()
        ? { value: this.#confirmed(current), at: this.#from }
        : null;
    }
    return this.#trail?.at(time) ?? null;
  }

  first(from: number, date: number): Base | null {
    if (this.#first === null || (this.#since ?? from) <= from) return null;
    if (this.#holed || date > this.#end()) return null;
    return { value: this.#first, at: this.#begun };
  }

  known(from: number, date: number): number {
    if (this.#value === null) return 0;
    const start = Math.max(from, this.#begun);
    const newestEnd = Math.min(this.#end(), this.#nothingSince ?? date);
    const end = Math.max(start, Math.min(date, newestEnd));
    let known = end - start;
    for (const hole of this.#holes) {
      known -= Math.max(0, Math.min(hole.to, end) - Math.max(hole.from, start));
    }
    return known;
  }

  #begin(first: number, last: number, value: Decimal): void {
    this.#value = value;
    this.#from = first;
    this.#last = last;
    this.#nothingSince = null;
  }

  /** Until when the newest value is in force without another sample. */
  #end(): number {
    return this.third(this.#last);
  }

  /** The last moment at which the newest value is in force. */
  #newestUntil(): number {
    const end = this.#end();
    return this.#nothingSince === null ? end : Math.min(end, this.#nothingSince - 1);
  }

  /** The newest run's value as confirmed by the following observation `next`. */
  #confirmed(next: Decimal): Decimal {
    const value = this.#value ?? next;
    if (this.#before === null || this.#from !== this.#last) return value;
    return medianOfThree(this.#before, value, next);
  }

  #push(value: Decimal, first: number, until: number): void {
    const need = this.need;
    if (need === "trail") {
      this.#trail ??= new Trail();
      this.#trail.push(value, first, until);
    }
    if (need === "lowest" || need === "both") {
      this.#low ??= new ExtremeQueue(1);
      this.#low.push(value, first, until);
    }
    if (need === "highest" || need === "both") {
      this.#high ??= new ExtremeQueue(-1);
      this.#high.push(value, first, until);
    }
  }

  #forget(from: number): void {
    this.#low?.forget(from);
    this.#high?.forget(from);
    this.#trail?.forget(from);
    let gone = 0;
    while ((this.#holes[gone]?.to ?? Number.POSITIVE_INFINITY) < from) gone += 1;
    if (gone > 0) this.#holes = gone < this.#holes.length ? this.#holes.slice(gone) : NO_HOLES;
  }

  #extreme(queue: ExtremeQueue | null, sign: 1 | -1, from: number, current: Decimal): Base | null {
    const old = queue?.front(from) ?? null;
    if (this.#value === null || this.#newestUntil() < from) return old;
    const newest = this.#confirmed(current);
    if (old !== null && compare(old.value, newest) * sign <= 0) return old;
    return { value: newest, at: this.#from };
  }
}

/** The middle one of three values. */
export function medianOfThree(a: Decimal, b: Decimal, c: Decimal): Decimal {
  const isRise = compare(a, b) <= 0;
  const low = isRise ? a : b;
  if (compare(c, low) <= 0) return low;
  const high = isRise ? b : a;
  return compare(c, high) >= 0 ? high : c;
}

/** A list of fewer is copied when it grows, since `push` would make room for 16 more at once. */
const SHORT = 16;

/**
 * Values in the order of time and when each was in force, both ends included; they leave at the front
 * when they are too old. Three lists, which take a third of the room of as many objects.
 */
abstract class HeldValues {
  protected values: Decimal[] = [];
  protected firsts: number[] = [];
  protected untils: number[] = [];
  /** What is before this place has left. */
  protected head = 0;

  forget(from: number): void {
    while ((this.untils[this.head] ?? Number.POSITIVE_INFINITY) < from) this.head += 1;
    // So seldom that it costs three steps for each that has left, however many stay.
    if (this.head === 0 || this.head * 4 < this.values.length) return;
    this.values = this.values.slice(this.head);
    this.firsts = this.firsts.slice(this.head);
    this.untils = this.untils.slice(this.head);
    this.head = 0;
  }

  /** Puts one behind the first `count`, in place of what is there. */
  protected put(count: number, value: Decimal, first: number, until: number): void {
    if (count === this.values.length) {
      this.values = longer(this.values, value);
      this.firsts = longer(this.firsts, first);
      this.untils = longer(this.untils, until);
      return;
    }
    this.values[count] = value;
    this.firsts[count] = first;
    this.untils[count] = until;
    if (count + 1 === this.values.length) return;
    this.values.length = count + 1;
    this.firsts.length = count + 1;
    this.untils.length = count + 1;
  }

  /** What is at a place; null: nothing. */
  protected base(index: number): Base | null {
    const value = this.values[index];
    const at = this.firsts[index];
    return value === undefined || at === undefined ? null : { value, at };
  }
}

/**
 * The lowest (sign 1) or highest (sign −1) of a sliding window: a queue in which every entry is
 * better than those behind it, so that the front is the answer and old entries leave there.
 */
export class ExtremeQueue extends HeldValues {
  constructor(private readonly sign: 1 | -1) {
    super();
  }

  /** Takes a value that was in force after all before it. */
  push(value: Decimal, first: number, until: number): void {
    let count = this.values.length;
    for (; count > this.head; count -= 1) {
      const back = this.values[count - 1];
      if (back === undefined || compare(back, value) * this.sign < 0) break;
    }
    this.put(count, value, first, until);
  }

  /** The extreme of what was in force at `from` or later. */
  front(from: number): Base | null {
    let index = this.head;
    while ((this.untils[index] ?? Number.POSITIVE_INFINITY) < from) index += 1;
    return this.base(index);
  }
}

/** Confirmed runs, to look up what was in force at one moment. */
export class Trail extends HeldValues {
  /** Takes a value that was in force after all before it. */
  push(value: Decimal, first: number, until: number): void {
    this.put(this.values.length, value, first, until);
  }

  at(time: number): Base | null {
    let low = this.head;
    let high = this.firsts.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.firsts[middle] ?? time) <= time) low = middle + 1;
      else high = middle;
    }
    if ((this.untils[low - 1] ?? time) < time) return null;
    return this.base(low - 1);
  }
}

function longer<T>(list: T[], item: T): T[] {
  if (list.length < SHORT) return list.concat(item);
  list.push(item);
  return list;
}
