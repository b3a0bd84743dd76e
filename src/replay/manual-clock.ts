import { setImmediate as immediate } from "node:timers/promises";
import type { Clock } from "../base/clock.ts";

/** A clock that stands still until it is moved. */
export interface ManualClock extends Clock {
  /**
   * Moves on by `ms`, waking in order everything that comes due on the way; between two of them
   * promises and immediates run. Real I/O (sockets) is not waited for.
   */
  advance(ms: number): Promise<void>;
  /** Jumps to `at` at once, also backwards, as a machine that slept does; wakes what is due then. */
  set(at: number): Promise<void>;
  /** How many wake-ups are booked. */
  waiting(): number;
  /** When the first of them is due; null: there is none. */
  next(): number | null;
  /** Moves on to the first of them and wakes it; what it begins is not waited for. */
  step(): void;
}

interface Booked {
  readonly at: number;
  readonly order: number;
  readonly wake: () => void;
}

/** `start` in epoch milliseconds. */
export function createManualClock(start: number): ManualClock {
  let time = start;
  let order = 0;
  const booked = new Set<Booked>();

  const first = (): Booked | null => {
    let least: Booked | null = null;
    for (const one of booked) {
      if (least === null || one.at < least.at || (one.at === least.at && one.order < least.order)) {
        least = one;
      }
    }
    return least;
  };
  const settle = async (): Promise<void> => {
    for (let i = 0; i < 5; i += 1) await immediate();
  };
  const wake = (one: Booked): void => {
    booked.delete(one);
    time = Math.max(time, one.at);
    one.wake();
  };
  const wakeUntil = async (until: number): Promise<void> => {
    await settle();
    for (let next = first(); next !== null && next.at <= until; next = first()) {
      wake(next);
      await settle();
    }
  };

  return {
    now: () => time,
    at(at, wakeUp) {
      const one: Booked = { at, order, wake: wakeUp };
      order += 1;
      booked.add(one);
      // As with a real timer, what is due already is woken soon, but never within the call.
      if (at <= time) {
        setImmediate(() => {
          if (booked.delete(one)) wakeUp();
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
    next: () => first()?.at ?? null,
    step: () => {
      const next = first();
      if (next !== null) wake(next);
    },
  };
}
