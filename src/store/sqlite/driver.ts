import type BetterSqlite3 from "better-sqlite3";
import { StoreError } from "../store.ts";

export type Database = BetterSqlite3.Database;
export type Transaction<F extends (...args: never[]) => unknown> = BetterSqlite3.Transaction<F>;
/** The constructor of connections. */
export type Driver = typeof BetterSqlite3;

/** From this major version of Node on the newer driver is the one that works. */
const NEWER_FROM_NODE = 22;

/**
 * Loads the driver that fits this Node: better-sqlite3 13 crashes on Node 20, and 12 aborts on
 * Node 24, so both are optional dependencies. Throws StoreError `no_driver` where the right one
 * is missing or was not compiled.
 */
export async function loadDriver(node: string = process.versions.node): Promise<Driver> {
  const newer = Number.parseInt(node, 10) >= NEWER_FROM_NODE;
  try {
    const { default: driver } = newer
      ? await import("better-sqlite3-node22")
      : await import("better-sqlite3");
    // The binary part is loaded with the first connection, not with the module.
    new driver(":memory:").close();
    return driver;
  } catch (error) {
    const name = newer ? "better-sqlite3-node22" : "better-sqlite3";
    const why = error instanceof Error ? firstLine(error.message) : "unknown error";
    throw new StoreError(
      "no_driver",
      `the SQLite driver ${name} does not load on Node ${node} (${why}): ` +
        `run "npm ci" again with this Node; it needs a C++ compiler where no ready build exists`,
      { cause: error },
    );
  }
}

function firstLine(text: string): string {
  return text.split("\n", 1)[0]?.trim() ?? "";
}
