import { pause } from "./abort.ts";

/**
 * At most so many requests in any one second. It keeps the times of the last ones: the next may
 * go a second after the one that is so many before it. So a short burst goes at once, and a rate
 * that a service counts in any window is kept. Rates below one are one in a longer time.
 */
export class RateLimit {
  readonly #times: Float64Array;
  readonly #windowMs: number;
  #next = 0;

  constructor(requestsPerSecond: number) {
    const count = Math.max(1, Math.floor(requestsPerSecond));
    this.#times = new Float64Array(count).fill(Number.NEGATIVE_INFINITY);
    this.#windowMs = (count / requestsPerSecond) * 1_000;
  }

  /**
   * Takes the next place in the row and waits, in real time, until its turn has come or the
   * signal is aborted. Undefined: it may go at once.
   */
  take(signal: AbortSignal): Promise<void> | undefined {
    const now = performance.now();
    const at = Math.max(now, (this.#times[this.#next] ?? now) + this.#windowMs);
    this.#times[this.#next] = at;
    this.#next = (this.#next + 1) % this.#times.length;
    return at > now ? pause(at - now, signal) : undefined;
  }
}
