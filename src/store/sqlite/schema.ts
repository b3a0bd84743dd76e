import { closeSync, existsSync, openSync, readSync, statSync } from "node:fs";
import { StoreError } from "../store.ts";
import { BASELINE } from "./baseline.ts";
import type { Database } from "./driver.ts";
import { corrupt } from "./failure.ts";
import { AUDIT, HISTORY, PAST, READS } from "./upgrades.ts";

/** `tick`, at offset 68 of the file: tells a database of ours from any other. */
const APPLICATION_ID = 0x7469636b;

const MAGIC = "SQLite format 3\0";
// Source: sqlite.org/fileformat2.html, "The Database Header".
const HEADER_BYTES = 100;
const PAGE_SIZE_AT = 16;
const CHANGES_AT = 24;
const PAGES_AT = 28;
const USER_VERSION_AT = 60;
const APPLICATION_ID_AT = 68;
const VALID_FOR_AT = 92;

/**
 * Refuses what must not be touched by reading the header alone: opening a file with SQLite may
 * already change it (a write-ahead log is folded in). Throws StoreError `corrupt`, `newer` or `older`.
 * Only for the holder of the lease: closing the file drops every POSIX lock that this process
 * has on it.
 */
export function checkHeader(path: string): void {
  const header = readHeader(path);
  if (header === null) return;
  if (header.length < HEADER_BYTES || header.toString("latin1", 0, MAGIC.length) !== MAGIC) {
    throw corrupt(path, "file is not a database");
  }
  if (isCutShort(path, header)) throw corrupt(path, "its end is missing");
  const version = header.readInt32BE(USER_VERSION_AT);
  const application = header.readInt32BE(APPLICATION_ID_AT);
  // Whether there is nothing else in it is for `formatOf` to see.
  if (version === 0 && application === 0) return;
  // So is what a process that was killed has left in the log: it may have upgraded it.
  if (version < OLDEST_FORMAT && existsSync(`${path}-wal`)) return;
  checkVersion(path, version, application);
}

/** Whether a file is shorter than its own header says, and no log has the rest. */
function isCutShort(path: string, header: Buffer): boolean {
  if (sizeOf(`${path}-wal`) > 0) return false;
  const isCurrent = header.readUInt32BE(CHANGES_AT) === header.readUInt32BE(VALID_FOR_AT);
  const pageSize = header.readUInt16BE(PAGE_SIZE_AT);
  const bytes = header.readUInt32BE(PAGES_AT) * (pageSize === 1 ? 65_536 : pageSize);
  return isCurrent && sizeOf(path) < bytes;
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** The format of an open database; null: nothing was written to it yet. Throws StoreError. */
export function formatOf(db: Database, path: string): number | null {
  const version = Number(db.pragma("user_version", { simple: true }));
  const application = Number(db.pragma("application_id", { simple: true }));
  const empty = db.prepare("SELECT 1 FROM sqlite_schema LIMIT 1").get() === undefined;
  if (version === 0 && application === 0 && empty) return null;
  checkVersion(path, version, application);
  return version;
}

/** Brings an open database to the newest format in one transaction. Throws StoreError. */
export function migrate(db: Database, path: string): void {
  db.transaction(() => {
    const old = formatOf(db, path) ?? 0;
    if (old === NEWEST_FORMAT) return;
    for (const { format, sql } of MIGRATIONS) if (format > old) db.exec(sql);
    db.pragma(`application_id = ${APPLICATION_ID}`);
    db.pragma(`user_version = ${NEWEST_FORMAT}`);
  }).immediate();
}

function checkVersion(path: string, version: number, application: number): void {
  if (application !== APPLICATION_ID) throw corrupt(path, "another program made it");
  if (version > NEWEST_FORMAT) {
    throw new StoreError(
      "newer",
      `${path} was written by a newer tickwatch (format ${version}, this one reads up to ` +
        `${NEWEST_FORMAT}): install that version again, or set \`store\` to another file`,
    );
  }
  if (version < OLDEST_FORMAT) {
    throw new StoreError(
      "older",
      `${path} was written by a tickwatch from before its first release (format ${version}, the ` +
        `oldest that is upgraded is ${OLDEST_FORMAT}): move it away to start with a new one, or set ` +
        "`store` to another file",
    );
  }
}

/** The first bytes; null for a file that is absent or empty. */
function readHeader(path: string): Buffer | null {
  let file: number;
  try {
    file = openSync(path, "r");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
  try {
    const buffer = Buffer.alloc(HEADER_BYTES);
    const length = readSync(file, buffer, 0, HEADER_BYTES, 0);
    return length === 0 ? null : buffer.subarray(0, length);
  } finally {
    closeSync(file);
  }
}

export interface Migration {
  /** The format of a database to which it was applied: its `user_version`. */
  readonly format: number;
  readonly sql: string;
}

/**
 * The steps that make the tables, each from the format before it, in the order of their formats. One
 * that was released is never edited (a test holds the hash of each): what changes is a step more.
 * The first makes the oldest format that is still upgraded.
 */
export const MIGRATIONS: readonly Migration[] = [
  { format: 4, sql: BASELINE },
  { format: 5, sql: HISTORY },
  { format: 6, sql: AUDIT },
  { format: 7, sql: PAST },
  { format: 8, sql: READS },
];

export const OLDEST_FORMAT = MIGRATIONS[0]?.format ?? 0;
export const NEWEST_FORMAT = MIGRATIONS.at(-1)?.format ?? 0;
