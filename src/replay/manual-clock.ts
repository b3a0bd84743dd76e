import { setImmediate as immediate } from "node:timers/promises";
import type { Clock } from "../base/clock.ts";

/** A clock that stands still until it is moved. */
export interface ManualClock extends Clock {
  /**
   * Moves on by `ms`, waking in order everything that comes due on the way; between two of them
   * promises and immediates run. Real I/O (sockets) is not waited for.
   */
  advance(ms: number): Promise<void>;
  /**
   * Sets wall time to `at`, also backwards, as an operator, NTP or a machine that slept does; no time
   * elapses. Wakes what waits for a wall time that is due then, or all of it if it went back.
   */
  set(at: number): Promise<void>;
  /** How many wake-ups are booked. */
  waiting(): number;
  /** The wall time at which the first of them is due; null: there is none. */
  next(): number | null;
  /** Moves on to the first of them and wakes it; what it begins is not waited for. */
  step(): void;
}

interface Booked {
  /** Wall time, or else elapsed time. */
  readonly at: number;
  readonly wall: boolean;
  readonly order: number;
  readonly wake: () => void;
}

/** `start` in epoch milliseconds. */
export function createManualClock(start: number): ManualClock {
  let time = start;
  let elapsed = 0;
  let order = 0;
  const booked = new Set<Booked>();

  const leftOf = ({ at, wall }: Booked): number => at - (wall ? time : elapsed);
  const first = (): Booked | null => {
    let least: Booked | null = null;
    for (const one of booked) {
      const ahead = least === null ? -1 : leftOf(one) - leftOf(least);
      if (least === null || ahead < 0 || (ahead === 0 && one.order < least.order)) least = one;
    }
    return least;
  };
  const pass = (ms: number): void => {
    time += ms;
    elapsed += ms;
  };
  const settle = async (): Promise<void> => {
    for (let i = 0; i < 5; i += 1) await immediate();
  };
  const wake = (one: Booked): void => {
    booked.delete(one);
    pass(Math.max(0, leftOf(one)));
    one.wake();
  };
  const book = (at: number, wall: boolean, wakeUp: () => void): (() => void) => {
    const one: Booked = { at, wall, order, wake: wakeUp };
    order += 1;
    booked.add(one);
    // As with a real timer, what is due already is woken soon, but never within the call.
    if (leftOf(one) <= 0) {
      setImmediate(() => {
        if (booked.delete(one)) wakeUp();
      });
    }
    return () => {
      booked.delete(one);
    };
  };
  const wakeUntil = async (end: number): Promise<void> => {
    await settle();
    for (let next = first(); next !== null && elapsed + leftOf(next) <= end; next = first()) {
      wake(next);
      await settle();
    }
  };

  return {
    now: () => time,
    at: (at, wakeUp) => book(at, true, wakeUp),
    elapsed: () => elapsed,
    after: (ms, wakeUp) => book(elapsed + ms, false, wakeUp),
    async advance(ms) {
      const end = elapsed + ms;
      await wakeUntil(end);
      pass(Math.max(0, end - elapsed));
    },
    async set(at) {
      const early = at < time ? [...booked].filter(({ wall }) => wall) : [];
      time = at;
      // As the real clock does when it finds itself set back.
      for (const one of early) if (booked.delete(one)) one.wake();
      await wakeUntil(elapsed);
    },
    waiting: () => booked.size,
    next() {
      const one = first();
      return one === null ? null : time + leftOf(one);
    },
    step: () => {
      const next = first();
      if (next !== null) wake(next);
    },
  };
}
