import { realpathSync, statSync } from "node:fs";
import { loadDriver } from "../sqlite/driver.ts";
import { isLeased } from "../sqlite/lease.ts";
import { openToOthers } from "../sqlite/private-files.ts";
import { formatOf } from "../sqlite/schema.ts";
import { openSqliteAccess } from "./sqlite-access.ts";

/** What can be seen of a database beside a daemon or without one. */
export interface Soundness {
  readonly bytes: number;
  readonly format: number | null;
  /** What SQLite's own look at the whole file found; null: nothing. */
  readonly fault: string | null;
  /** A daemon holds it now. */
  readonly inUse: boolean;
  /** The files of it that other users can open. */
  readonly openToOthers: readonly string[];
}

/** Looks at the whole database at `path`; null where there is none yet. Throws StoreError. */
export async function readSoundness(path: string): Promise<Soundness | null> {
  const driver = await loadDriver();
  const access = await openSqliteAccess(path, false);
  if (access === null) return null;
  const real = realpathSync(path);
  try {
    return access.look((db) => {
      const said = String(db.pragma("integrity_check(1)", { simple: true }));
      return {
        bytes: statSync(real).size,
        format: formatOf(db, real),
        fault: said === "ok" ? null : (said.split("\n", 1)[0] ?? "").slice(0, 120),
        inUse: isLeased(driver, real),
        openToOthers: openToOthers(real),
      };
    });
  } finally {
    access.close();
  }
}

/** The version of the SQLite that is used. Throws StoreError where no driver loads. */
export async function sqliteVersion(): Promise<string> {
  const db = new (await loadDriver())(":memory:");
  try {
    return String(db.prepare("SELECT sqlite_version()").pluck().get());
  } finally {
    db.close();
  }
}
