import type { Clock } from "../src/base/clock.ts";

/** A clock that stands until it is told to jump. */
export interface SteppedClock extends Clock {
  /** Jumps ahead and wakes everything that is due by then. */
  step(ms: number): void;
}

export function steppedClock(start: number): SteppedClock {
  let now = start;
  const booked = new Set<{ readonly at: number; readonly wake: () => void }>();
  const book: Clock["at"] = (at, wake) => {
    const one = { at, wake };
    booked.add(one);
    return () => booked.delete(one);
  };
  return {
    now: () => now,
    at: book,
    elapsed: () => now,
    after: (ms, wake) => book(now + ms, wake),
    step(ms) {
      now += ms;
      const due = Array.from(booked).filter(({ at }) => at <= now);
      for (const one of due) if (booked.delete(one)) one.wake();
    },
  };
}
