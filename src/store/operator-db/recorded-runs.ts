import { listOf } from "../../base/json.ts";
import type { Run } from "../../model/index.ts";
import type { Database } from "../sqlite/driver.ts";
import { PAGE } from "./recorded-rounds.ts";
import type { SqliteAccess } from "./sqlite-access.ts";

type RunRow = [first: number, series: number, last: number, value: string | null];

/** Tells the tables of several that are gone through at a time apart. */
let tables = 0;

/** The runs of series that began in [from, to], and before them of each the one that held at `from`, by their dates. */
export function* runPages(
  access: SqliteAccess,
  series: readonly number[],
  from: number,
  to: number,
): Generator<readonly Run[]> {
  tables += 1;
  // A list in a statement would be read anew for each page.
  const wanted = `temp.wanted_${tables}`;
  access.look((db) => putAside(db, wanted, series));
  try {
    const before = access.look((db) => runsBefore(db, wanted, from));
    if (before.length > 0) yield before;
    const newest = access.look((db) =>
      db
        .prepare<[number, number], RunRow>(
          `SELECT first, series, last, value FROM newest
           WHERE series IN ${wanted} AND first BETWEEN ? AND ? ORDER BY first, series`,
        )
        .raw()
        .all(from, to)
        .map(runOf),
    );
    yield* withNewest(olderPages(access, wanted, from, to), newest);
  } finally {
    access.look((db) => db.exec(`DROP TABLE IF EXISTS ${wanted}`));
  }
}

function putAside(db: Database, table: string, series: readonly number[]): void {
  db.exec(`CREATE TABLE ${table} (series INTEGER PRIMARY KEY)`);
  db.prepare<[string]>(`INSERT OR IGNORE INTO ${table} SELECT value FROM json_each(?)`).run(
    JSON.stringify(series),
  );
}

function* olderPages(
  access: SqliteAccess,
  wanted: string,
  from: number,
  to: number,
): Generator<Run[]> {
  // A list for each column: a third faster than a row for each run.
  const select = access.look((db) =>
    db
      .prepare<[number, number, number], Columns>(
        `SELECT json_group_array(first), json_group_array(series), json_group_array(last),
           group_concat(json_quote(value), char(10))
         FROM (
           SELECT first, series, last, value FROM runs
           WHERE (first, series) > (?, ?) AND first <= ? AND series IN ${wanted}
           ORDER BY first, series LIMIT ${PAGE}
         )`,
      )
      .raw(),
  );
  let [first, series] = [from, -1];
  for (;;) {
    const columns = access.look(() => select.get(first, series, to));
    const runs = columns === undefined ? [] : runsIn(columns);
    yield runs;
    const end = runs.at(-1);
    if (end === undefined || runs.length < PAGE) return;
    ({ first, series } = end);
  }
}

/** The columns of some runs: three as JSON lists, and a line of JSON for each value; null: there are no runs. */
type Columns = [firsts: string, series: string, lasts: string, values: string | null];

function runsIn([firstList, seriesList, lastList, values]: Columns): Run[] {
  if (values === null) return [];
  const [firsts = [], series = [], lasts = []] = [firstList, seriesList, lastList].map((text) =>
    listOf(JSON.parse(text)),
  );
  return values.split("\n").map((value, i) => ({
    series: Number(series[i]),
    first: Number(firsts[i]),
    last: Number(lasts[i]),
    value: valueIn(value),
  }));
}

/** So long a line is at most whose text `slice` copies; of a longer one it would keep the whole list in memory. */
const SHORT_LINE = 14;

/** `JSON.parse` keeps short texts in a table of its own, which only a full collection empties: a year of them is much. */
function valueIn(line: string): string | null {
  if (line === "null") return null;
  if (line.length <= SHORT_LINE && !line.includes("\\")) return line.slice(1, -1);
  return String(JSON.parse(line));
}

/** Both in their order. A newest run that became an older one meanwhile is in both, and comes once: as it ended. */
function* withNewest(pages: Iterable<Run[]>, newest: readonly Run[]): Generator<readonly Run[]> {
  let next = 0;
  for (const runs of pages) {
    const merged: Run[] = [];
    for (const run of runs) {
      for (let one = newest[next]; one !== undefined && order(one, run) <= 0; one = newest[next]) {
        if (order(one, run) < 0) merged.push(one);
        next += 1;
      }
      merged.push(run);
    }
    if (merged.length > 0) yield merged;
  }
  if (next < newest.length) yield newest.slice(next);
}

function order(a: Run, b: Run): number {
  return a.first - b.first || a.series - b.series;
}

/** Of each series the newest run that began before a date. */
function runsBefore(db: Database, wanted: string, from: number): Run[] {
  const found = db
    .prepare<[number], RunRow>(
      `SELECT first, series, last, value FROM newest WHERE series IN ${wanted} AND first < ?`,
    )
    .raw()
    .all(from);
  // Runs lie by their dates: one way back through them finds those of all series.
  const missing = `${wanted}_missing`;
  db.exec(
    `CREATE TABLE ${missing} (series INTEGER PRIMARY KEY);
     INSERT INTO ${missing} SELECT series FROM newest
     WHERE series IN ${wanted} AND first >= ${from} AND prev IS NOT NULL`,
  );
  const isMissing = db.prepare<[], 1>(`SELECT 1 FROM ${missing} LIMIT 1`);
  const remove = db.prepare<[number]>(`DELETE FROM ${missing} WHERE series = ?`);
  const back = db
    .prepare<[number, number], RunRow>(
      `SELECT first, series, last, value FROM runs
       WHERE (first, series) < (?, ?) AND series IN ${missing}
       ORDER BY first DESC, series DESC LIMIT ${PAGE}`,
    )
    .raw();
  let [first, last] = [from, -1];
  while (isMissing.get() !== undefined) {
    const rows = back.all(first, last);
    const end = rows.at(-1);
    if (end === undefined) break;
    for (const row of rows) if (remove.run(row[1]).changes > 0) found.push(row);
    [first, last] = [end[0], end[1]];
  }
  db.exec(`DROP TABLE ${missing}`);
  return found.map(runOf).toSorted(order);
}

function runOf([first, series, last, value]: RunRow): Run {
  return { series, first, last, value };
}
