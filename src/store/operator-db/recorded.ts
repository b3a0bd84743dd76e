import { storeName } from "../../base/postgres-url.ts";
import type { StorePlace } from "../../model/index.ts";
import { StoreError } from "../store.ts";
import { revisionPages } from "./recorded-revisions.ts";
import { roundPages } from "./recorded-rounds.ts";
import { runPages } from "./recorded-runs.ts";
import { recordedIn } from "./recorded-tables.ts";
import type { Recorded } from "./recorded-view.ts";
import { openOwnSqliteAccess, openSqliteAccess, type SqliteAccess } from "./sqlite-access.ts";

export { keyOf } from "./recorded-facts.ts";
export type { RecordedRound } from "./recorded-rounds.ts";
export type { Recorded, RecordedSpan } from "./recorded-view.ts";

/** Opens what is recorded at `place` beside a daemon or without one; null: no database. Throws StoreError. */
export async function openRecorded(place: StorePlace): Promise<Recorded | null> {
  if (typeof place !== "string") {
    const { openServerRecorded } = await import("../postgres/operator/recorded.ts");
    return await openServerRecorded(place);
  }
  const access = await openSqliteAccess(place, false);
  return access === null ? null : recordedBySqlite(access);
}

/** The same within the daemon that holds the database open. Throws StoreError. */
export async function openOwnRecorded(place: StorePlace): Promise<Recorded> {
  if (typeof place === "string") return recordedBySqlite(await openOwnSqliteAccess(place));
  const recorded = await openRecorded(place);
  if (recorded === null) throw new StoreError("gone", `${storeName(place)} has no tables any more`);
  return recorded;
}

function recordedBySqlite(access: SqliteAccess): Recorded {
  return recordedIn(access, {
    runs: (series, from, to) => later(runPages(access, series, from, to)),
    revisions: (series, from, to) => later(revisionPages(access, series, from, to)),
    rounds: (from, to) => later(roundPages(access, from, to)),
  });
}

/** What is read at once, for who waits for pages. */
async function* later<T>(pages: Generator<T>): AsyncGenerator<T> {
  yield* pages;
}
