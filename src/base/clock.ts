import { MINUTE } from "./duration.ts";

/**
 * Time comes from a clock that is passed in. Rounds, windows, `for` and reminders run on it;
 * HTTP time limits, round budgets, the lease and the seconds of a stop are real time and use
 * Node's own timers.
 */
export interface Clock {
  /** Milliseconds since the Unix epoch, whole. */
  now(): number;
  /**
   * Calls `wake` once when `now()` has reached `at`, or earlier when the clock was set back
   * meanwhile, since `at` may be far away then: the caller looks again. Returns a function that
   * takes it back.
   */
  at(at: number, wake: () => void): () => void;
}

/**
 * Node's timers do not see that the system clock was set or that the machine slept, so a timer
 * looks at the clock again at least so often (setTimeout could not wait for over 24 days anyway).
 */
const LONGEST_DELAY_MS = MINUTE;

function timerOn(now: () => number, speed: number): Clock["at"] {
  return (at, wake) => {
    let timer: NodeJS.Timeout;
    const arm = (): void => {
      const armed = now();
      const left = (at - armed) / speed;
      if (left <= 0) timer = setTimeout(wake, 0);
      else {
        const delay = Math.min(Math.ceil(left), LONGEST_DELAY_MS);
        // Node may fire a millisecond early, and a long delay is cut.
        timer = setTimeout(() => {
          const seen = now();
          if (seen >= at || seen < armed) wake();
          else arm();
        }, delay);
      }
    };
    arm();
    return () => clearTimeout(timer);
  };
}

export function systemClock(): Clock {
  const now = (): number => Date.now();
  return { now, at: timerOn(now, 1) };
}

/** A clock that starts at `start` and runs `speed` times as fast as real time. */
export function acceleratedClock(start: number, speed: number): Clock {
  const origin = performance.now();
  const now = (): number => Math.floor(start + (performance.now() - origin) * speed);
  return { now, at: timerOn(now, speed) };
}
