import { SECOND } from "../../base/duration.ts";
import { keepNewest } from "../../base/keep-newest.ts";
import type { Header } from "../codec/blocks.ts";
import type { Seen, SeenTable } from "../db/seen-table.ts";

/** Subjects whose states are remembered. */
const MOST = 50_000;
/** What changed is written down together, so often (ms). */
const WRITTEN_EVERY_MS = 5 * SECOND;

/**
 * Since when a subject has been as it is: the first block at which it was read so. What happened before the
 * first reading is not known, so that this is never later than the last event after it, and never before
 * the reading began. With a table it outlives a restart.
 */
export class Updates {
  readonly #seen = new Map<string, Seen>();
  readonly #open = new Map<string, Seen>();
  #writtenAt: number;

  /** `now`: milliseconds of a clock that is never set back. */
  constructor(
    private readonly table: SeenTable | null,
    private readonly now: () => number,
  ) {
    this.#writtenAt = now();
  }

  /** `state` is anything that changes with the subject. */
  note(subject: string, state: string, { number, time }: Header): Seen {
    const known = this.#seen.get(subject) ?? this.table?.get(subject);
    const isSame = known !== undefined && known.state === state && known.block <= number;
    const seen = isSame ? known : { state, block: number, time };
    if (!isSame || !this.#seen.has(subject)) keepNewest(this.#seen, subject, seen, MOST);
    if (!isSame && this.table !== null) this.#open.set(subject, seen);
    this.same();
    return seen;
  }

  /** A subject is as it was noted last: what others have to write down is written when it is time. */
  same(): void {
    if (this.#open.size > 0 && this.now() - this.#writtenAt >= WRITTEN_EVERY_MS) this.write();
  }

  /** Writes down what was not written yet. */
  write(): void {
    this.#writtenAt = this.now();
    if (this.table === null || this.#open.size === 0) return;
    try {
      this.table.put(this.#open);
      this.#open.clear();
    } catch {
      // On a full disk what is read is as right as before, and written down later.
    }
  }
}
