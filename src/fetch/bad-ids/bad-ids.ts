import type { Failure } from "../../model/index.ts";

/** An id is bad until it is answered, or was not found bad again for so long. */
export const REMEMBERED_MS = 3_600_000;
const MOST_REMEMBERED = 1_000;

interface BadId {
  readonly failure: Failure;
  readonly until: number;
  /** So many more times it is not asked but answered from memory. */
  skips: number;
}

/**
 * The asks that spoiled a batch and were bad alone as well, by key. They are asked alone, so that
 * the batch stays whole, and are good again with the first answer.
 */
export class BadIds {
  readonly #ids = new Map<string, BadId>();

  get size(): number {
    return this.#ids.size;
  }

  /** Times are milliseconds of a clock that is never set back. */
  has(key: string, now: number): boolean {
    const bad = this.#ids.get(key);
    if (bad === undefined) return false;
    if (now < bad.until) return true;
    this.#ids.delete(key);
    return false;
  }

  /** Found bad, or found bad again. Of too many the longest known one is forgotten. */
  remember(key: string, failure: Failure, now: number): void {
    const skips = this.#ids.get(key)?.skips ?? 0;
    this.#ids.delete(key);
    this.#ids.set(key, { failure, until: now + REMEMBERED_MS, skips });
    for (const oldest of this.#ids.keys()) {
      if (this.#ids.size <= MOST_REMEMBERED) break;
      this.#ids.delete(oldest);
    }
  }

  /** It was answered: it is good, and those that wait for their turn are asked in the next round. */
  pardon(key: string): void {
    this.#ids.delete(key);
    for (const bad of this.#ids.values()) bad.skips = 0;
  }

  /** An outage is over. */
  clear(): void {
    this.#ids.clear();
  }

  /** What was said of it last. */
  failure(key: string): Failure | undefined {
    return this.#ids.get(key)?.failure;
  }

  /**
   * Whether to ask a bad id in this round, which `take` must allow. If there are more than `most`
   * in all, they take turns, and all come to be asked.
   */
  takeTurn(key: string, most: number, take: () => boolean): boolean {
    const bad = this.#ids.get(key);
    if (bad === undefined) return true;
    if (bad.skips > 0) {
      bad.skips -= 1;
      return false;
    }
    if (!take()) return false;
    bad.skips = Math.ceil(this.#ids.size / most) - 1;
    return true;
  }
}
