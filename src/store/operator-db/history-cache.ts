import { existsSync } from "node:fs";
import type { StorePlace } from "../../model/index.ts";
import { loadDriver } from "../sqlite/driver.ts";
import { storeFailure } from "../sqlite/failure.ts";
import { makePrivate } from "../sqlite/private-files.ts";
import { HISTORY_CACHE } from "../sqlite/upgrades.ts";
import { StoreError } from "../store.ts";
import { openAccess } from "./open-access.ts";
import { accessTo, hasTable as hasTableIn } from "./sqlite-access.ts";
import { type Access, hasTable, query, run, type Work } from "./work.ts";

/** A history that was fetched for a backtest: what the service told of [first, last], epoch milliseconds. */
export interface CachedHistory {
  readonly first: number;
  readonly last: number;
  /** Packed by whoever put it. */
  readonly body: Buffer;
}

/** Histories that were fetched for backtests; windows of a daemon are never filled from them. */
export interface HistoryCache {
  /** Throws StoreError. */
  find(key: string): Promise<CachedHistory | null>;
  /** Replaces what was kept under the key; one short transaction. Throws StoreError. */
  put(key: string, history: CachedHistory, now: number): Promise<void>;
  close(): void;
}

/** What an own file is called, behind the name of the database that it lies beside. */
const OWN_END = ".history";

/** Another backtest may just be writing. */
const BUSY_MS = 5_000;

const TABLE = "history_cache";

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
  const access = await openAccess(place, true);
  if (access !== null && (await access.read(hasTable(TABLE)))) return cacheIn(access);
  access?.close();
  if (typeof place !== "string") return null;
  const file = `${place}${OWN_END}`;
  if (!make && !existsSync(file)) return null;
  const own = await openOwn(file);
  await own.write(run("DELETE FROM history_cache WHERE fetched_at < $1", [since]));
  return cacheIn(own);
}

async function openOwn(path: string): Promise<Access> {
  const driver = await loadDriver();
  try {
    makePrivate(path);
    const db = new driver(path, { fileMustExist: true, timeout: BUSY_MS });
    try {
      const make = db.transaction(() => {
        if (!hasTableIn(db, TABLE)) db.exec(HISTORY_CACHE);
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

function cacheIn(access: Access): HistoryCache {
  return {
    find: async (key) => (await access.read(query<CachedHistory>(FIND, [key])))[0] ?? null,
    put: (...given) => access.write(put(...given)),
    close: () => access.close(),
  };
}

const FIND = `SELECT first, last, body FROM history_cache WHERE key = $1
  ORDER BY fetched_at DESC LIMIT 1`;

function* put(key: string, { first, last, body }: CachedHistory, now: number): Work<void> {
  yield* run("DELETE FROM history_cache WHERE key = $1", [key]);
  // Another backtest may have put the same meanwhile.
  yield* run(
    `INSERT INTO history_cache (key, first, last, fetched_at, body) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (key, first) DO UPDATE SET last = excluded.last,
       fetched_at = excluded.fetched_at, body = excluded.body`,
    [key, first, last, now, body],
  );
}
