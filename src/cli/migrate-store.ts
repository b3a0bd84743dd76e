import { resolve } from "node:path";
import { isPostgresUrl, readPostgresUrl, storeName } from "../base/postgres-url.ts";
import { loadStorePlace } from "../config/settings/read-config.ts";
import type { StorePlace } from "../model/index.ts";
import { moveStore } from "../store/transfer/transfer.ts";
import { EXIT, type Io } from "./io.ts";

export interface MigrateStoreOptions {
  readonly config: string;
  readonly from?: string;
  readonly to: string;
}

/** `tickwatch migrate-store`: the exit code. Throws ConfigError and StoreError. */
export async function migrateStore(options: MigrateStoreOptions, io: Io): Promise<number> {
  const from =
    options.from === undefined
      ? await loadStorePlace(options.config, io.env)
      : placeOf(options.from, "--from", io);
  const to = placeOf(options.to, "--to", io);
  if (from === null || to === null) return EXIT.usage;
  const { rows, tables } = await moveStore(from, to);
  const counts = `${rows.toLocaleString("en-US")} rows in ${tables} tables`;
  io.out(`moved ${storeName(from)} to ${storeName(to)}: ${counts}, compared with what was read\n`);
  io.out("set `store` in the configuration to the new place before the next start\n");
  return EXIT.fine;
}

/** A file's path, a URL, or `env:NAME`, a variable with either; null: it was refused. */
function placeOf(given: string, name: string, io: Io): StorePlace | null {
  const refuse = (why: string): null => {
    io.err(`tickwatch: ${name}: ${why}\n`);
    return null;
  };
  const variable = /^env:(\w+)$/.exec(given)?.[1];
  const text = variable === undefined ? given : io.env[variable];
  if (text === undefined || text.trim() === "") {
    return refuse(`the environment variable ${variable ?? ""} is not set`);
  }
  if (!isPostgresUrl(text)) return resolve(text);
  const place = readPostgresUrl(text, process.cwd());
  if ("trouble" in place) return refuse(`${place.trouble}, expected ${place.expected}`);
  // Arguments are seen by everybody on the machine.
  if (variable === undefined && /:\/\/[^/?#]*:[^/?#]*@/.test(text)) {
    return refuse(`keep a URL with a password in a variable: use ${name} env:DATABASE_URL`);
  }
  return place;
}
