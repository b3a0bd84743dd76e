import type { Database } from "../sqlite/driver.ts";
import { openAccess } from "./access.ts";

/** A history that was fetched for a backtest: what the service told of [first, last], epoch milliseconds. */
export interface CachedHistory {
  readonly first: number;
  readonly last: number;
  /** Packed by whoever put it. */
  readonly body: Buffer;
}

/** Histories that were fetched for backtests; windows of a daemon are never filled from them. */
export interface HistoryCache {
  find(key: string): CachedHistory | null;
  /** Replaces what was kept under the key; one short transaction. */
  put(key: string, history: CachedHistory, now: number): void;
  close(): void;
}

type Row = [first: number, last: number, body: Buffer];

/** Opens it beside a daemon or without one; null: there is no database, or one of before it was kept. Throws StoreError. */
export async function openHistoryCache(path: string): Promise<HistoryCache | null> {
  const access = await openAccess(path, true);
  if (access === null) return null;
  const isThere = (db: Database): boolean =>
    db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'history_cache'").get() !== undefined;
  if (!access.read(isThere)) {
    access.close();
    return null;
  }
  return {
    find: (key) =>
      access.read((db) => {
        const row = db
          .prepare<[string], Row>("SELECT first, last, body FROM history_cache WHERE key = ?")
          .raw()
          .get(key);
        return row === undefined ? null : { first: row[0], last: row[1], body: row[2] };
      }),
    put: (key, { first, last, body }, now) =>
      access.write((db) => {
        db.prepare("DELETE FROM history_cache WHERE key = ?").run(key);
        db.prepare("INSERT INTO history_cache VALUES (?, ?, ?, ?, ?)").run(
          key,
          first,
          last,
          now,
          body,
        );
      }),
    close: () => access.close(),
  };
}
