import type { Schedule } from "../../base/schedule.ts";
import type { Value } from "../../model/index.ts";

/** A series into which points of a history may have been put. */
export interface Points {
  /** Until when the point of a history at `date` is in force; null: that is a sample of our own. */
  pointUntil(date: number): number | null;
}

const NO_POINTS: Points = { pointUntil: () => null };

/**
 * What is remembered of the runs of a series. There is one for each subject of many a rule, so that
 * it holds what it asks how long a value stays in force, and no function made for it alone.
 */
export abstract class SampledWindow {
  readonly #schedule: Pick<Schedule, "third">;
  readonly #points: Points;

  constructor(schedule: Pick<Schedule, "third">, points: Points = NO_POINTS) {
    this.#schedule = schedule;
    this.#points = points;
  }

  /** Takes a run that was observed from `first` to `last`; null is "no data". Dates never go back. */
  abstract load(first: number, last: number, value: Value | null): void;

  /** Forgets everything. */
  abstract clear(): void;

  /**
   * Until when a value observed at a date stays in force without another sample: three intervals, of
   * points of a history three spacings.
   */
  protected third(date: number): number {
    return this.#points.pointUntil(date) ?? this.#schedule.third(date);
  }
}
