import type { Run } from "../../model/index.ts";
import { PAGE } from "./recorded-rounds.ts";
import { hasTable, type SqliteAccess } from "./sqlite-access.ts";

type RevisionRow = [at: number, series: number, first: number, value: string | null];

/** What buckets of series said in the rounds of [from, to], a page at a time. */
export function* revisionPages(
  access: SqliteAccess,
  series: readonly number[],
  from: number,
  to: number,
): Generator<readonly Run[]> {
  const wanted = JSON.stringify(series);
  let after: RevisionRow = [from, -1, -1, null];
  const select = access.look((db) =>
    hasTable(db, "revisions")
      ? db
          .prepare<[number, number, number, number, string], RevisionRow>(
            `SELECT at, series, first, value FROM revisions
             WHERE (at, series, first) > (?, ?, ?) AND at <= ?
               AND series IN (SELECT value FROM json_each(?))
             ORDER BY at, series, first LIMIT ${PAGE}`,
          )
          .raw()
      : null,
  );
  for (;;) {
    const [at, id, first] = after;
    const rows = access.look(() => select?.all(at, id, first, to, wanted) ?? []);
    const end = rows.at(-1);
    if (end === undefined) return;
    yield rows.map(([seen, one, start, value]) => {
      return { series: one, first: start, last: start, value, seen };
    });
    if (rows.length < PAGE) return;
    after = end;
  }
}
