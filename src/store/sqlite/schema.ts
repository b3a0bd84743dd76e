import { closeSync, openSync, readSync } from "node:fs";
import { StoreError } from "../store.ts";
import type { Database } from "./driver.ts";
import { corrupt } from "./failure.ts";
import { MIGRATIONS } from "./migrations.ts";

/** `tick`, at offset 68 of the file: tells a database of ours from any other. */
const APPLICATION_ID = 0x7469636b;

const MAGIC = "SQLite format 3\0";
const HEADER_BYTES = 100;
const USER_VERSION_AT = 60;
const APPLICATION_ID_AT = 68;

/**
 * Refuses what must not be touched by reading the header alone: opening a file with SQLite may
 * already change it (a write-ahead log is folded in). Throws StoreError `corrupt` or `newer`.
 * Only for the holder of the lease: closing the file drops every POSIX lock that this process
 * has on it.
 */
export function checkHeader(path: string): void {
  const header = readHeader(path);
  if (header === null) return;
  if (header.length < HEADER_BYTES || header.toString("latin1", 0, MAGIC.length) !== MAGIC) {
    throw corrupt(path, "file is not a database");
  }
  checkVersion(
    path,
    header.readInt32BE(USER_VERSION_AT),
    header.readInt32BE(APPLICATION_ID_AT),
    false,
  );
}

/** Brings an open database to the newest version in one transaction. Throws StoreError. */
export function migrate(db: Database, path: string): void {
  db.transaction(() => {
    const version = Number(db.pragma("user_version", { simple: true }));
    const application = Number(db.pragma("application_id", { simple: true }));
    const tables = db.prepare("SELECT 1 FROM sqlite_schema LIMIT 1").get() !== undefined;
    checkVersion(path, version, application, tables);
    if (version === MIGRATIONS.length) return;
    for (const sql of MIGRATIONS.slice(version)) db.exec(sql);
    db.pragma(`application_id = ${APPLICATION_ID}`);
    db.pragma(`user_version = ${MIGRATIONS.length}`);
  }).immediate();
}

function checkVersion(path: string, version: number, application: number, tables: boolean): void {
  const blank = version === 0 && application === 0 && !tables;
  if (!blank && application !== APPLICATION_ID) throw corrupt(path, "another program made it");
  if (version > MIGRATIONS.length) {
    throw new StoreError(
      "newer",
      `${path} was written by a newer tickwatch (format ${version}, this one knows ` +
        `${MIGRATIONS.length}): install that version again, or set \`store\` to another file`,
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
