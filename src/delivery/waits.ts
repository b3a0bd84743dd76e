import type { Clock } from "../base/clock.ts";
import { HOUR, MINUTE, SECOND } from "../base/duration.ts";
import type { Notice } from "../model/index.ts";
import { MOST_CLAIMED } from "../store/store.ts";

/** How a loop sleeps between looks: until a time, a wake-up or its end. */
export interface WakeableTimer {
  /**
   * Sleeps until `at` (elapsed time of its clock) or a wake-up; not at all if one came since the last
   * look. `alarm`: a wall time, perhaps of another clock, that wakes it as well.
   */
  until(at: number, alarm?: Alarm): Promise<void>;
  /** Sleeps until `at` (elapsed time) whatever wake-ups come. */
  pause(at: number): Promise<void>;
  wake(): void;
  /** A look begins: earlier wake-ups are answered by it. */
  lookedAt(): void;
  /** Ends the sleep, and every later one at once. */
  end(): void;
  /** Resolves while it sleeps with nothing to do, or has ended. */
  idle(): Promise<void>;
}

export interface Alarm {
  readonly clock: Clock;
  readonly at: number;
}

export function createWakeableTimer(clock: Clock): WakeableTimer {
  let woken = false;
  let ended = false;
  let idle = false;
  let rise: (() => void) | null = null;
  const waiters = new Set<() => void>();

  const sleep = async (at: number, alarm?: Alarm): Promise<void> => {
    await new Promise<void>((resolve) => {
      const cancels: (() => void)[] = [];
      const end = (): void => {
        for (const cancel of cancels) cancel();
        resolve();
      };
      cancels.push(clock.after(Math.max(0, at - clock.elapsed()), end));
      if (alarm !== undefined) cancels.push(alarm.clock.at(alarm.at, end));
      rise = end;
    });
    rise = null;
  };
  const tellIdle = (): void => {
    for (const waiter of waiters) waiter();
    waiters.clear();
  };

  return {
    async until(at, alarm) {
      if (woken || ended) return;
      idle = true;
      tellIdle();
      await sleep(at, alarm);
      idle = false;
    },
    async pause(at) {
      if (!ended) await sleep(at);
    },
    wake() {
      woken = true;
      if (!idle) return;
      // From now on it has something to do, even before it has got up.
      idle = false;
      rise?.();
    },
    lookedAt() {
      woken = false;
    },
    end() {
      ended = true;
      rise?.();
      tellIdle();
    },
    idle() {
      if (idle || ended) return Promise.resolve();
      return new Promise((resolve) => {
        waiters.add(resolve);
      });
    },
  };
}

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

  /** The wall time by which to claim: what has waited for long enough is due, whatever the clock says. */
  get now(): number {
    const now = this.clock.now();
    if (this.#until === null || this.clock.elapsed() < this.#due) return now;
    return Math.max(now, this.#until);
  }

  /** In elapsed time, when that is over which the store says lasts until `until`. */
  dueAt(until: number): number {
    // Not begun here: a start wakes all messages, so it is a store that sends nothing for some seconds.
    if (until !== this.#until) {
      this.#until = until;
      this.#due = this.clock.elapsed() + Math.max(0, until - this.clock.now());
    }
    return this.#due;
  }
}
