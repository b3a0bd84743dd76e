import type { Value } from "../../model/index.ts";
import { sameValue } from "../same.ts";
import { SampledWindow } from "./sampled.ts";

const NEVER = Number.NEGATIVE_INFINITY;

/**
 * How long a series has had its value, as it was observed: nulls, and gaps of at most three
 * intervals, between two equal values do not count against it. A longer hole begins it anew.
 */
export class StillWindow extends SampledWindow {
  #value: Value | null = null;
  /** The first of the observations of this value that no hole parts. */
  #since = 0;
  #last = 0;
  /** Until when another value was in force. */
  #otherUntil = NEVER;

  /** Forgets everything. */
  override clear(): void {
    this.#value = null;
    this.#otherUntil = NEVER;
  }

  /** Takes a value that was observed from `first` to `last`; null is "no data". */
  override load(first: number, last: number, value: Value | null): void {
    if (value === null) return;
    const next = this.#with(first, value);
    this.#value = value;
    this.#since = next.since;
    this.#otherUntil = next.otherUntil;
    this.#last = last;
  }

  /**
   * Whether `value`, observed at `date`, has been the one value in force for at least `ms`: false if
   * another one was meanwhile, null if that is not known so far back.
   */
  unchanged(value: Value, date: number, ms: number): boolean | null {
    const { since, otherUntil } = this.#with(date, value);
    if (date - since >= ms) return true;
    return otherUntil >= date - ms ? false : null;
  }

  /** How things stand with one more observation. */
  #with(date: number, value: Value): { since: number; otherUntil: number } {
    const before = this.#value;
    if (before === null) return { since: date, otherUntil: this.#otherUntil };
    // Over a hole nobody knows what was: what came before it says nothing any more.
    if (date > this.third(this.#last)) return { since: date, otherUntil: NEVER };
    if (!sameValue(before, value)) return { since: date, otherUntil: date };
    return { since: this.#since, otherUntil: this.#otherUntil };
  }
}
