import { setImmediate as breathe } from "node:timers/promises";
import type { Run } from "../../model/index.ts";
import { type GoingRun, goingOn } from "../rows.ts";
import type { Database } from "./driver.ts";

/** Rows that go into one statement: it halves the cost of a row, and more rows win no more. */
const BLOCK = 32;
/** Runs that are read without a pause, about 5 ms. */
const STRIDE = 4_000;
/** Runs that one statement follows along a chain: half the time of one for each run, or of a recursive one. */
const LINKS = 8;

/** Writes the newest run of a series, moves the one before to the older ones, and chains them. */
const UPSERT = (rows: number): string => `
  INSERT INTO newest (series, first, last, value)
  VALUES ${Array.from({ length: rows }, () => "(?, ?, ?, ?)").join(", ")}
  ON CONFLICT (series) DO UPDATE SET
    prev = CASE WHEN excluded.first > first THEN first ELSE prev END,
    first = excluded.first, last = excluded.last, value = excluded.value
  WHERE excluded.first >= first`;

/** A run and those before it; null past the end of the chain. */
const WALK = `
  SELECT ${Array.from({ length: LINKS }, (_, i) => `r${i}.last, r${i}.value, r${i}.prev`).join(", ")}
  FROM runs r0 ${Array.from(
    { length: LINKS - 1 },
    (_, i) =>
      `LEFT JOIN runs r${i + 1} ON r${i + 1}.first = r${i}.prev AND r${i + 1}.series = r${i}.series`,
  ).join("\n  ")}
  WHERE r0.first = ? AND r0.series = ?`;

interface Link {
  readonly first: number;
  readonly last: number;
  readonly value: string | null;
  readonly prev: number | null;
}

type Values = (number | string | null)[];

