import { setImmediate } from "node:timers/promises";

/** So long, in real milliseconds, one piece of work may hold the event loop. */
const LONGEST_MS = 5;

/** Gives the event loop a turn every few milliseconds of a long piece of work. */
export class Turns {
  #since = performance.now();

  get isDue(): boolean {
    return performance.now() - this.#since >= LONGEST_MS;
  }

  async give(): Promise<void> {
    await setImmediate();
    this.#since = performance.now();
  }
}
