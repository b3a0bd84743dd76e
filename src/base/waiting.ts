import { setMaxListeners } from "node:events";

/** Calls `listener` once when the signal is aborted; returns a function that takes it back. */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  // All requests of a round listen to one signal; Node would take more than ten for a leak.
  setMaxListeners(0, signal);
  // A removed listener still points to the next one, so that in a long round they may all be kept:
  // with nothing in their hands.
  let wanted: (() => void) | null = listener;
  const listen = (): void => wanted?.();
  signal.addEventListener("abort", listen);
  return () => {
    wanted = null;
    signal.removeEventListener("abort", listen);
  };
}

/** Waits in real time; an abort ends the wait early. Never rejects. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      stopListening();
      resolve();
    };
    const timer = setTimeout(end, ms);
    const stopListening = onAbort(signal, end);
  });
}

/**
 * At most so many requests in any one second. It keeps the times of the last ones: the next may
 * go a second after the one that is so many before it. So a short burst goes at once, and a rate
 * that a service counts in any window is kept. Rates below one are one in a longer time.
 */
export class RateLimit {
  #times: Float64Array;
  #windowMs: number;
  /** Those that wait for their turn, in the order in which they came. */
  readonly #waiting = new Set<() => void>();
  #next = 0;
  #timer: NodeJS.Timeout | null = null;

  constructor(requestsPerSecond: number) {
    const count = countOf(requestsPerSecond);
    this.#times = new Float64Array(count).fill(Number.NEGATIVE_INFINITY);
    this.#windowMs = windowOf(requestsPerSecond);
  }

  /** Another rate from now on, also for those who wait; what has gone by the one before counts. */
  set(requestsPerSecond: number): void {
    const count = countOf(requestsPerSecond);
    // From the oldest to the newest.
    const times = [...this.#times.subarray(this.#next), ...this.#times.subarray(0, this.#next)];
    const known = times.slice(-count);
    this.#times = new Float64Array(count).fill(Number.NEGATIVE_INFINITY);
    this.#times.set(known, count - known.length);
    this.#next = 0;
    this.#windowMs = windowOf(requestsPerSecond);
    this.#rest();
    this.#serve();
  }

  /**
   * Waits in the row, in real time, until its turn has come; undefined: it may go at once. One whose
   * signal is aborted waits no longer and takes nobody's turn.
   */
  take(signal: AbortSignal): Promise<void> | undefined {
    if (signal.aborted) return Promise.resolve();
    if (this.#waiting.size === 0 && this.#takes()) return undefined;
    return new Promise((resolve) => {
      const end = (): void => {
        this.#waiting.delete(end);
        if (this.#waiting.size === 0) this.#rest();
        stopListening();
        resolve();
      };
      const stopListening = onAbort(signal, end);
      this.#waiting.add(end);
      this.#serve();
    });
  }

  #rest(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  /** Takes the turn that there is now, if there is one. */
  #takes(): boolean {
    const now = performance.now();
    if (now < this.#due()) return false;
    this.#times[this.#next] = now;
    this.#next = (this.#next + 1) % this.#times.length;
    return true;
  }

  #due(): number {
    return (this.#times[this.#next] ?? 0) + this.#windowMs;
  }

  /** Lets go whose turn it is, and comes back when it is the next one's. */
  #serve(): void {
    if (this.#timer !== null) return;
    for (const end of this.#waiting) {
      if (!this.#takes()) break;
      end();
    }
    if (this.#waiting.size === 0) return;
    this.#timer = setTimeout(
      () => {
        this.#timer = null;
        this.#serve();
      },
      Math.ceil(this.#due() - performance.now()),
    );
  }
}

/** Of a rate that is no whole number the next greater one, in a longer time: in no second there are more than that. */
function countOf(requestsPerSecond: number): number {
  return Math.max(1, Math.ceil(requestsPerSecond));
}

/** Within how many milliseconds no more than `countOf` may go. */
function windowOf(requestsPerSecond: number): number {
  return (countOf(requestsPerSecond) / requestsPerSecond) * 1_000;
}

/** A number of seconds, whole or not, with or without the unit that some servers add. */
const SECONDS = /^\+?(\d+(?:\.\d*)?|\.\d+)\s*(?:s|secs?|seconds?)?$/i;
/** A date that HTTP knows begins with the name of a day: `Sun, 06 Nov`, `Sunday, 06-Nov`, `Sun Nov 6`. */
const HTTP_DATE = /^[a-z]{3,9},? /i;
const ISO_DATE = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/;
const NAMES_ZONE = /(?:GMT|UTC|Z|[+-]\d\d:?\d\d)$/i;
/** Where one value of a list ends and the next one begins: a date has a comma of its own. */
const BETWEEN = /,(?![^,]*\b\d\d:\d\d)|(?<=\d\d:\d\d:\d\d[^,]*),/;

/**
 * What a Retry-After header asks for, in milliseconds from `now` (epoch milliseconds), never negative
 * and perhaps very long: who waits sets the bound. Seconds of any length and all three forms of a date
 * are understood; of a header that came several times the longest wait counts. Null where it is absent
 * or neither. Source: RFC 9110, 10.2.3.
 */
export function parseRetryAfter(
  header: string | readonly string[] | null | undefined,
  now: number,
): number | null {
  const texts = typeof header === "string" ? [header] : (header ?? []);
  let longest: number | null = null;
  for (const text of texts.flatMap((one) => one.split(BETWEEN))) {
    const wait = parseOne(text.trim(), now);
    if (wait !== null) longest = Math.max(longest ?? 0, wait);
  }
  return longest;
}

function parseOne(text: string, now: number): number | null {
  const [, seconds] = SECONDS.exec(text) ?? [];
  if (seconds !== undefined) return Math.min(Number(seconds) * 1_000, Number.MAX_SAFE_INTEGER);
  if (!HTTP_DATE.test(text) && !ISO_DATE.test(text)) return null;
  // The oldest form of a date does not name its zone, which is always GMT.
  const zone = NAMES_ZONE.test(text) ? "" : ISO_DATE.test(text) ? "Z" : " GMT";
  const date = Date.parse(text + zone);
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}
