import type { SeriesName } from "../../model/index.ts";
import type { Database } from "./driver.ts";
import type { Names } from "./names.ts";

export interface SeriesTable {
  /** Inside a transaction; throws for a number or a name that is taken by another series. */
  put(name: SeriesName): void;
  all(): SeriesName[];
}

export function seriesTable(db: Database, names: Names): SeriesTable {
  const put = db.prepare<[number, number, string]>(
    `INSERT INTO series (id, subject, metric) VALUES (?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET metric = excluded.metric
     WHERE subject = excluded.subject AND metric = excluded.metric`,
  );
  const all = db
    .prepare<[], [number, number, string]>("SELECT id, subject, metric FROM series")
    .raw();
  return {
    put({ id, subject, metric }) {
      if (put.run(id, names.idOf(subject), metric).changes === 0) {
        throw new Error(`series ${id} has another name already`);
      }
    },
    all: () =>
      Array.from(all.iterate(), ([id, subject, metric]) => ({
        id,
        subject: names.textOf(subject),
        metric,
      })),
  };
}
