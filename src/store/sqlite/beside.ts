import { existsSync } from "node:fs";
import { StoreError } from "../store.ts";
import { type Database, loadDriver } from "./driver.ts";
import { storeFailure } from "./failure.ts";
import { checkHeader } from "./schema.ts";

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
  /** A table without which there is nothing to do: a daemon of before it may hold the database. */
  readonly table?: "silences" | "orders";
}

/**
 * Opens the database at `path` without the daemon's lease for what `make` makes on it, which closes it.
 * Null where there is no database yet. Throws StoreError.
 */
export async function openBeside<T>(
  path: string,
  { write, table }: BesideOptions,
  make: (beside: Beside) => T,
): Promise<T | null> {
  if (!existsSync(path)) return null;
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
      if (write) {
        // As the daemon writes: what it is told must not be lost with the power.
        db.pragma("synchronous = FULL");
        db.pragma("foreign_keys = ON");
      }
      if (table !== undefined && !hasTable(db, table)) {
        const how = "start the daemon of this version first";
        throw new StoreError("unwritable", `${path} is from before there were ${table}: ${how}`);
      }
      return make({ db, guarded });
    } catch (error) {
      db.close();
      throw error;
    }
  });
}

function hasTable(db: Database, name: string): boolean {
  return db.prepare("SELECT 1 FROM sqlite_schema WHERE name = ?").get(name) !== undefined;
}
