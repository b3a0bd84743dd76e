import { systemClock } from "../base/clock.ts";
import { storeName } from "../base/postgres-url.ts";
import { sizeText } from "../base/text.ts";
import { loadStorePlace } from "../config/settings/read-config.ts";
import { backUp, compact, restore } from "../store/sqlite/copies.ts";
import { EXIT, type Io } from "./io.ts";

export interface BackupOptions {
  readonly config: string;
  readonly force?: boolean;
}

/** `tickwatch backup`: the exit code. Throws, as the two below, ConfigError and StoreError. */
export async function backup(file: string, options: BackupOptions, io: Io): Promise<number> {
  const store = await loadStorePlace(options.config, io.env);
  const force = options.force === true;
  const { bytes, rows, tables } =
    typeof store === "string"
      ? await backUp(store, file, force)
      : await (await import("../store/transfer/transfer.ts")).backUpServer(store, file, force);
  io.out(`wrote ${file}: ${sizeText(bytes)}, ${count(rows)} rows in ${tables} tables, checked\n`);
  return EXIT.fine;
}

/** `tickwatch restore`: the exit code. */
export async function restoreBackup(file: string, options: BackupOptions, io: Io): Promise<number> {
  const store = await loadStorePlace(options.config, io.env);
  if (typeof store !== "string") {
    const { restoreToServer } = await import("../store/transfer/transfer.ts");
    const { rows, tables } = await restoreToServer(store, file);
    io.out(`restored ${storeName(store)}: ${count(rows)} rows in ${tables} tables, checked\n`);
    return EXIT.fine;
  }
  const stamp = new Date(systemClock().now()).toISOString().replaceAll(/[-:]|\.\d+/g, "");
  const { bytes, rows, tables, replaced, isDoubtful } = await restore(store, file, stamp);
  if (isDoubtful) {
    io.err(
      "warning: the backup was copied while it was in use: its latest writes may be missing; " +
        "`tickwatch backup` makes whole ones\n",
    );
  }
  io.out(
    `restored ${store}: ${sizeText(bytes)}, ${count(rows)} rows in ${tables} tables, checked\n`,
  );
  if (replaced !== null) io.out(`the previous database is kept as ${replaced}\n`);
  return EXIT.fine;
}

/** `tickwatch compact`: the exit code. */
export async function compactStore(options: BackupOptions, io: Io): Promise<number> {
  const store = await loadStorePlace(options.config, io.env);
  if (typeof store !== "string") {
    const { vacuum } = await import("../store/postgres/vacuum.ts");
    const bytes = await vacuum(store);
    io.out(`vacuumed ${storeName(store)}: ${sizeText(bytes)}; new rows reuse its free space\n`);
    return EXIT.fine;
  }
  const { before, after } = await compact(store);
  io.out(`compacted ${store}: ${sizeText(before)} before, ${sizeText(after)} now\n`);
  return EXIT.fine;
}

function count(number: number): string {
  return number.toLocaleString("en-US");
}
