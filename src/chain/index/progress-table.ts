import { chainName } from "../../base/chains.ts";
import { HOUR, MINUTE, SECOND } from "../../base/duration.ts";
import type { Database } from "../../store/sqlite/driver.ts";

/** How much of something is done, 0 to 1, and about how long (ms) the rest takes; null: not known yet. */
interface Remaining {
  readonly share: number;
  readonly leftMs: number | null;
}

/** Reckons how long work takes from how fast it went since it was first asked about. */
export class RemainingTime {
  readonly #begun = new Map<string, { readonly at: number; readonly done: number }>();

  constructor(private readonly elapsed: () => number) {}

  of(work: string, done: number, whole: number): Remaining {
    const at = this.elapsed();
    const share = whole <= 0 ? 1 : Math.min(Math.max(done / whole, 0), 1);
    const begun = this.#begun.get(work);
    if (begun === undefined || done < begun.done) {
      this.#begun.set(work, { at, done });
      return { share, leftMs: null };
    }
    if (done <= begun.done || at <= begun.at) return { share, leftMs: null };
    return { share, leftMs: ((at - begun.at) * (whole - done)) / (done - begun.done) };
  }
}

/** `Ethereum: gas of 90 days 61% read, 6 min left`. */
export function progressLine(
  one: Remaining & { readonly chain: number; readonly work: string },
): string {
  return `${chainName(one.chain)}: ${one.work} ${reading(one)}`;
}

/** `41% read, 2 h left`. */
export function reading({ share, leftMs }: Remaining): string {
  const read = `${Math.floor(share * 100)}% read`;
  return leftMs === null ? read : `${read}, ${roughly(leftMs)} left`;
}

function roughly(ms: number): string {
  if (ms < MINUTE) return `${Math.max(1, Math.round(ms / SECOND))} s`;
  if (ms < 2 * HOUR) return `${Math.round(ms / MINUTE)} min`;
  return `${Math.round(ms / HOUR)} h`;
}

/** What of the past is still being read, in words such as `gas of 90 days`, and how far it is. */
export interface Progress extends Remaining {
  readonly work: string;
}

/** What was written down about it, and when (epoch ms). */
export interface NotedProgress extends Progress {
  readonly chain: number;
  readonly at: number;
}

/** How far what lies behind was read, written down for those who look from beside the thread that reads it. */
export class ProgressTable {
  readonly #clear;
  readonly #put;

  constructor(
    db: Database,
    private readonly chain: number,
  ) {
    this.#clear = db.prepare<[number]>("DELETE FROM progress WHERE chain = ?");
    this.#put = db.prepare<[number, string, number, number | null, number]>(
      "INSERT INTO progress (chain, work, share, left_ms, at) VALUES (?, ?, ?, ?, ?)",
    );
  }

  /** In place of what was written before. Part of a transaction. */
  put(all: readonly Progress[], at: number): void {
    this.#clear.run(this.chain);
    for (const { work, share, leftMs } of all) {
      this.#put.run(this.chain, work, share, leftMs, at);
    }
  }
}

/** What was written down of all chains, in their order. */
export function notedProgress(db: Database): readonly NotedProgress[] {
  return db
    .prepare<[], NotedProgress>(
      "SELECT chain, work, share, left_ms AS leftMs, at FROM progress ORDER BY chain, work",
    )
    .all();
}
