import type { Run } from "../../model/index.ts";
import type { Database } from "./driver.ts";

/** What buckets said from which round on. */
export interface RevisionTable {
  /** Inside a transaction: those of the runs that are news of a bucket. */
  put(runs: readonly Run[]): void;
}

export function revisionTable(db: Database): RevisionTable {
  const put = db.prepare<[number, number, number, string | null]>(
    "INSERT OR REPLACE INTO revisions (at, series, first, value) VALUES (?, ?, ?, ?)",
  );
  return {
    put(runs) {
      for (const { seen, series, first, value } of runs) {
        if (seen !== undefined) put.run(seen, series, first, value);
      }
    },
  };
}
