import type { Clock } from "../base/clock.ts";
import type { Notice } from "../model/index.ts";
import { MOST_CLAIMED } from "../store/store.ts";

/**
 * How long notices wait for others that go with them as one message. The wait is paid once for what
 * comes together: what is more than one message holds follows at once.
 */
export class GroupWait {
  /** The oldest notice that is in no message, and when it was first seen (elapsed time). */
  #waiting: { readonly id: string; readonly since: number } | null = null;
  /** The wait was paid for what comes next, too. */
  #paid = false;

  constructor(
    private readonly clock: Clock,
    /** Milliseconds; 0: nobody waits. */
    private readonly ms: () => number,
  ) {}

  /** Until when (elapsed time) these, which are claimed, wait; null: they go now. */
  until(notices: readonly [Notice, ...Notice[]]): number | null {
    const [{ id }] = notices;
    const ms = this.ms();
    if (ms > 0 && !this.#paid) {
      const now = this.clock.elapsed();
      if (this.#waiting?.id !== id) this.#waiting = { id, since: now };
      const end = this.#waiting.since + ms;
      if (now < end) return end;
    }
    // A claim that is full has left others behind, which have waited as long.
    this.#paid = notices.length === MOST_CLAIMED;
    return null;
  }

  /** They go one by one: each has waited. */
  split(): void {
    this.#paid = true;
  }

  /** Nothing is left of what came together. */
  end(): void {
    this.#paid = false;
  }
}
