import type { Database } from "../../store/sqlite/driver.ts";
import type { Remaining } from "./remaining.ts";

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
