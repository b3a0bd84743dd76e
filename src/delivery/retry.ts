import type { Clock } from "../base/clock.ts";
import { HOUR, MINUTE, SECOND } from "../base/duration.ts";

const SHORTEST_WAIT_MS = SECOND;
const LONGEST_WAIT_MS = 10 * MINUTE;
/** A receiver may ask for more patience than we have, but not for more than this. */
const LONGEST_ASKED_MS = HOUR;

/** A channel that refuses is asked again so often: someone may have mended it. */
export const PARKED_WAIT_MS = 10 * MINUTE;

/**
 * Milliseconds to wait after the send number `attempt` (from 1) has failed: 1 s doubling up to 10
 * minutes, of which half is left to chance so that many do not come back at once; never less than
 * what the receiver asked for, of which an hour at most is granted. `random` gives 0 ≤ x < 1.
 */
export function retryWait(attempt: number, askedMs: number | null, random: () => number): number {
  const doubled = SHORTEST_WAIT_MS * 2 ** Math.min(Math.max(attempt, 1), 30);
  const longest = Math.min(doubled, LONGEST_WAIT_MS);
  const wait = Math.round(longest * (0.5 + random() * 0.5));
  return Math.max(wait, Math.min(askedMs ?? 0, LONGEST_ASKED_MS));
}

/**
 * The wait of a channel's oldest message for its retry. The store says in wall time until when, for people
 * and for a restart; the wait itself is measured in elapsed time, so that nobody waits for a clock that
 * was set back to catch up.
 */
export class RetryWait {
  /** As written down; null: nothing waits. */
  #until: number | null = null;
  /** Elapsed time. */
  #due = 0;

  constructor(private readonly clock: Clock) {}

  /** A wait of `ms` begins; returns the wall time to write down for its end. */
  begin(ms: number): number {
    this.#until = this.clock.now() + ms;
    this.#due = this.clock.elapsed() + ms;
    return this.#until;
  }

  end(): void {
    this.#until = null;
  }

  /** The wall time by which to claim: what has waited for long enough is due, whatever the clock says. */
  get now(): number {
    const now = this.clock.now();
    if (this.#until === null || this.clock.elapsed() < this.#due) return now;
    return Math.max(now, this.#until);
  }

  /** In elapsed time, when that is over which the store says lasts until `until`. */
  dueAt(until: number): number {
    // Written down by another run: it can only be taken for what is left of it.
    if (until !== this.#until) {
      const left = Math.max(0, until - this.clock.now());
      this.#until = until;
      this.#due = this.clock.elapsed() + Math.min(left, LONGEST_ASKED_MS);
    }
    return this.#due;
  }
}
