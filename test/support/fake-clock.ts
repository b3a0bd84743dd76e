import { setImmediate as immediate } from "node:timers/promises";
import type { Clock } from "../../src/base/clock.ts";

/** A clock that stands still until a test moves it. */
export interface FakeClock extends Clock {
  /**
   * Moves on by `ms`, waking in order everything that comes due on the way; between two of them
   * promises and immediates run. Real I/O (sockets) is not waited for.
   */
  advance(ms: number): Promise<void>;
  /** Jumps to `at` at once, also backwards, as a machine that slept does; wakes what is due then. */
  set(at: number): Promise<void>;
  /** How many wake-ups are booked. */
  waiting(): number;
}

interface Booked {
  readonly at: number;
  readonly order: number;
  readonly wake: () => void;
}

/** `start` in epoch milliseconds. */
export function createFakeClock(start: number): FakeClock {
  let time = start;
  let order = 0;
  const booked = new Set<Booked>();

  const due = (until: number): Booked | null => {
    let first: Booked | null = null;
    for (const one of booked) {
      if (one.at > until) continue;
      if (first === null || one.at < first.at || (one.at === first.at && one.order < first.order)) {
        first = one;
      }
    }
    return first;
  };
  const settle = async (): Promise<void> => {
    for (let i = 0; i < 5; i += 1) await immediate();
  };
  const wakeUntil = async (until: number): Promise<void> => {
    await settle();
    for (let next = due(until); next !== null; next = due(until)) {
      booked.delete(next);
      time = Math.max(time, next.at);
      next.wake();
      await settle();
    }
  };

  return {
    now: () => time,
    at(at, wake) {
      const one: Booked = { at, order, wake };
      order += 1;
      booked.add(one);
      // As with a real timer, what is due already is woken soon, but never within the call.
      if (at <= time) {
        setImmediate(() => {
          if (booked.delete(one)) wake();
        });
      }
      return () => {
        booked.delete(one);
      };
    },
    async advance(ms) {
      const target = time + ms;
      await wakeUntil(target);
      time = Math.max(time, target);
    },
    async set(at) {
      const early = at < time ? [...booked] : [];
      time = at;
      // As the real clock does when it finds itself set back.
      for (const one of early) if (booked.delete(one)) one.wake();
      await wakeUntil(at);
    },
    waiting: () => booked.size,
  };
}
