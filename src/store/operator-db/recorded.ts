import { storeName } from "../../base/postgres-url.ts";
import type { Run, SeriesName, StorePlace } from "../../model/index.ts";
import type { Database } from "../sqlite/driver.ts";
import { StoreError } from "../store.ts";
import { type Access, openAccess, openOwnAccess } from "./access.ts";
import { factsIn, keyOf } from "./recorded-facts.ts";
import { hasRevisions, listOfNames, PAGE, roundPages } from "./recorded-rounds.ts";
import { runPages } from "./recorded-runs.ts";
import type { Recorded, RecordedAlert, RecordedSpan } from "./recorded-view.ts";

export { keyOf } from "./recorded-facts.ts";
export type { RecordedRound } from "./recorded-rounds.ts";
export type { Recorded, RecordedSpan } from "./recorded-view.ts";

/** Opens what is recorded at `place` beside a daemon or without one; null: no database. Throws StoreError. */
export async function openRecorded(place: StorePlace): Promise<Recorded | null> {
  if (typeof place !== "string") {
    const { openServerRecorded } = await import("../postgres/operator/recorded.ts");
    return await openServerRecorded(place);
  }
  const access = await openAccess(place, false);
  return access === null ? null : recordedIn(access);
}

/** The same within the daemon that holds the database open. Throws StoreError. */
export async function openOwnRecorded(place: StorePlace): Promise<Recorded> {
  if (typeof place === "string") return recordedIn(await openOwnAccess(place));
  const recorded = await openRecorded(place);
  if (recorded === null) throw new StoreError("gone", `${storeName(place)} has no tables any more`);
  return recorded;
}

/** What is read at once, for who waits for pages. */
async function* later<T>(pages: Generator<T>): AsyncGenerator<T> {
  yield* pages;
}

function recordedIn(access: Access): Recorded {
  return {
    series: async (keys) =>
      access.read((db) => {
        const wanted = new Set(keys);
        const all = db.prepare<[], SeriesName>(
          `SELECT series.id, text AS subject, metric
           FROM series JOIN names ON names.id = series.subject ORDER BY series.id`,
        );
        return [...all.iterate()].filter(({ subject }) => wanted.has(keyOf(subject)));
      }),
    watched: async (keys) =>
      access.read((db) =>
        db
          .prepare<[string], RecordedAlert>(
            `SELECT rules.text AS rule, subjects.text AS subject, alerts.label
             FROM names AS subjects JOIN alerts ON alerts.subject = subjects.id
               JOIN names AS rules ON rules.id = alerts.rule
             WHERE subjects.text IN (SELECT value FROM json_each(?))`,
          )
          .all(JSON.stringify(keys)),
      ),
    facts: async (keys) => access.read((db) => factsIn(db, keys)),
    rules: async () =>
      access.read((db) => {
        const lists = db.prepare<[], string>("SELECT names FROM rule_sets").pluck().all();
        return new Set(lists.flatMap(listOfNames));
      }),
    spans: async (series) => access.read((db) => spansOf(db, series)),
    span: async () =>
      access.read((db) => {
        const [first, last] = db
          .prepare<[], [number | null, number | null]>("SELECT min(date), max(date) FROM rounds")
          .raw()
          .get() ?? [null, null];
        return first === null || last === null ? null : { first, last };
      }),
    runs: (series, from, to) => later(runPages(access, series, from, to)),
    revisedSince: async (series) => access.read((db) => revisedSince(db, series)),
    revisions: (series, from, to) => later(revisionPages(access, series, from, to)),
    rounds: (from, to) => later(roundPages(access, from, to)),
    close: () => access.close(),
  };
}

function spansOf(db: Database, series: readonly number[]): ReadonlyMap<number, RecordedSpan> {
  const newest = db
    .prepare<[number], [first: number, last: number]>(
      "SELECT first, last FROM newest WHERE series = ?",
    )
    .raw();
  const oldest = db
    .prepare<[number], number>("SELECT first FROM runs WHERE series = ? ORDER BY first LIMIT 1")
    .pluck();
  const spans = new Map<number, RecordedSpan>();
  for (const id of series) {
    const end = newest.get(id);
    if (end === undefined) continue;
    const [first, last] = end;
    spans.set(id, { first: Math.min(first, oldest.get(id) ?? first), last });
  }
  return spans;
}

function revisedSince(db: Database, series: readonly number[]): ReadonlyMap<number, number> {
  if (!hasRevisions(db)) return new Map();
  const rows = db
    .prepare<[string], [series: number, at: number]>(
      `SELECT series, min(at) FROM revisions
       WHERE series IN (SELECT value FROM json_each(?)) GROUP BY series`,
    )
    .raw()
    .all(JSON.stringify(series));
  return new Map(rows);
}

type RevisionRow = [at: number, series: number, first: number, value: string | null];

function* revisionPages(
  access: Access,
  series: readonly number[],
  from: number,
  to: number,
): Generator<readonly Run[]> {
  const wanted = JSON.stringify(series);
  let after: RevisionRow = [from, -1, -1, null];
  const select = access.read((db) =>
    hasRevisions(db)
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
    const rows = access.read(() => select?.all(at, id, first, to, wanted) ?? []);
    const end = rows.at(-1);
    if (end === undefined) return;
    yield rows.map(([seen, one, start, value]) => {
      return { series: one, first: start, last: start, value, seen };
    });
    if (rows.length < PAGE) return;
    after = end;
  }
}
