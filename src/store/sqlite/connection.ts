import { existsSync, lstatSync, realpathSync, renameSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { StoreError } from "../store.ts";
import { type Database, type Driver, loadDriver, type Transaction } from "./driver.ts";
import { checkFiles, checkSound, mayMissLog, noteLogged, noteWhole } from "./evidence.ts";
import { isBusy, sqliteCode, storeFailure, unwritable } from "./failure.ts";
import { type Lease, takeLease } from "./lease.ts";
import { makePrivate, openToOthers, tighten } from "./private-files.ts";
import { checkHeader, formatOf, migrate } from "./schema.ts";

/** A database that this process may write, alone. */
export interface Connection {
  readonly path: string;
  readonly db: Database;
  /** Runs `work`; failures come out as StoreError. */
  read<T>(work: () => T | Promise<T>): Promise<T>;
  /**
   * Runs `work` in one transaction, after checking in it that nobody has opened the database
   * since: all of it is durable, or nothing is there. `work` may run again when the database was
   * locked; what it changes beside the database, `undo` must take back: it is called when `work`
   * was begun and nothing was committed. Throws StoreError.
   */
  write<T>(work: () => T, undo?: () => void): Promise<T>;
  /** The process ends: what can wait for another time should. */
  isEnding(): boolean;
  /** Where its file was deleted it is written anew; throws if that cannot be, and stays open. */
  close(): void;
}

/** SQLite waits this long for another's lock and holds the event loop meanwhile. */
const BUSY_MS = 20;
/** A log that grew in a burst is cut back to this. */
const LOG_BYTES = 64 * 1024 * 1024;

export interface OpenOptions {
  /** Aborted when the process is to end: from then on nothing is waited for long. */
  readonly ending?: AbortSignal;
  /** Is told of what is no reason to refuse the database, and that people should know. */
  readonly warn?: (message: string, fields: { readonly file: string }) => void;
}

/**
 * Opens or makes the database at `path` under an exclusive lease. Throws StoreError with every
 * reason but `fenced`; a database that is refused is left as it was.
 */
export async function openConnection(
  path: string,
  { ending, warn = () => {} }: OpenOptions = {},
): Promise<Connection> {
  const driver = await loadDriver();
  const real = resolve(path);
  const lease = takeLease(driver, real);
  try {
    tighten(real);
    for (const file of openToOthers(real)) {
      warn("other users can read the database; only its owner can change its permissions", {
        file,
      });
    }
    checkFiles(real, lease.wasUsed);
    const { db, fence, isDoubtful } = await patiently(
      () => openDatabase(driver, real, lease.wasUsed),
      patience(ending),
    );
    if (isDoubtful) {
      warn("the database was copied while it was in use: its latest writes may be missing", {
        file: real,
      });
    }
    return connect(db, real, { fence, lease, waits: patience(ending) });
  } catch (error) {
    lease.withdraw();
    throw storeFailure(error, real);
  }
}

/** Two names of one file must lead to one lease, so symbolic links are followed. */
function resolve(path: string): string {
  try {
    if (statSync(path, { throwIfNoEntry: false }) !== undefined) {
      const real = realpathSync(path);
      if (statSync(real).isFile()) return real;
      throw unwritable(path, "it is not a file: set `store` to the path of a file");
    }
    if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) {
      throw unwritable(path, "it is a link to a missing file: fix or remove the link");
    }
    const folder = realpathSync(dirname(path));
    if (statSync(folder).isDirectory()) return join(folder, basename(path));
  } catch (error) {
    if (error instanceof StoreError) throw error;
    const code = sqliteCode(error);
    if (code !== "ENOENT" && code !== "ENOTDIR") throw storeFailure(error, path);
  }
  throw unwritable(path, "its folder does not exist: create it, or set `store` to another path");
}

interface Opened {
  readonly db: Database;
  readonly fence: number;
  /** It was not closed, and nothing tells whether it had a log. */
  readonly isDoubtful: boolean;
}

function openDatabase(driver: Driver, path: string, wasUsed: boolean): Opened {
  checkHeader(path);
  if (existsSync(path)) checkSound(driver, path);
  else makeDatabase(driver, path);
  const db = new driver(path, { timeout: BUSY_MS });
  try {
    db.pragma("synchronous = FULL");
    const isDoubtful = formatOf(db, path) !== null && mayMissLog(db, path, wasUsed);
    migrate(db, path);
    db.pragma("journal_mode = WAL");
    db.pragma("foreign_keys = ON");
    db.pragma("temp_store = MEMORY");
    db.pragma(`journal_size_limit = ${LOG_BYTES}`);
    const fence = raiseFence(db);
    // The file itself must say that it is in use: the log may get lost.
    db.pragma("wal_checkpoint(PASSIVE)");
    noteWhole(path);
    return { db, fence, isDoubtful };
  } catch (error) {
    db.close();
    throw error;
  }
}

/** A new database appears whole: one that is empty was not made here. */
function makeDatabase(driver: Driver, path: string): void {
  const whole = `${path}.new`;
  rmSync(whole, { force: true });
  makePrivate(whole);
  const db = new driver(whole);
  try {
    db.pragma("synchronous = FULL");
    migrate(db, whole);
  } finally {
    db.close();
  }
  renameSync(whole, path);
}

