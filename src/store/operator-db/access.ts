import { existsSync, statSync } from "node:fs";
import { type Database, loadDriver } from "../sqlite/driver.ts";
import { checkLogBeside, mayMissLog } from "../sqlite/evidence.ts";
import { emptied, storeFailure } from "../sqlite/failure.ts";
import { checkHeader, formatOf } from "../sqlite/schema.ts";

/** Another process waits so long for the daemon's commit, which takes milliseconds. */
const BUSY_MS = 5_000;
/** The daemon itself does not wait so long, since its rounds do meanwhile. */
const OWN_BUSY_MS = 50;

/** A database that is open beside a daemon or without one. Its methods throw StoreError. */
export interface Access {
  /** Looks at one moment of it. */
  read<T>(work: (db: Database) => T): T;
  /** Does all of the work or nothing. */
  write<T>(work: (db: Database) => T): T;
  close(): void;
}

/**
 * Opens the database at `path` without the daemon's lease; with `mayWrite` false nothing can be changed. Null where
 * there is no database yet. Throws StoreError.
 */
export async function openAccess(path: string, mayWrite: boolean): Promise<Access | null> {
  const size = statSync(path, { throwIfNoEntry: false })?.size;
  if (size === undefined) return null;
  if (size === 0 && existsSync(`${path}.lock`)) throw emptied(path);
  const driver = await loadDriver();
  const guarded = <R>(work: () => R): R => {
    try {
      return work();
    } catch (error) {
      throw storeFailure(error, path);
    }
  };
  guarded(() => checkHeader(path));
  await checkLogBeside(path);
  return guarded(() => {
    const db = new driver(path, { readonly: !mayWrite, fileMustExist: true, timeout: BUSY_MS });
    try {
      if (formatOf(db, path) === null) {
        db.close();
        return null;
      }
      mayMissLog(db, path, existsSync(`${path}.lock`));
      // As the daemon writes: what it is told must not be lost with the power.
      if (mayWrite) db.pragma("synchronous = FULL");
    } catch (error) {
      db.close();
      throw error;
    }
    return accessTo(db, path);
  });
}

/**
 * A second connection to the database that this process holds open and writes: nothing of the file is looked
 * at beside SQLite, since closing it would drop the locks that the process has on it. Throws StoreError.
 */
export async function openOwnAccess(path: string): Promise<Access> {
  const driver = await loadDriver();
  try {
    const db = new driver(path, { fileMustExist: true, timeout: OWN_BUSY_MS });
    db.pragma("synchronous = FULL");
    db.pragma("foreign_keys = ON");
    return accessTo(db, path);
  } catch (error) {
    throw storeFailure(error, path);
  }
}

/** One that stands on an open connection and closes it. */
export function accessTo(db: Database, path: string): Access {
  // What is put aside for a while needs no file, which a read-only machine could not make.
  db.pragma("temp_store = MEMORY");
  const guarded = <R>(work: () => R): R => {
    try {
      return work();
    } catch (error) {
      throw storeFailure(error, path);
    }
  };
  return {
    read: (work) => guarded(() => db.transaction(() => work(db))()),
    write: (work) => guarded(() => db.transaction(() => work(db)).immediate()),
    close: () => db.close(),
  };
}
