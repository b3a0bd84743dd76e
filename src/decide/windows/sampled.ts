import { compare, Decimal } from "../../base/decimal.ts";
import type { Schedule } from "../../base/schedule.ts";
import type { Value } from "../../model/index.ts";

/** A series that may contain points of a history. */
export interface Points {
  /** Until when the point of a history at `date` is in force; null: it is a sample of our own. */
  pointUntil(date: number): number | null;
}

const NO_POINTS: Points = { pointUntil: () => null };

/**
 * The memory of a series' runs. Many rules have one for each subject, so it holds the object that knows how long a
 * value stays in force, and not a closure of its own.
 */
export abstract class SampledWindow {
  constructor(
    private readonly schedule: Pick<Schedule, "third">,
    private readonly points: Points = NO_POINTS,
    /** How far it looks back, in milliseconds. */
    readonly spanMs = Number.POSITIVE_INFINITY,
  ) {}

  /** Takes a run that was observed from `first` to `last`; null is "no data". Dates never go back. */
  abstract load(first: number, last: number, value: Value | null): void;

  /** Forgets everything. */
  abstract clear(): void;

  /**
   * Until when a value observed at a date stays in force without another sample: three intervals, or three spacings
   * for points of a history.
   */
  protected third(date: number): number {
    return this.points.pointUntil(date) ?? this.schedule.third(date);
  }
}

/** The base of a change, and since when it was in force. */
export interface Base {
  readonly value: Decimal;
  readonly at: number;
}

/**
 * The past of one metric of one subject, for a comparison. `date` and `current` are the sample that is judged now: it
 * is in the window only as its predecessor's neighbour.
 */
export interface WindowHistory {
  /** The lowest confirmed value in [from, date); null if nothing is known there. */
  lowest(from: number, current: Decimal): Base | null;
  highest(from: number, current: Decimal): Base | null;
  /** The confirmed value in force at a time. */
  inForce(time: number, current: Decimal): Base | null;
  /**
   * The first observed value, if the series began after `from`; null: it is older, as far as samples are kept, or has
   * had a hole of more than three intervals by `date`.
   */
  first(from: number, date: number): Base | null;
  /** For how many milliseconds of [from, date] a value was in force. */
  known(from: number, date: number): number;
}

/**
 * How long a series has had its observed value: nulls and gaps of at most three intervals between two equal values do
 * not interrupt it. A longer hole begins it anew.
 */
export class UnchangedWindow extends SampledWindow {
  #value: Value | null = null;
  /** The first observation of this value without a hole since. */
  #since = 0;
  #last = 0;
  /** Whether another value was in force until then. */
  #replaced = false;

  /** Forgets everything. */
  override clear(): void {
    this.#value = null;
  }

  /** Takes a value that was observed from `first` to `last`; null is "no data". */
  override load(first: number, last: number, value: Value | null): void {
    if (value === null) return;
    const next = this.#with(first, value);
    this.#value = value;
    this.#since = next.since;
    this.#replaced = next.replaced;
    this.#last = last;
  }

  /**
   * Whether `value`, observed at `date`, has been the only value in force for at least `ms`: false if another was in
   * force meanwhile, null if the past is not known so far back.
   */
  unchanged(value: Value, date: number, ms: number): boolean | null {
    const { since, replaced } = this.#with(date, value);
    if (date - since >= ms) return true;
    return replaced ? false : null;
  }

  /** The state after one more observation. */
  #with(date: number, value: Value): { since: number; replaced: boolean } {
    const before = this.#value;
    // Nobody knows the values in a hole, so the values before it no longer count.
    if (before === null || date > this.third(this.#last)) return { since: date, replaced: false };
    if (!valuesEqual(before, value)) return { since: date, replaced: true };
    return { since: this.#since, replaced: this.#replaced };
  }
}

/** Exact equality; text is case-sensitive except in 0x… values. */
export function valuesEqual(a: Value, b: Value): boolean {
  if (a instanceof Decimal) return b instanceof Decimal && compare(a, b) === 0;
  if (typeof a === "string" && typeof b === "string") {
    return a === b || (/^0x/i.test(a) && a.toLowerCase() === b.toLowerCase());
  }
  return a === b;
}
