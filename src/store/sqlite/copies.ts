import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { StoreError } from "../store.ts";
import { type Database, type Driver, loadDriver } from "./driver.ts";
import { checkFiles, checkLogBeside, mayMissLog } from "./evidence.ts";
import { corrupt, sqliteCode, storeFailure } from "./failure.ts";
import { takeLease } from "./lease.ts";
import { makePrivate } from "./private-files.ts";
import { checkHeader, formatOf } from "./schema.ts";

/** Copies of a whole database, each checked before it gets its name: backups, restored and compact ones. */

/** What a copy holds. */
export interface Copied {
  readonly bytes: number;
  readonly tables: number;
  readonly rows: number;
}

/** Another process waits so long for the daemon's commit. */
const BUSY_MS = 5_000;

/**
 * Writes all that is in the database at `path` at one moment into the file `to`, with mode 0600; a daemon may go on
 * writing meanwhile. `to` appears whole and checked, or not at all. Throws StoreError.
 */
export async function backUp(path: string, to: string, force: boolean): Promise<Copied> {
  const driver = await loadDriver();
  refuseTarget(path, to, force);
  if (!existsSync(path)) throw noDatabase(path);
  const part = `${to}.part`;
  return await guarded(to, async () => {
    const copied = await copyOf(driver, path, part);
    renameSync(part, to);
    syncFolder(to);
    return copied;
  }).finally(() => rmSync(part, { force: true }));
}

export interface Restored extends Copied {
  /** Where the database is now that was there before; null: there was none. */
  readonly replaced: string | null;
  /** The backup was not made by `backUp` but copied beside a daemon: its newest writes may be missing. */
  readonly isDoubtful: boolean;
}

/**
 * Puts a checked copy of the backup `from` in the place of the database at `path`, which is kept beside it under a
 * name with `stamp`. Killed at any moment, it leaves a database that is used as it is, or refused and not taken for
 * a new one. Throws StoreError; `leased` beside a daemon.
 */
export async function restore(path: string, from: string, stamp: string): Promise<Restored> {
  const driver = await loadDriver();
  if (!existsSync(from)) throw noDatabase(from);
  const real = existsSync(path) ? realpathSync(path) : path;
  if (existsSync(path) && realpathSync(from) === real) {
    throw cannotWrite(path, "the backup is the database itself: give another file");
  }
  const lease = takeLease(driver, real);
  const part = `${real}.restoring`;
  try {
    return await guarded(real, async () => {
      const isDoubtful = wasCopiedInUse(driver, from);
      const copied = await copyOf(driver, from, part);
      const replaced = existsSync(real) ? `${real}.replaced-${stamp}` : null;
      if (replaced !== null) keepOld(real, replaced);
      renameSync(part, real);
      syncFolder(real);
      return { ...copied, replaced, isDoubtful };
    });
  } finally {
    rmSync(part, { force: true });
    lease.release();
  }
}

/**
 * Gives a database its old one's name too. Its log goes first: beside the restored database it would be taken for
 * the log of that. Until then a start finds the log missing, and after that two names, and refuses both.
 */
function keepOld(path: string, replaced: string): void {
  if (existsSync(`${path}-wal`)) renameSync(`${path}-wal`, `${replaced}-wal`);
  rmSync(`${path}-shm`, { force: true });
  try {
    linkSync(path, replaced);
  } catch (error) {
    // A file system without hard links.
    if (!["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"].includes(sqliteCode(error) ?? ""))
      throw error;
    renameSync(path, replaced);
  }
}

export interface Compacted {
  readonly before: number;
  readonly after: number;
}

/** Writes the database at `path` anew without its free pages; in bytes. Throws StoreError; `leased` beside a daemon. */
export async function compact(path: string): Promise<Compacted> {
  const driver = await loadDriver();
  if (!existsSync(path)) throw noDatabase(path);
  const real = realpathSync(path);
  const lease = takeLease(driver, real);
  const part = `${real}.compact`;
  try {
    return await guarded(real, async () => {
      checkFiles(real, lease.wasUsed);
      const before = statSync(real).size;
      await copyOf(driver, real, part, (db) => db.prepare("VACUUM INTO ?").run(part));
      // Whoever opens the old one now has closed it before: its log is part of the copy.
      for (const end of ["-wal", "-shm"]) rmSync(real + end, { force: true });
      renameSync(part, real);
      syncFolder(real);
      return { before, after: statSync(real).size };
    });
  } finally {
    rmSync(part, { force: true });
    lease.release();
  }
}

