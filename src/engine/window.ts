import { compare, Decimal } from "../base/decimal.ts";
import type { Value } from "../model.ts";

/** A value to measure a change from, and since when it was in force. */
export interface Base {
  readonly value: Decimal;
  readonly at: number;
}

/**
 * What a comparison may know of the past of one metric of one subject. `date` and `current` are
 * the sample that is judged now: it is in the window only as its predecessor's neighbour.
 */
export interface Past {
  /** The lowest confirmed value in [from, date); null if nothing is known there. */
  lowest(from: number, current: Decimal): Base | null;
  highest(from: number, current: Decimal): Base | null;
  /** The confirmed value in force at a time. */
  inForce(time: number, current: Decimal): Base | null;
  /** The first value ever observed, as far back as samples are kept. */
  first(): Base | null;
  /** For how many milliseconds of [from, date] a value was in force. */
  known(from: number, date: number): number;
}

/** What a window has to remember, for the comparison it serves. */
export type WindowNeed = "lowest" | "highest" | "both" | "trail";

/**
 * The past of a state series: runs of equal values in the order of their rounds. A value counts
 * once the next observation has confirmed it (the median of the three), so that one absurd answer
 * is never a base; a value seen in two rounds confirms itself.
 */
export class StateWindow implements Past {
  readonly #need: WindowNeed;
  readonly #spanMs: number;
  /** Until when a value observed at a date stays in force without another sample. */
  readonly #third: (date: number) => number;
  readonly #low = new ExtremeQueue(1);
  readonly #high = new ExtremeQueue(-1);
  readonly #trail = new Trail();
  readonly #holes: { from: number; to: number }[] = [];
  #first: Base | null = null;
  /** The newest run with a value; not in the queues yet. */
  #value: Decimal | null = null;
  #from = 0;
  #last = 0;
  /** The value of the run before it. */
  #before: Decimal | null = null;
  /** When "no data" began that is newer than the newest value; null: there is none. */
  #nothingSince: number | null = null;

  constructor(need: WindowNeed, spanMs: number, third: (date: number) => number) {
    this.#need = need;
    this.#spanMs = spanMs;
    this.#third = third;
  }

  /** Forgets everything. */
  clear(): void {
    this.#low.clear();
    this.#high.clear();
    this.#trail.clear();
    this.#holes.length = 0;
    this.#first = null;
    this.#value = null;
    this.#before = null;
    this.#nothingSince = null;
  }

  /** Takes what a round observed; null is "no data". Dates never go back. */
  observe(date: number, value: Decimal | null): void {
    this.load(date, date, value);
  }

  /** Takes a whole run that was observed from `first` to `last`; what is no number is "no data". */
  load(first: number, last: number, value: Value | null): void {
    if (!(value instanceof Decimal)) {
      this.#nothingSince ??= first;
      return;
    }
    if (this.#value === null) {
      this.#first ??= { value, at: first };
      this.#begin(first, last, value);
      return;
    }
    const end = this.#end();
    const unbroken = this.#nothingSince === null && first <= end;
    if (unbroken && compare(value, this.#value) === 0) {
      this.#last = last;
      return;
    }
    const next = this.#nothingSince ?? first;
    this.#push({
      value: this.#confirmed(value),
      first: this.#from,
      until: Math.min(end, next - 1),
    });
    if (Math.min(end, next) < first) this.#holes.push({ from: Math.min(end, next), to: first });
    this.#before = this.#value;
    this.#begin(first, last, value);
    this.#forget(last - this.#spanMs);
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
    return this.#trail.at(time);
  }

  first(): Base | null {
    return this.#first;
  }

  known(from: number, date: number): number {
    if (this.#first === null) return 0;
    const start = Math.max(from, this.#first.at);
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

  /** The end of the newest value's force by time alone. */
  #end(): number {
    return this.#third(this.#last);
  }

  /** The last moment at which the newest value is in force. */
  #newestUntil(): number {
    const end = this.#end();
    return this.#nothingSince === null ? end : Math.min(end, this.#nothingSince - 1);
  }

  /** The newest run's value as the following observation `next` confirms it. */
  #confirmed(next: Decimal): Decimal {
    const value = this.#value ?? next;
    if (this.#before === null || this.#from !== this.#last) return value;
    return medianOfThree(this.#before, value, next);
  }

  #push(held: Held): void {
    if (this.#need === "trail") this.#trail.push(held);
    if (this.#need === "lowest" || this.#need === "both") this.#low.push(held);
    if (this.#need === "highest" || this.#need === "both") this.#high.push(held);
  }

  #forget(from: number): void {
    this.#low.forget(from);
    this.#high.forget(from);
    this.#trail.forget(from);
    let gone = 0;
    while ((this.#holes[gone]?.to ?? Number.POSITIVE_INFINITY) < from) gone += 1;
    if (gone > 0) this.#holes.splice(0, gone);
  }

  #extreme(queue: ExtremeQueue, sign: 1 | -1, from: number, current: Decimal): Base | null {
    const old = queue.front(from);
    if (this.#value === null || this.#newestUntil() < from) return old;
    const newest = this.#confirmed(current);
    if (old !== null && compare(old.value, newest) * sign <= 0) return old;
    return { value: newest, at: this.#from };
  }
}

/** The middle one of three values. */
export function medianOfThree(a: Decimal, b: Decimal, c: Decimal): Decimal {
  const [low, high] = compare(a, b) <= 0 ? [a, b] : [b, a];
  if (compare(c, low) <= 0) return low;
  return compare(c, high) >= 0 ? high : c;
}

/** A confirmed value and when it was in force, both ends included. */
interface Held {
  readonly value: Decimal;
  readonly first: number;
  readonly until: number;
}

/** Values in the order of time that leave at the front when they are too old. */
class HeldValues {
  entries: Held[] = [];
  head = 0;

  clear(): void {
    this.entries = [];
    this.head = 0;
  }

  forget(from: number): void {
    while ((this.entries[this.head]?.until ?? Number.POSITIVE_INFINITY) < from) this.head += 1;
    if (this.head < 32 || this.head * 2 < this.entries.length) return;
    this.entries = this.entries.slice(this.head);
    this.head = 0;
  }
}

/**
 * The lowest (sign 1) or highest (sign −1) of a sliding window: a queue in which every entry is
 * better than those behind it, so that the front is the answer and old entries leave there.
 */
class ExtremeQueue extends HeldValues {
  readonly #sign: 1 | -1;

  constructor(sign: 1 | -1) {
    super();
    this.#sign = sign;
  }

  push(held: Held): void {
    while (this.entries.length > this.head) {
      const back = this.entries.at(-1);
      if (back === undefined || compare(back.value, held.value) * this.#sign < 0) break;
      this.entries.pop();
    }
    this.entries.push(held);
  }

  /** The extreme of what was in force at `from` or later. */
  front(from: number): Base | null {
    for (let index = this.head; ; index += 1) {
      const held = this.entries[index];
      if (held === undefined) return null;
      if (held.until >= from) return { value: held.value, at: held.first };
    }
  }
}

/** Confirmed runs, to look up what was in force at one moment. */
class Trail extends HeldValues {
  push(held: Held): void {
    this.entries.push(held);
  }

  at(time: number): Base | null {
    let low = this.head;
    let high = this.entries.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.entries[middle]?.first ?? time) <= time) low = middle + 1;
      else high = middle;
    }
    const held = low === this.head ? undefined : this.entries[low - 1];
    return held === undefined || held.until < time ? null : { value: held.value, at: held.first };
  }
}
