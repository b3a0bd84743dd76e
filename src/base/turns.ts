import { setImmediate } from "node:timers/promises";

/** So long, in real milliseconds, one piece of work may hold the event loop. */
const LONGEST_MS = 5;

/** Gives the event loop a turn every few milliseconds of a long piece of work. */
export class YieldingLoop {
  #since = performance.now();

  get isDue(): boolean {
    return performance.now() - this.#since >= LONGEST_MS;
  }

  async give(): Promise<void> {
    await setImmediate();
    this.#since = performance.now();
  }
}

/** A long piece of work, which may be interrupted after each step; its result is the last value. */
export type Steps<Result> = Generator<void, Result>;

/** Takes all steps, and lets other work go on in between. Rejects as they throw. */
export async function inTurns<Result>(steps: Steps<Result>): Promise<Result> {
  const turns = new YieldingLoop();
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (turns.isDue) await turns.give();
  }
}

/** Takes all steps at once. Throws as they do. */
export function atOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
