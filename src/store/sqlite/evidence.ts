import { existsSync, readFileSync, type Stats, statSync } from "node:fs";
import { endianness } from "node:os";
import { StoreError } from "../store.ts";
import { corrupt } from "./failure.ts";

/**
 * What lies in the place of a database and beside it, and what does not go together: a database that is
 * not what it was must not be taken for a new one. Nothing is changed, and nothing is opened that another
 * part of the process may have locked. Only for the holder of the lease.
 */

/**
 * Throws StoreError for files from which nothing should be made. `wasUsed`: a daemon has used a database
 * of this name before.
 */
export function checkFiles(path: string, wasUsed: boolean): void {
  const file = statSync(path, { throwIfNoEntry: false });
  const log = statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  if (file === undefined) {
    if (log > 0) throw withoutDatabase(path);
    return;
  }
  if (file.nlink > 1) throw linked(path, file);
  if (file.size === 0 && (wasUsed || log > 0)) {
    throw corrupt(path, "it is empty, and was not when it was used before");
  }
  if (log === 0 && lostFrames(`${path}-shm`) > 0) {
    throw corrupt(path, `what was written last is in its log ${path}-wal, which was taken away`);
  }
}

/** The log alone is of no use, and SQLite would delete it. */
function withoutDatabase(path: string): StoreError {
  return new StoreError(
    "corrupt",
    `${path} is not there, but its log ${path}-wal is: put the database back, or move the log away ` +
      "as well, and a new database is made",
  );
}

/** SQLite keeps a log for each name, and one would not know of the other. */
function linked(path: string, { nlink }: Stats): StoreError {
  const others = nlink === 2 ? "another name" : `${nlink - 1} other names`;
  return new StoreError(
    "leased",
    `${path} has ${others} (hard links), under which another tickwatch may use it: remove what is ` +
      "linked, or set `store` to a copy",
  );
}

// Source: sqlite.org/walformat.html, "The WAL-Index File Format".
const INITIALISED_AT = 12;
const FRAMES_AT = 16;
const FOLDED_AT = 96;
const INDEX_BYTES = 100;

/** Frames of a log that the index knows of and that are not in the database yet. */
function lostFrames(path: string): number {
  if (!existsSync(path)) return 0;
  const index = readFileSync(path);
  if (index.length < INDEX_BYTES || index[INITIALISED_AT] !== 1) return 0;
  const at = (offset: number): number =>
    endianness() === "LE" ? index.readUInt32LE(offset) : index.readUInt32BE(offset);
  return at(FRAMES_AT) - at(FOLDED_AT);
}
