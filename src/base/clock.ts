import { type Decimal, round } from "./decimal.ts";
import { DAY, SECOND } from "./duration.ts";

/**
 * Time comes from a clock that is passed in. It has two faces. Wall time dates things and decides
 * schedules, silences and mutes; people, NTP and machines that wake up set it, in either direction.
 * Elapsed time is for waits: nobody sets it, so that a wait lasts as long as it was meant to.
 * HTTP time limits, round budgets and the seconds of a stop use Node's own timers, which are alike.
 */
export interface Clock {
  /** Wall time: milliseconds since the Unix epoch, whole. */
  now(): number;
  /**
   * Calls `wake` once when `now()` has reached `at`, or earlier when the clock was set back
   * meanwhile, since `at` may be far away then: the caller looks again. Returns a function that
   * takes it back.
   */
  at(at: number, wake: () => void): () => void;
  /** Milliseconds since some moment: never set, never back. Means something only in this process. */
  elapsed(): number;
  /** Calls `wake` once when so many milliseconds have elapsed. Returns a function that takes it back. */
  after(ms: number, wake: () => void): () => void;
}

/**
 * Node's timers do not see that the system clock was set, so a wait for a wall time looks at the
 * clock again so often: a schedule follows it at once. All waits look together: to wake up costs more than to look.
 */
const LONGEST_LOOK_MS = SECOND;
/** setTimeout cannot wait for longer. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

function timerOn(read: () => number, speed: number, longestMs: number): Clock["at"] {
  return (at, wake) => {
    let timer: NodeJS.Timeout;
    const arm = (): void => {
      const armed = read();
      const left = (at - armed) / speed;
      if (left <= 0) timer = setTimeout(wake, 0);
      else {
        // Node may fire a millisecond early, and a long delay is cut.
        timer = setTimeout(
          () => {
            const seen = read();
            if (seen >= at || seen < armed) wake();
            else arm();
          },
          Math.min(Math.ceil(left), longestMs - (armed % longestMs)),
        );
      }
    };
    arm();
    return () => clearTimeout(timer);
  };
}

function clockOn(now: () => number, elapsed: () => number, speed: number): Clock {
  const atElapsed = timerOn(elapsed, speed, LONGEST_TIMEOUT_MS);
  return {
    now,
    at: timerOn(now, speed, LONGEST_LOOK_MS),
    elapsed,
    after: (ms, wake) => atElapsed(elapsed() + ms, wake),
  };
}

/**
 * About `ms` milliseconds, whole seconds of them, up to a whole second of wall time: waits that end together wake an idle
 * daemon up once.
 */
export function toWholeSecond({ now }: Pick<Clock, "now">, ms: number): number {
  const at = now();
  return Math.round((at + ms) / SECOND) * SECOND - at;
}

export function systemClock(): Clock {
  return clockOn(
    () => Date.now(),
    () => performance.now(),
    1,
  );
}

/** A clock whose wall time is another one's than this machine's; `now` in epoch milliseconds. */
export function clockOf(now: () => number): Clock {
  return clockOn(now, () => performance.now(), 1);
}

/** A clock that starts at `start` and runs `speed` times as fast as real time. */
export function acceleratedClock(start: number, speed: number): Clock {
  const origin = performance.now();
  const elapsed = (): number => (performance.now() - origin) * speed;
  return clockOn(() => Math.floor(start + elapsed()), elapsed, speed);
}

/**
 * Runs `work` for at most `ms` of real time, or until `outer` aborts: then the signal that it is given
 * aborts, late with a TimeoutError, and it is for `work` to end. Settles as `work` does.
 *
 * AbortSignal.any with AbortSignal.timeout would say the same, but such a timeout may be collected
 * before it fires, and then never does (nodejs/node#57736): whatever hangs would hang for ever.
 */
export async function withDeadline<T>(
  ms: number,
  outer: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const abort = (): void => controller.abort(outer.reason);
  const timer = setTimeout(() => {
    controller.abort(new DOMException("the time is over", "TimeoutError"));
  }, ms);
  if (outer.aborted) abort();
  else outer.addEventListener("abort", abort);
  try {
    return await work(controller.signal);
  } finally {
    clearTimeout(timer);
    outer.removeEventListener("abort", abort);
  }
}

/** The last millisecond that a Date can hold. */
const LAST_MS = 8_640_000_000_000_000;

/** `2026-11-27 14:05 UTC`, cut to the minute; `ms` since the Unix epoch. */
export function formatTime(ms: number): string {
  return cutTime(ms, -8);
}

/** `2026-11-27 14:05:07 UTC`, for what may have lasted seconds. */
export function formatMoment(ms: number): string {
  return cutTime(ms, -5);
}

function cutTime(ms: number, end: number): string {
  if (!Number.isFinite(ms) || Math.abs(ms) > LAST_MS) return "an unknown time";
  return `${new Date(ms).toISOString().slice(0, end).replace("T", " ")} UTC`;
}

/**
 * `14:00-15:00 UTC`: a bucket that begins at `start` and lasts `length` milliseconds. One of whole days
 * goes by its date: `2026-11-27 UTC`.
 */
export function formatBucket(start: number, length: number): string {
  if (length % DAY === 0) return `${formatTime(start).slice(0, 10)} UTC`;
  const hours = (ms: number): string => formatTime(ms).slice(-9, -4);
  return `${hours(start)}-${hours(start + length)} UTC`;
}

/** Unix seconds as a time; null where no date is so far away. */
export function formatSeconds(seconds: Decimal): string | null {
  const whole = round(seconds, 0).digits;
  const limit = BigInt(LAST_MS / 1_000);
  return whole < -limit || whole > limit ? null : formatTime(Number(whole) * 1_000);
}

/** The UTC day that a time lies in, as YYYY-MM-DD; epoch milliseconds that a Date can hold. */
export function isoDay(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

/** Midnight UTC of the day that a time lies in; both in epoch milliseconds. */
export function midnightOf(ms: number): number {
  return Math.floor(ms / DAY) * DAY;
}

/** `03:10` on the day of another time, else with its date; with seconds where it has some. UTC. */
export function timeBeside(time: number, beside: number): string {
  const text = (time % 60_000 === 0 ? formatTime(time) : formatMoment(time)).replace(/ UTC$/, "");
  const day = formatTime(beside).slice(0, 11);
  return text.startsWith(day) ? text.slice(day.length) : text;
}
