import { existsSync, readFileSync, type Stats, statSync, utimesSync } from "node:fs";
import { endianness } from "node:os";
import { setTimeout } from "node:timers/promises";
import { StoreError } from "../store.ts";
import type { Database, Driver } from "./driver.ts";
import { corrupt, emptied, storeFailure } from "./failure.ts";
import { readLog } from "./log.ts";

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
    throw emptied(path);
  }
  checkLog(path);
}

/**
 * Throws StoreError where the index of a log knows of more than the log holds. Whoever opens the database
 * makes its index anew, and with that nobody would know any more.
 */
function checkLog(path: string): void {
  const log = statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  const index = readIndex(`${path}-shm`);
  if (index === null || index.frames === index.folded) return;
  if (log === 0) {
    throw corrupt(path, `its latest writes are in the log ${path}-wal, which is missing`);
  }
  const found = readLog(`${path}-wal`, index.frames);
  // A log that began anew is not the one of an index from before a power failure.
  if (found !== null && !found.salt.equals(index.salt)) return;
  if ((found?.frames ?? 0) < index.frames) {
    throw corrupt(path, `its latest writes are in the log ${path}-wal, which is damaged`);
  }
}

/** A log that seems to be damaged is looked at so often, and so far apart. */
const MOST_LOOKS = 4;
const BETWEEN_LOOKS_MS = 50;

/** As `checkLog`, beside a daemon that may write its log while one looks: what stays so is so. */
export async function checkLogBeside(path: string): Promise<void> {
  for (let looks = 1; ; looks += 1) {
    try {
      checkLog(path);
      return;
    } catch (error) {
      if (looks >= MOST_LOOKS) throw storeFailure(error, path);
      await setTimeout(BETWEEN_LOOKS_MS);
    }
  }
}

/**
 * Notes that what was committed may be in the log alone: the lock gets the time of the database, which
 * changes with whatever is put into that. `then`: the time that it got last; returns what it has now.
 */
export function noteLogged(path: string, then: number): number {
  try {
    const { mtimeMs } = statSync(path);
    if (mtimeMs !== then) utimesSync(`${path}.lock`, mtimeMs / 1_000, mtimeMs / 1_000);
    return mtimeMs;
  } catch {
    // Without the note a log that is taken away later may not be missed; nothing else depends on it.
    return then;
  }
}

/** Notes that the database holds all that was committed. */
export function noteWhole(path: string): void {
  try {
    utimesSync(`${path}.lock`, 0, 0);
  } catch {
    // Then it has the time of an older state.
  }
}

/**
 * Looks at an open database before anything is written to it. Throws StoreError where its process was killed
 * and the log of what that committed was taken away. True: nothing tells whether there was such a log,
 * since there was no lock beside it (`wasUsed`).
 */
export function mayMissLog(db: Database, path: string, wasUsed: boolean): boolean {
  if (sizeOf(`${path}-wal`) > 0) return false;
  const process = db.prepare<[], number | null>("SELECT process FROM fence").pluck().get();
  if ((process ?? 0) >= 0) return false;
  if (!wasUsed) return true;
  const noted = statSync(`${path}.lock`).mtimeMs;
  // Of a time that is written the last nanoseconds are lost.
  if (Math.abs(statSync(path).mtimeMs - noted) > 0.01) return false;
  throw new StoreError(
    "corrupt",
    `the log ${path}-wal is missing, and with it the latest writes: put it back. To continue ` +
      `without it, or if ${path} is a backup, remove ${path}.lock`,
  );
}

/** The log alone is of no use, and SQLite would delete it. */
function withoutDatabase(path: string): StoreError {
  return new StoreError(
    "corrupt",
    `${path} is missing, but its log ${path}-wal is there: put the database back, or move the log ` +
      "away too to start with a new one",
  );
}

/** SQLite keeps a log for each name, and one would not know of the other. */
function linked(path: string, { nlink }: Stats): StoreError {
  const others = nlink === 2 ? "another name" : `${nlink - 1} other names`;
  return new StoreError(
    "leased",
    `${path} has ${others} (hard links), and another tickwatch may use it under that name: remove the other ` +
      "links, or set `store` to a copy",
  );
}

// Source: sqlite.org/walformat.html, "The WAL-Index File Format".
const INITIALISED_AT = 12;
const FRAMES_AT = 16;
const SALT_AT = 32;
const SALT_BYTES = 8;
const FOLDED_AT = 96;
const INDEX_BYTES = 100;

/** What the index of a log says of it. */
interface Index {
  readonly frames: number;
  /** So many of them are in the database as well. */
  readonly folded: number;
  readonly salt: Buffer;
}

function readIndex(path: string): Index | null {
  if (!existsSync(path)) return null;
  const index = readFileSync(path);
  if (index.length < INDEX_BYTES || index[INITIALISED_AT] !== 1) return null;
  const at = (offset: number): number =>
    endianness() === "LE" ? index.readUInt32LE(offset) : index.readUInt32BE(offset);
  return {
    frames: at(FRAMES_AT),
    folded: at(FOLDED_AT),
    salt: index.subarray(SALT_AT, SALT_AT + SALT_BYTES),
  };
}

/** A database up to this size is looked through as a whole, which takes tenths of a second. */
const WHOLE_BYTES = 64 * 1024 * 1024;
/** Of a larger one what everything else depends on; the samples and what was told long ago are most of it. */
const TABLES = [
  "names",
  "series",
  "newest",
  "alerts",
  "rules",
  "cursors",
  "marks",
  "fence",
] as const;

/**
 * Looks for damage before anything is written: a damaged file may be all that there is to mend it from.
 * Throws StoreError `corrupt`, and what SQLite throws.
 */
export function checkSound(driver: Driver, path: string): void {
  const size = sizeOf(path);
  if (size === 0) return;
  // Closing would fold a log into the file; where there is none, it takes away what opening made.
  const db = new driver(path, { readonly: sizeOf(`${path}-wal`) > 0, timeout: 0 });
  try {
    const whole = size <= WHOLE_BYTES;
    for (const what of whole ? ["1"] : TABLES.map((table) => `'${table}'`)) {
      const said: unknown = db.pragma(`quick_check(${what})`, { simple: true });
      if (said !== "ok") throw corrupt(path, firstLine(String(said)));
    }
  } finally {
    db.close();
  }
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

function firstLine(text: string): string {
  const line = text.split("\n").find((one) => !one.startsWith("***"));
  return (line ?? "quick_check found faults").slice(0, 120);
}
