import { storeName } from "../base/postgres-url.ts";
import { loadStorePlace } from "../config/settings/read-config.ts";
import type { Setup, StorePlace } from "../model/index.ts";
import { type OperatorDb, openOperatorDb } from "../store/operator-db/operator-db.ts";
import { EXIT, type Io } from "./io.ts";

/** A configuration of which no more is read than a command needs: reading all rules may take seconds. */
export interface Configuration {
  readonly store: StorePlace;
  /** Reads all of it, the rules included, those by owner with what the daemon knows. Throws ConfigError. */
  readonly setup: () => Promise<Setup>;
}

/**
 * Opens the database of a configuration for `work`, and closes it; where there is no database it says so.
 * Resolves to the exit code.
 */
export async function withOperatorDb(
  config: string,
  io: Io,
  mode: "read" | "write",
  work: (db: OperatorDb, configuration: Configuration) => number | Promise<number>,
): Promise<number> {
  const store = await loadStorePlace(config, io.env);
  const db = await openOperatorDb(store, mode === "write");
  if (db === null) {
    io.err(`tickwatch: there is no database at ${storeName(store)}: the daemon has not run yet\n`);
    return EXIT.database;
  }
  try {
    return await work(db, { store, setup: () => readAll(config, io) });
  } finally {
    db.close();
  }
}

async function readAll(config: string, io: Io): Promise<Setup> {
  const { readSetup } = await import("./setup.ts");
  const { withKnownHoldings } = await import("./known-holdings.ts");
  return await withKnownHoldings((await readSetup(config, io)).setup);
}
