import { onAbort } from "./abort.ts";

/**
 * At most so many requests in any one second. It keeps the times of the last ones: the next may
 * go a second after the one that is so many before it. So a short burst goes at once, and a rate
 * that a service counts in any window is kept. Rates below one are one in a longer time.
 */
export class RateLimit {
  readonly #times: Float64Array;
  readonly #windowMs: number;
  /** Those that wait for their turn, in the order in which they came. */
  readonly #waiting = new Set<() => void>();
  #next = 0;
  #timer: NodeJS.Timeout | null = null;

  constructor(requestsPerSecond: number) {
    const count = Math.max(1, Math.floor(requestsPerSecond));
    this.#times = new Float64Array(count).fill(Number.NEGATIVE_INFINITY);
    this.#windowMs = (count / requestsPerSecond) * 1_000;
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
