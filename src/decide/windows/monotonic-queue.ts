import { compare, type Decimal } from "../../base/decimal.ts";
import type { Base } from "./sampled.ts";

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
  readonly #sign: 1 | -1;

  constructor(sign: 1 | -1) {
    super();
    this.#sign = sign;
  }

  /** Takes a value that was in force after all before it. */
  push(value: Decimal, first: number, until: number): void {
    let count = this.values.length;
    for (; count > this.head; count -= 1) {
      const back = this.values[count - 1];
      if (back === undefined || compare(back, value) * this.#sign < 0) break;
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
    if (low === this.head || (this.untils[low - 1] ?? time) < time) return null;
    return this.base(low - 1);
  }
}

function longer<T>(list: T[], item: T): T[] {
  if (list.length < SHORT) return list.concat(item);
  list.push(item);
  return list;
}
