import { setImmediate as breathe } from "node:timers/promises";
import type { Run } from "../../model/index.ts";
import { runsFrom } from "../buffered-change.ts";
import { goingOn } from "../rows.ts";
import { insert, lastOfEach, replacing } from "./rows.ts";
import type { Session } from "./session.ts";

const RUN = { series: "integer", first: "bigint", last: "bigint", value: "text" };

/** Series that are read in one statement. */
const AT_ONCE = 1_000;

/** Inside a transaction: runs of series that are there. Throws for a series that is not, or a day without a partition. */
export async function putRuns(session: Session, runs: readonly Run[]): Promise<void> {
  const { last, going, others } = goingOn(runs);
  // Unless one of them is not the newest of its series, nothing but their end is new.
  const extended = await extend(session, going, last);
  if (extended < new Set(going.map(({ series }) => series)).size) others.push(...going);
  if (others.length > 0) await putAll(session, others);
  await putRevisions(session, runs);
}

async function extend(session: Session, runs: readonly Run[], last: number): Promise<number> {
  if (runs.length === 0) return 0;
  return await session.run(
    `UPDATE newest SET last = $1
     FROM unnest($2::integer[], $3::bigint[]) AS given (series, first)
     WHERE newest.series = given.series AND newest.first = given.first`,
    [last, runs.map(({ series }) => series), runs.map(({ first }) => first)],
  );
}

async function putAll(session: Session, runs: readonly Run[]): Promise<void> {
  const all = lastOfEach(runs, ({ series, first }) => `${series} ${first}`);
  const newest = new Map<number, Run>();
  for (const run of all) {
    const other = newest.get(run.series);
    if (other === undefined || other.first < run.first) newest.set(run.series, run);
  }
  const heads = [...newest.values()].toSorted((a, b) => a.series - b.series);
  const ids = heads.map(({ series }) => series);
  await session.run(
    `INSERT INTO runs (series, first, last, value)
     SELECT newest.series, newest.first, newest.last, newest.value
     FROM newest JOIN unnest($1::integer[], $2::bigint[]) AS given (series, first)
       ON given.series = newest.series WHERE given.first > newest.first`,
    [ids, heads.map(({ first }) => first)],
  );
  const put = await insert(
    session,
    {
      table: "newest",
      columns: RUN,
      conflict: `(series) DO UPDATE SET first = excluded.first, last = excluded.last,
        value = excluded.value WHERE excluded.first >= newest.first`,
    },
    heads.map(rowOf),
  );
  if (put === all.length) return;
  // Buckets that were revised or came late, and histories.
  const rows = all.map(rowOf);
  await session.run(
    `INSERT INTO runs (series, first, last, value)
     SELECT given.* FROM unnest($1::integer[], $2::bigint[], $3::bigint[], $4::text[])
       AS given (series, first, last, value)
       JOIN newest ON newest.series = given.series WHERE given.first < newest.first
     ON CONFLICT ${replacing(["series", "first"], RUN)}`,
    [0, 1, 2, 3].map((at) => rows.map((row) => row[at])),
  );
}

const REVISION = { at: "bigint", series: "integer", first: "bigint", value: "text" };

/** What buckets said from which round on. */
async function putRevisions(session: Session, runs: readonly Run[]): Promise<void> {
  const rows = runs.flatMap(({ seen, series, first, value }) =>
    seen === undefined ? [] : [[seen, series, first, value] as const],
  );
  await insert(
    session,
    {
      table: "revisions",
      columns: REVISION,
      conflict: replacing(["at", "series", "first"], REVISION),
    },
    lastOfEach(rows, ([at, series, first]) => `${at} ${series} ${first}`),
  );
}

function rowOf({
  series,
  first,
  last,
  value,
}: Run): readonly [number, number, number, string | null] {
  return [series, first, last, value];
}

/** Inside a transaction: what is dated later than `now` is dated `now`; the last one stays. */
export async function rewindRuns(
  session: Session,
  series: readonly number[],
  now: number,
): Promise<void> {
  const later = "SELECT series FROM newest WHERE series = ANY($1::integer[]) AND first > $2";
  // One that began at `now` gives way as well: a series has one run at a date.
  await session.run(`DELETE FROM runs WHERE series IN (${later}) AND first >= $2`, [series, now]);
  await session.run(`UPDATE runs SET last = $2 WHERE series IN (${later}) AND last > $2`, [
    series,
    now,
  ]);
  await session.run(
    `UPDATE newest SET last = $2, first = least(first, $2)
     WHERE series = ANY($1::integer[]) AND last > $2`,
    [series, now],
  );
}

type NewestRow = { series: number; first: number; last: number; value: string | null };

export async function newestRuns(session: Session): Promise<Map<number, Run>> {
  const rows = await session.query<NewestRow>("SELECT series, first, last, value FROM newest");
  return new Map(rows.map((row) => [row.series, row]));
}

/** Runs of a series never overlap: of those that began before `from` the last two are all that may matter. */
const WINDOW = `SELECT series, first, last, value FROM newest WHERE series = ANY($1::integer[])
  UNION ALL
  SELECT series, first, last, value FROM runs WHERE series = ANY($1::integer[]) AND first >= $2
  UNION ALL
  SELECT older.series, older.first, older.last, older.value
  FROM newest CROSS JOIN LATERAL (
    SELECT series, first, last, value FROM runs
    WHERE runs.series = newest.series AND runs.first < $2 ORDER BY first DESC LIMIT 2) AS older
  WHERE newest.series = ANY($1::integer[]) AND newest.last >= $2
  ORDER BY 1, 2`;

export async function windowOf(
  session: Session,
  series: readonly number[],
  from: number,
): Promise<Map<number, readonly Run[]>> {
  const found = new Map<number, readonly Run[]>();
  for (let start = 0; start < series.length; start += AT_ONCE) {
    const rows = await session.query<NewestRow>(WINDOW, [
      series.slice(start, start + AT_ONCE),
      from,
    ]);
    for (let at = 0; at < rows.length; ) {
      const id = rows[at]?.series ?? 0;
      let end = at;
      while (rows[end]?.series === id) end += 1;
      found.set(id, runsFrom(rows.slice(at, end), from));
      at = end;
    }
    await breathe();
  }
  return found;
}

const DAY_MS = 86_400_000;

export function dayOf(at: number): number {
  return Math.floor(at / DAY_MS);
}

/** The days that have a partition. */
export async function knownDays(session: Session): Promise<Set<number>> {
  const rows = await session.query<{ day: number }>("SELECT day FROM days_of_runs");
  return new Set(rows.map(({ day }) => day));
}

/** The days of the newest runs of these series: what they become older runs of. */
export async function daysOfNewest(session: Session, series: readonly number[]): Promise<number[]> {
  const rows = await session.query<{ day: number }>(
    `SELECT DISTINCT floor(first / ${DAY_MS}.0) AS day FROM newest WHERE series = ANY($1::integer[])`,
    [series],
  );
  return rows.map(({ day }) => day);
}
