import { dirname, resolve } from "node:path";
import { type ReadFile, readFromDisk } from "../files/read-text.ts";
import { readSomeKeys } from "./read-config.ts";

/** The path of the database: `store` as the configuration in `folder` has it, if it does. */
export function storePath(folder: string, store: string | undefined): string {
  return resolve(folder, store ?? "tickwatch.db");
}

/**
 * The path of a configuration's database, the same as in its Setup, and nothing else of it. Throws
 * ConfigError if the file cannot be read, is no YAML or says a wrong `store`.
 */
export function loadStorePath(
  path: string,
  env: Readonly<Record<string, string | undefined>>,
  readFile: ReadFile = readFromDisk,
): Promise<string> {
  return readSomeKeys({ path, env, readFile }, ["store"], ({ store }) =>
    storePath(dirname(path), store),
  );
}
