import type { Decimal } from "../../base/decimal.ts";

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
  /**
   * The first value that was observed, if the series began after `from`; null: it is older, as far as
   * samples are kept, or has had a hole of more than three intervals by `date`.
   */
  first(from: number, date: number): Base | null;
  /** For how many milliseconds of [from, date] a value was in force. */
  known(from: number, date: number): number;
}
