import { existsSync } from "node:fs";
import type { StorePlace } from "../../model/index.ts";
import { type Database, loadDriver } from "../sqlite/driver.ts";
import { storeFailure } from "../sqlite/failure.ts";
import { makePrivate } from "../sqlite/private-files.ts";
import { HISTORY_CACHE } from "../sqlite/upgrades.ts";
import { StoreError } from "../store.ts";
import { type Access, accessTo, openAccess } from "./access.ts";
import type { HistoryCache } from "./cached-history.ts";

/** What an own file is called, behind the name of the database that it lies beside. */
const OWN_END = ".history";

/** Another backtest may just be writing. */
const BUSY_MS = 5_000;

type Row = [first: number, last: number, body: Buffer];

/**
 * Opens what was kept in the database at `place`, beside a daemon or without one. Where there is no database yet, or
 * one of before such a table, it is a file of its own beside it, `PATH.history`, of which everything that was
 * fetched before `since` is deleted. Null: there is neither, and `make` is false, or there is no daemon's schema on
 * the server yet. Throws StoreError.
 */
export async function openHistoryCache(
  place: StorePlace,
  since: number,
  make: boolean,
): Promise<HistoryCache | null> {
  if (typeof place !== "string") {
    const { openServerHistoryCache } = await import("../postgres/operator/history-cache.ts");
    return await openServerHistoryCache(place);
  }
  const access = await openAccess(place, true);
  if (access?.read(hasTable) === true) return cacheIn(access);
  access?.close();
  const file = `${place}${OWN_END}`;
  if (!make && !existsSync(file)) return null;
  const own = await openOwn(file);
  own.write((db) => db.prepare("DELETE FROM history_cache WHERE fetched_at < ?").run(since));
  return cacheIn(own);
}

async function openOwn(path: string): Promise<Access> {
  const driver = await loadDriver();
  try {
    makePrivate(path);
    const db = new driver(path, { fileMustExist: true, timeout: BUSY_MS });
    try {
      const make = db.transaction(() => {
        if (!hasTable(db)) db.exec(HISTORY_CACHE);
      });
      make.immediate();
      return accessTo(db, path);
    } catch (error) {
      db.close();
      throw error;
    }
  } catch (error) {
    throw ownFailure(error, path);
  }
}

/** Also what the file system says, such as that the folder is not there. */
function ownFailure(error: unknown, path: string): unknown {
  const known = storeFailure(error, path);
  if (known instanceof StoreError || !(error instanceof Error) || !("code" in error)) return known;
  return new StoreError("unwritable", `cannot write ${path} (${String(error.code)})`, {
    cause: error,
  });
}

function hasTable(db: Database): boolean {
  const table = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'history_cache'").get();
  return table !== undefined;
}

function cacheIn(access: Access): HistoryCache {
  return {
    find: async (key) =>
      access.read((db) => {
        const row = db
          .prepare<[string], Row>("SELECT first, last, body FROM history_cache WHERE key = ?")
          .raw()
          .get(key);
        return row === undefined ? null : { first: row[0], last: row[1], body: row[2] };
      }),
    put: async (key, { first, last, body }, now) =>
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