/**
 * Nobody who opened the database before may write to it from now on. While it is in use the process is
 * negative, and after that null; before there was this difference it was positive and stayed.
 */
function raiseFence(db: Database): number {
  const raise = db.prepare<[number], number>(
    "UPDATE fence SET counter = counter + 1, process = ? RETURNING counter",
  );
  return db.transaction(() => Number(raise.pluck().get(-process.pid))).immediate();
}

interface Held {
  readonly fence: number;
  readonly lease: Lease;
  readonly waits: Patience;
}

function connect(db: Database, path: string, { fence, lease, waits }: Held): Connection {
  const counter = db.prepare<[], number>("SELECT counter FROM fence").pluck();
  const own = statSync(path);
  let logged = 0;
  /** A deleted file can be written as long as it is open, and then all of it is lost. */
  const checkFile = (): void => {
    const file = statSync(path, { throwIfNoEntry: false });
    if (file === undefined) {
      throw new StoreError("gone", `${path} was deleted while tickwatch was using it`);
    }
    if (file.ino !== own.ino || file.dev !== own.dev) {
      throw new StoreError("fenced", `${path} was replaced by another file: restart tickwatch`);
    }
  };
  const fenced = db.transaction((work: () => unknown) => {
    checkFile();
    if (counter.get() !== fence) {
      throw new StoreError(
        "fenced",
        `another tickwatch has taken over ${path}: this one must stop`,
      );
    }
    return work();
  });

  return {
    path,
    db,
    async read(work) {
      try {
        return await work();
      } catch (error) {
        throw storeFailure(error, path);
      }
    },
    async write<T>(work: () => T, undo?: () => void): Promise<T> {
      try {
        const done = await patiently(() => undoing(fenced, work, undo), waits);
        logged = noteLogged(path, logged);
        return done;
      } catch (error) {
        throw storeFailure(error, path);
      }
    },
    isEnding: () => waits() < Number.POSITIVE_INFINITY,
    close() {
      if (!db.open) return;
      // What its file was deleted from under is still whole while it is open.
      if (!existsSync(path)) writeAnew(db, path);
      noteClosed(db, fence);
      db.close();
      lease.release();
    },
  };
}

/** Runs `work` in a transaction; see Connection.write for `undo`. */
function undoing<T>(
  transaction: Transaction<(work: () => unknown) => unknown>,
  work: () => T,
  undo?: () => void,
): T {
  let begun = false;
  try {
    return transaction.immediate(() => {
      begun = true;
      return work();
    }) as T;
  } catch (error) {
    if (begun) undo?.();
    throw error;
  }
}

/**
 * Opens empty databases in memory, each of which is gone with the last reference to it: closing one does nothing.
 * The migrations run once: the others are copies, which costs a seventh.
 */
export function memoryConnections(driver: Driver): () => Connection {
  const path = ":memory:";
  const first = new driver(path);
  migrate(first, path);
  const empty = first.serialize();
  first.close();
  return () => {
    const db = new driver(empty);
    const transaction = db.transaction((work: () => unknown) => work());
    return {
      path,
      db,
      read: async (work) => work(),
      write: async (work, undo) => undoing(transaction, work, undo),
      isEnding: () => false,
      close: () => {},
    };
  };
}

function noteClosed(db: Database, fence: number): void {
  try {
    db.prepare("UPDATE fence SET process = NULL WHERE counter = ?").run(fence);
  } catch {
    // It is locked or cannot be written: then it was not closed as it should be.
  }
}

/** Writes all of a database whose file is gone to where it was, or nothing. */
function writeAnew(db: Database, path: string): void {
  const whole = `${path}.new`;
  try {
    rmSync(whole, { force: true });
    makePrivate(whole);
    db.prepare("VACUUM INTO ?").run(whole);
    // A log that is left of the old one would be taken for one of the new.
    for (const end of ["-wal", "-shm"]) rmSync(path + end, { force: true });
    renameSync(whole, path);
  } catch (error) {
    rmSync(whole, { force: true });
    throw error;
  }
}

/** Another's lock is waited for as long as this. */
const LOCKED_MS = 5_000;
const LOCKED_PAUSE_MS = 10;
/** And in all as long as this once the process is to end. */
const ENDING_MS = 1_500;

/** Tells until when, on the clock of `performance`, something that begins now waits for another's lock. */
export type Patience = () => number;

/** What begins waits long, and no longer once `ending` is aborted. */
function patience(ending: AbortSignal | undefined): Patience {
  let end = Number.POSITIVE_INFINITY;
  const hurry = (): void => {
    end = performance.now() + ENDING_MS;
  };
  if (ending?.aborted === true) hurry();
  else ending?.addEventListener("abort", hurry, { once: true });
  return () => end;
}

/** Tries again, without holding the event loop, while another process has the database locked. */
async function patiently<T>(act: () => T, end: Patience): Promise<T> {
  const deadline = performance.now() + LOCKED_MS;
  for (;;) {
    try {
      return act();
    } catch (error) {
      if (!isBusy(error) || performance.now() >= Math.min(deadline, end())) throw error;
    }
    await delay(LOCKED_PAUSE_MS);
  }
}
