import { loadStorePath } from "../config/settings/read-config.ts";
import type { Setup } from "../model/index.ts";
import { EXIT, type Io } from "./io.ts";

/** A configuration of which no more is read than a command needs: reading all rules may take seconds. */
export interface Configuration {
  /** The path of the database. */
  readonly store: string;
  /** Reads all of it, the rules included. Throws ConfigError. */
  readonly setup: () => Promise<Setup>;
}

/**
 * Runs `work` on what `open` opens beside the database of a configuration, and closes it; where there is
 * no database nothing can be done, which is said. Resolves to the exit code.
 */
export async function withOperatorDb<D extends { close(): void }>(
  config: string,
  io: Io,
  open: (path: string) => Promise<D | null>,
  work: (desk: D, configuration: Configuration) => number | Promise<number>,
): Promise<number> {
  const store = await loadStorePath(config, io.env);
  const desk = await open(store);
  if (desk === null) {
    io.err(`tickwatch: there is no database at ${store}; the daemon has not run\n`);
    return EXIT.database;
  }
  try {
    return await work(desk, { store, setup: () => readAll(config, io) });
  } finally {
    desk.close();
  }
}

async function readAll(config: string, io: Io): Promise<Setup> {
  const { readSetup } = await import("./setup.ts");
  return (await readSetup(config, io)).setup;
}
