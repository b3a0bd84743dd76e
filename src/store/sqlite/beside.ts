import { existsSync, statSync } from "node:fs";
import { type Database, loadDriver } from "./driver.ts";
import { emptied, storeFailure } from "./failure.ts";
import { checkHeader, formatOf } from "./schema.ts";

/** Another process waits so long for the daemon's commit, which takes milliseconds. */
const BUSY_MS = 5_000;

/** A database that is open beside a daemon or without one. */
export interface Beside {
  readonly db: Database;
  /** Runs work on it; failures come out as StoreError. */
  readonly guarded: <T>(work: () => T) => T;
}

export interface BesideOptions {
  /** False: nothing can be changed. */
  readonly write: boolean;
}

/**
 * Opens the database at `path` without the daemon's lease for what `make` makes on it, which closes it.
 * Null where there is no database yet. Throws StoreError.
 */
export async function openBeside<T>(
  path: string,
  { write }: BesideOptions,
  make: (beside: Beside) => T,
): Promise<T | null> {
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
  return guarded(() => {
    checkHeader(path);
    const db = new driver(path, { readonly: !write, fileMustExist: true, timeout: BUSY_MS });
    try {
      if (formatOf(db, path) === null) {
        db.close();
        return null;
      }
      if (write) {
        // As the daemon writes: what it is told must not be lost with the power.
        db.pragma("synchronous = FULL");
        db.pragma("foreign_keys = ON");
      }
      return make({ db, guarded });
    } catch (error) {
      db.close();
      throw error;
    }
  });
}
