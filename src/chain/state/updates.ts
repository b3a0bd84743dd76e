import type { Header } from "../codec/blocks.ts";

/** Subjects whose states are remembered. */
const MOST = 50_000;

interface Seen {
  readonly state: string;
  readonly block: number;
  readonly time: number;
}

/**
 * Since when a subject has been as it is: the first block at which it was read so. What happened before the
 * first reading is not known, so that this is never later than the last event after it, and never before
 * the reading began.
 */
export class Updates {
  readonly #seen = new Map<string, Seen>();

  /** `state` is anything that changes with the subject. */
  note(subject: string, state: string, { number, time }: Header): Seen {
    const known = this.#seen.get(subject);
    if (known !== undefined && known.state === state && known.block <= number) return known;
    const seen = { state, block: number, time };
    this.#seen.delete(subject);
    this.#seen.set(subject, seen);
    const [oldest] = this.#seen.size > MOST ? this.#seen.keys() : [];
    if (oldest !== undefined) this.#seen.delete(oldest);
    return seen;
  }
}
