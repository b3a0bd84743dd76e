import type { Setup } from "../model.ts";
import { EXIT, type Io } from "./io.ts";
import { readSetup } from "./setup.ts";

/**
 * Runs `work` on what `open` opens beside the database of a configuration, and closes it; where there is
 * no database nothing can be done, which is said. Resolves to the exit code.
 */
export async function withDesk<D extends { close(): void }>(
  config: string,
  io: Io,
  open: (path: string) => Promise<D | null>,
  work: (desk: D, setup: Setup) => number | Promise<number>,
): Promise<number> {
  const { setup } = await readSetup(config, io);
  const desk = await open(setup.store);
  if (desk === null) {
    io.err(`tickwatch: there is no database at ${setup.store}; the daemon has not run\n`);
    return EXIT.database;
  }
  try {
    return await work(desk, setup);
  } finally {
    desk.close();
  }
}
