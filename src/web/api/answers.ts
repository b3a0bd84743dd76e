import type { Clock } from "../../base/clock.ts";
import { SECOND } from "../../base/duration.ts";

/** Times and mutes move on though nothing is decided. */
const FRESH_MS = 2 * SECOND;
const MOST = 50;

/** Answers that several ask for at once, made once as long as nothing has changed. */
export class Answers<T> {
  readonly #kept = new Map<string, Promise<T>>();
  #version = -1;
  #madeAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly clock: Clock) {}

  /** The answer to a question as of a version of everything; whoever gets it leaves it as it is. */
  get(question: string, version: number, make: () => Promise<T>): Promise<T> {
    const now = this.clock.elapsed();
    if (version !== this.#version || now - this.#madeAt >= FRESH_MS || this.#kept.size >= MOST) {
      this.#kept.clear();
      this.#version = version;
      this.#madeAt = now;
    }
    const known = this.#kept.get(question);
    if (known !== undefined) return known;
    const made = make();
    this.#kept.set(question, made);
    made.catch(() => this.#kept.delete(question));
    return made;
  }
}
