/** A death that is waiting for a daemon. */
export interface Death {
  /** Such as `settle slack`; null: whatever it does. */
  readonly step: string | null;
  /** At the how-manieth such step, from 1. */
  readonly count: number;
  /** `during` is for sends alone: the receiver has the message and has not answered. */
  readonly moment: "before" | "during" | "after";
}

/** What a daemon of these tests is started with. */
export interface Life {
  /** Its configuration, its database and its time. */
  readonly folder: string;
  /** The first round's date, and after how many of them, a minute apart, the story is over. */
  readonly start: number;
  readonly rounds: number;
  readonly death: Death | null;
  /**
   * `patient`: after each round everything is delivered before the next one, so that each run takes
   * the same steps. `hurried`: rounds go by while messages are under way.
   */
  readonly pace: "patient" | "hurried";
  /** Whether the round in which the last daemon died is run again; otherwise it is missed. */
  readonly again: boolean;
  /** The outbox's time is that of the machine, but so many times as fast since this moment. */
  readonly fastSince: number;
}

/** In a life's folder: the date of its latest round, for the next daemon and the service. */
export const CLOCK_FILE = "clock";
/** Which steps it took, and how often each. */
export const STEPS_FILE = "steps.json";
/**
 * A retry after a second comes after some milliseconds. A quarter of an hour, after which people are told
 * that a channel delivers nothing, stays longer than any start on a busy machine.
 */
export const OUTBOX_SPEED = 100;

/** `before settle slack 3`. */
export function deathText({ step, count, moment }: Death): string {
  return `${moment} ${step ?? "step"} ${count}`;
}
