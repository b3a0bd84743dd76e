import { existsSync, realpathSync, renameSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { StoreError } from "../store.ts";
import { type Database, type Driver, loadDriver } from "./driver.ts";
import { isBusy, sqliteCode, storeFailure, unwritable } from "./failure.ts";
import { type Lease, takeLease } from "./lease.ts";
import { checkHeader, migrate } from "./schema.ts";

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
  /** Where its file was deleted it is written anew; throws if that cannot be, and stays open. */
  close(): void;
}

/** SQLite waits this long for another's lock and holds the event loop meanwhile. */
const BUSY_MS = 20;
/** Then we wait without holding it, in all as long as this. */
const LOCKED_MS = 5_000;
const LOCKED_PAUSE_MS = 10;
/** A log that grew in a burst is cut back to this. */
const LOG_BYTES = 64 * 1024 * 1024;

/**
 * Opens or makes the database at `path` under an exclusive lease. Throws StoreError with every
 * reason but `fenced`; a database that is refused is left as it was.
 */
export async function openConnection(path: string): Promise<Connection> {
  const driver = await loadDriver();
  const real = resolve(path);
  const lease = takeLease(driver, real);
  try {
    const { db, fence } = openDatabase(driver, real);
    return connect(db, real, fence, lease);
  } catch (error) {
    lease.release();
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
    const folder = realpathSync(dirname(path));
    if (statSync(folder).isDirectory()) return join(folder, basename(path));
  } catch (error) {
    if (error instanceof StoreError) throw error;
    const code = sqliteCode(error);
    if (code !== "ENOENT" && code !== "ENOTDIR") throw storeFailure(error, path);
  }
  throw unwritable(path, "its folder does not exist: make it, or set `store` to another path");
}

function openDatabase(driver: Driver, path: string): { db: Database; fence: number } {
  checkHeader(path);
  const db = new driver(path, { timeout: 1_000 });
  try {
    db.pragma("synchronous = FULL");
    migrate(db, path);
    db.pragma("journal_mode = WAL");
    db.pragma("foreign_keys = ON");
    db.pragma("temp_store = MEMORY");
    db.pragma(`journal_size_limit = ${LOG_BYTES}`);
    const fence = raiseFence(db);
    db.pragma(`busy_timeout = ${BUSY_MS}`);
    return { db, fence };
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Nobody who opened the database before may write to it from now on. */
function raiseFence(db: Database): number {
  const raise = db.prepare<[number], number>(
    "UPDATE fence SET counter = counter + 1, process = ? RETURNING counter",
  );
  return db.transaction(() => Number(raise.pluck().get(process.pid))).immediate();
}

function connect(db: Database, path: string, fence: number, lease: Lease): Connection {
  const counter = db.prepare<[], number>("SELECT counter FROM fence").pluck();
  const own = statSync(path);
  /** A deleted file can be written as long as it is open, and then all of it is lost. */
  const checkFile = (): void => {
    const file = statSync(path, { throwIfNoEntry: false });
    if (file === undefined) {
      throw new StoreError("gone", `${path} was deleted while tickwatch was using it`);
    }
    if (file.ino !== own.ino || file.dev !== own.dev) {
      throw new StoreError("fenced", `another file stands in the place of ${path}: start again`);
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
      const deadline = performance.now() + LOCKED_MS;
      for (;;) {
        let begun = false;
        const attempt = (): T => {
          begun = true;
          return work();
        };
        try {
          return fenced.immediate(attempt) as T;
        } catch (error) {
          if (begun) undo?.();
          if (!isBusy(error) || performance.now() >= deadline) throw storeFailure(error, path);
        }
        await delay(LOCKED_PAUSE_MS);
      }
    },
    close() {
      if (!db.open) return;
      // What its file was deleted from under is still whole while it is open.
      if (!existsSync(path)) writeAnew(db, path);
      db.close();
      lease.release();
    },
  };
}

/** Writes all of a database whose file is gone to where it was, or nothing. */
function writeAnew(db: Database, path: string): void {
  const whole = `${path}.new`;
  try {
    rmSync(whole, { force: true });
    db.prepare("VACUUM INTO ?").run(whole);
    // A log that is left of the old one would be taken for one of the new.
    for (const end of ["-wal", "-shm"]) rmSync(path + end, { force: true });
    renameSync(whole, path);
  } catch (error) {
    rmSync(whole, { force: true });
    throw error;
  }
}