/** Samples as runs: writing them, and walking a series backwards. */
export function runTable(db: Database) {
  const extendSeries = db.prepare<[number, number, number, number]>(
    "UPDATE newest SET last = ? WHERE series BETWEEN ? AND ? AND last = ?",
  );
  const upsertBlock = db.prepare<[Values]>(UPSERT(BLOCK));
  const upsert = db.prepare<[number, number, number, string | null]>(UPSERT(1));
  const allNewest = db
    .prepare<[], [number, number, number, string | null]>(
      "SELECT series, first, last, value FROM newest",
    )
    .raw();
  const newestOf = db.prepare<[number], Link>(
    "SELECT first, last, value, prev FROM newest WHERE series = ?",
  );
  const olderAt = db.prepare<[number, number], Link>(
    "SELECT first, last, value, prev FROM runs WHERE first = ? AND series = ?",
  );
  const walk = db.prepare<[number, number], Values>(WALK).raw();
  const replaceOlder = db.prepare<[number, string | null, number, number]>(
    "UPDATE runs SET last = ?, value = ? WHERE first = ? AND series = ?",
  );
  const insertOlder = db.prepare<[number, number, number, string | null, number | null]>(
    "INSERT INTO runs (first, series, last, value, prev) VALUES (?, ?, ?, ?, ?)",
  );
  const chainNewest = db.prepare<[number, number]>("UPDATE newest SET prev = ? WHERE series = ?");
  const chainOlder = db.prepare<[number, number, number]>(
    "UPDATE runs SET prev = ? WHERE first = ? AND series = ?",
  );

  const shortenNewest = db.prepare<[number, number]>("UPDATE newest SET last = ? WHERE series = ?");
  const shortenOlder = db.prepare<[number, number, number]>(
    "UPDATE runs SET last = min(last, ?) WHERE first = ? AND series = ?",
  );
  const moveNewest = db.prepare<[number, number, number | null, number]>(
    "UPDATE newest SET first = ?, last = ?, prev = ? WHERE series = ?",
  );
  const deleteOlder = db.prepare<[number, number]>(
    "DELETE FROM runs WHERE first = ? AND series = ?",
  );

  function rewindOne(series: number, now: number): void {
    const newest = newestOf.get(series);
    if (newest === undefined || newest.last <= now) return;
    if (newest.first <= now) {
      shortenNewest.run(now, series);
      return;
    }
    let { prev } = newest;
    // One that began at `now` gives way as well: a series has one run at a date.
    while (prev !== null && prev >= now) {
      const older = olderAt.get(prev, series);
      deleteOlder.run(prev, series);
      prev = older?.prev ?? null;
    }
    if (prev !== null) shortenOlder.run(now, prev, series);
    moveNewest.run(now, now, prev, series);
  }

  /** Where the runs end that were written in this transaction as the newest of their series. */
  const written = new Map<number, number>();

  function putOne(run: Run): void {
    const { changes } = upsert.run(run.series, run.first, run.last, run.value);
    if (changes === 0) putOlder(run);
    else written.set(run.series, run.last);
  }

  /** The run that was put into a chain last: of a history the next one belongs right before it. */
  let latest: { series: number; first: number; prev: number | null } | null = null;

  /** A bucket that was revised or came late: replaced where it is, or put into the chain. */
  function putOlder({ series, first, last, value }: Run): void {
    if (replaceOlder.run(last, value, first, series).changes > 0) return;
    const newest = newestOf.get(series);
    if (newest === undefined) throw new Error(`series ${series} has no run`);
    let later: Pick<Link, "first" | "prev"> = newest;
    if (latest !== null && latest.series === series && latest.first > first) later = latest;
    while (later.prev !== null && later.prev > first) {
      const older = olderAt.get(later.prev, series);
      // Pruned: the chain ends here.
      if (older === undefined) break;
      later = older;
    }
    const prev = later.prev !== null && later.prev < first ? later.prev : null;
    insertOlder.run(first, series, last, value, prev);
    if (later === newest) chainNewest.run(first, series);
    else chainOlder.run(first, later.first, series);
    latest = { series, first, prev };
  }

  function putAll(runs: readonly Run[]): void {
    let at = 0;
    for (; at + BLOCK <= runs.length; at += BLOCK) {
      const block = runs.slice(at, at + BLOCK);
      const values: Values = [];
      for (const run of block) values.push(run.series, run.first, run.last, run.value);
      // Writing the others of the block a second time changes nothing.
      if (upsertBlock.run(values).changes < BLOCK) for (const run of block) putOne(run);
      else for (const run of block) written.set(run.series, run.last);
    }
    for (const run of runs.slice(at)) putOne(run);
  }

  /** Moves the ends of runs that go on, all of one round: those of consecutive series together. */
  function extend(runs: readonly GoingRun[], last: number): void {
    let range: GoingRun[] = [];
    for (const run of runs.toSorted((a, b) => a.series - b.series)) {
      const previous = range.at(-1);
      if (previous !== undefined && !follows(run, previous, last)) {
        extendRange(range, last);
        range = [];
      }
      range.push(run);
    }
    extendRange(range, last);
  }

  /** Whether all between the two runs end at `last` already, so that one statement moves both ends and no other. */
  function follows(run: GoingRun, previous: GoingRun, last: number): boolean {
    if (run.before !== previous.before) return false;
    let between = previous.series + 1;
    while (between < run.series && written.get(between) === last) between += 1;
    return between === run.series;
  }

  /** Where a run ended tells which it is: those of a series never overlap. */
  function extendRange(range: readonly GoingRun[], last: number): void {
    const [from] = range;
    const to = range.at(-1);
    if (from === undefined || to === undefined) return;
    const { changes } = extendSeries.run(last, from.series, to.series, from.before);
    // One of them is not the newest of its series.
    if (changes < range.length) putAll(range);
  }

  /**
   * Adds the run that begins at `first` and those before it, until one has ended before `from`. The run to go
   * on with; null: the window is full, or the rest of the chain was pruned.
   */
  function follow(runs: Run[], series: number, begin: number, from: number): number | null {
    const columns = walk.get(begin, series);
    if (columns === undefined) return null;
    let first: Values[number] | undefined = begin;
    for (let at = 0; at < columns.length; at += 3) {
      const last = columns[at];
      const value = columns[at + 1];
      if (typeof first !== "number" || typeof last !== "number") return null;
      runs.push({ series, first, last, value: typeof value === "string" ? value : null });
      if (last < from) return null;
      first = columns[at + 2];
    }
    return typeof first === "number" ? first : null;
  }

  return {
    /** Inside a transaction. */
    put(runs: readonly Run[]) {
      latest = null;
      written.clear();
      const { last, going, others } = goingOn(runs);
      putAll(others);
      extend(going, last);
    },

    /** Inside a transaction: what is dated later than `now` is dated `now`; the last one stays. */
    rewind(series: readonly number[], now: number) {
      for (const id of series) rewindOne(id, now);
    },

    newest() {
      const found = new Map<number, Run>();
      for (const [series, first, last, value] of allNewest.iterate()) {
        found.set(series, { series, first, last, value });
      }
      return found;
    },

    /** Gives the event loop a turn every few milliseconds. */
    async window(series: readonly number[], from: number) {
      const found = new Map<number, Run[]>();
      let read = 0;
      const pauseIsDue = (runs: number): boolean => {
        read += runs;
        if (read < STRIDE) return false;
        read = 0;
        return true;
      };
      for (const id of series) {
        const newest = newestOf.get(id);
        if (newest === undefined) continue;
        const { first, last, value } = newest;
        const runs: Run[] = [{ series: id, first, last, value }];
        let next = last < from ? null : newest.prev;
        while (next !== null) {
          next = follow(runs, id, next, from);
          if (pauseIsDue(LINKS)) await breathe();
        }
        if (pauseIsDue(1)) await breathe();
        found.set(id, runs.toReversed());
      }
      return found;
    },
  };
}
