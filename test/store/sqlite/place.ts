import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Database, loadDriver } from "../../../src/store/sqlite/driver.ts";
import { openSqliteStore } from "../../../src/store/sqlite/store.ts";
import type { Store } from "../../../src/store/store.ts";
import type { StorePlace } from "../store-suite.ts";

/** A folder of its own for one database. */
export interface SqlitePlace extends StorePlace {
  readonly folder: string;
  readonly path: string;
  /** A connection beside the store, as a person with the sqlite3 shell has it. */
  look(): Promise<Database>;
}

export async function sqlitePlace(): Promise<SqlitePlace> {
  const folder = await mkdtemp(join(tmpdir(), "tickwatch-store-"));
  const path = join(folder, "tickwatch.db");
  return {
    folder,
    path,
    open: (): Promise<Store> => openSqliteStore(path),
    look: async () => new (await loadDriver())(path),
    remove: () => rm(folder, { recursive: true }),
  };
}