/** Copies a database as it is at one moment into the file `part`, and checks the copy. */
async function copyOf(
  driver: Driver,
  path: string,
  part: string,
  write?: (db: Database) => unknown,
): Promise<Copied> {
  checkHeader(path);
  await checkLogBeside(path);
  for (const end of ["", "-journal"]) rmSync(part + end, { force: true });
  makePrivate(part);
  const db = new driver(path, { readonly: write === undefined, timeout: BUSY_MS });
  try {
    if (formatOf(db, path) === null) throw corrupt(path, "it holds nothing yet");
    if (existsSync(`${path}.lock`)) mayMissLog(db, path, true);
    if (write === undefined) {
      // One reader's view of the database, for the count and for the copy.
      db.exec("BEGIN");
      const rows = rowsIn(db);
      await db.backup(part, { progress: () => ALL_PAGES });
      db.exec("COMMIT");
      return finish(driver, part, path, rows);
    }
    const rows = rowsIn(db);
    write(db);
    return finish(driver, part, path, rows);
  } catch (error) {
    // It is the original that is damaged; what is full is the disk of the copy.
    throw /^SQLITE_(NOTADB|CORRUPT)/.test(sqliteCode(error) ?? "")
      ? storeFailure(error, path)
      : error;
  } finally {
    db.close();
  }
}

/** A step that ends with the last page: nobody writes in its middle. */
const ALL_PAGES = 0x7f_ff_ff_ff;

/** Checks a copy, and marks it as one that was closed and has no log. */
function finish(
  driver: Driver,
  part: string,
  path: string,
  expected: ReadonlyMap<string, number>,
): Copied {
  const copy = new driver(part);
  try {
    copy.pragma("synchronous = FULL");
    copy.pragma("journal_mode = DELETE");
    const said: unknown = copy.pragma("integrity_check(1)", { simple: true });
    if (said !== "ok") throw corrupt(path, String(said).split("\n", 1)[0]?.slice(0, 120) ?? "");
    const rows = rowsIn(copy);
    for (const [table, count] of expected) {
      if (rows.get(table) !== count) {
        throw corrupt(path, `the copy has ${rows.get(table) ?? 0} of ${count} rows of ${table}`);
      }
    }
    copy.prepare("UPDATE fence SET process = NULL").run();
    const all = [...rows.values()].reduce((sum, count) => sum + count, 0);
    return { bytes: statSync(part).size, tables: rows.size, rows: all };
  } finally {
    copy.close();
  }
}

/** The number of rows of each table. */
function rowsIn(db: Database): ReadonlyMap<string, number> {
  const names = db
    .prepare<[], string>(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name",
    )
    .pluck()
    .all();
  return new Map(
    names.map((name) => [name, Number(db.prepare(`SELECT count(*) FROM "${name}"`).pluck().get())]),
  );
}

function wasCopiedInUse(driver: Driver, path: string): boolean {
  checkHeader(path);
  const db = new driver(path, { readonly: true, timeout: BUSY_MS });
  try {
    if (formatOf(db, path) === null) throw corrupt(path, "it holds nothing yet");
    return !existsSync(`${path}.lock`) && mayMissLog(db, path, false);
  } finally {
    db.close();
  }
}

/**
 * Throws StoreError where `to` must not be written: a file of the database at `path` (null: it is none) above all, and
 * what is there, unless `force`; null: whoever asks replaces nothing.
 */
export function refuseTarget(path: string | null, to: string, force: boolean | null): void {
  const there = lstatSync(to, { throwIfNoEntry: false });
  if (there === undefined) {
    if (existsSync(dirname(to))) return;
    throw cannotWrite(to, "its folder does not exist: create it, or choose another one");
  }
  const ends = path === null ? [] : ["", "-wal", "-shm", ".lock"].map((end) => path + end);
  const real = existsSync(to) ? realpathSync(to) : to;
  if (ends.some((file) => existsSync(file) && realpathSync(file) === real)) {
    throw cannotWrite(to, "it belongs to the database itself: choose another name");
  }
  if (!there.isFile() && !there.isSymbolicLink()) {
    throw cannotWrite(to, "it is not a file: give the name of a file");
  }
  if (force === true) return;
  const orForce = force === null ? "" : ", or use --force";
  throw cannotWrite(to, `it exists already: choose another name${orForce}`);
}

/** Errors name the file that was to be written, in one line. */
async function guarded<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const code = sqliteCode(error);
    if (!(error instanceof StoreError) && (code === "SQLITE_FULL" || code === "ENOSPC")) {
      throw cannotWrite(path, "the disk is full: free some space, or choose another one", error);
    }
    throw storeFailure(error, path);
  }
}

/** `why` ends with what to do. */
function cannotWrite(path: string, why: string, cause?: unknown): StoreError {
  return new StoreError("unwritable", `cannot write ${path}: ${why}`, { cause });
}

function noDatabase(path: string): StoreError {
  return new StoreError("unwritable", `there is no database at ${path}`);
}

/** A name is durable once its folder is. */
function syncFolder(path: string): void {
  try {
    const folder = openSync(join(dirname(path), "."), "r");
    fsyncSync(folder);
    closeSync(folder);
  } catch {
    // Windows cannot, and does not need it.
  }
}
