import { existsSync, rmSync, statSync } from "node:fs";
import { StoreError } from "../store.ts";
import type { Database, Driver } from "./driver.ts";
import { isBusy, storeFailure } from "./failure.ts";
import { makePrivate } from "./private-files.ts";

/** Two daemons that start in the same instant must not both be refused. */
const PATIENCE_MS = 500;
const MOST_ATTEMPTS = 3;

export interface Lease {
  /** The lock file was there before: a daemon has used a database of this name. */
  readonly wasUsed: boolean;
  release(): void;
  /** Releases it and leaves no lock file that was not there before: the database was not used. */
  withdraw(): void;
}

/**
 * Takes the exclusive lock on `<path>.lock` that lets one daemon use a database. The lock is a
 * transaction that is never ended, so the kernel frees it when the process dies, however it
 * dies; the file itself stays and is empty. Another program that only reads it keeps nobody out:
 * it is left a file of its own. Throws StoreError `leased` within a second or two, having changed
 * nothing else.
 */
export function takeLease(driver: Driver, path: string): Lease {
  const lockPath = `${path}.lock`;
  for (let attempt = 1; ; attempt += 1) {
    const wasUsed = existsSync(lockPath);
    const lock = tryLock(driver, lockPath);
    if (typeof lock !== "string") {
      const release = (): void => void lock.close();
      const withdraw = (): void => {
        if (!wasUsed) rmSync(lockPath, { force: true });
        release();
      };
      return { wasUsed, release, withdraw };
    }
    if (lock === "held" || attempt >= MOST_ATTEMPTS) {
      throw new StoreError(
        "leased",
        `${path} is in use by another tickwatch${holder(driver, path)}: stop that one, or set ` +
          `\`store\` to another file`,
      );
    }
  }
}

/** The lock; or another daemon holds it, or another file is in its place now: of readers, or for others. */
function tryLock(driver: Driver, path: string): Database | "held" | "replaced" {
  let lock: Database | null = null;
  let file: number | undefined;
  try {
    makePrivate(path);
    file = inode(path);
    lock = new driver(path, { timeout: PATIENCE_MS });
    lock.exec("BEGIN EXCLUSIVE");
    if (inode(path) === file) return lock;
    lock.close();
    return "replaced";
  } catch (error) {
    if (!isBusy(error) || lock === null) {
      lock?.close();
      throw storeFailure(error, path);
    }
    const held = !isReadable(lock);
    lock.close();
    if (held) return "held";
    // If two daemons do this in the same instant, the fence of the database stops the first of them.
    if (inode(path) === file) rmSync(path, { force: true });
    return "replaced";
  }
}

/** Whether a daemon holds the lock of the database at `path`; for a process that does not hold it itself. */
export function isLeased(driver: Driver, path: string): boolean {
  const lockPath = `${path}.lock`;
  if (!existsSync(lockPath)) return false;
  const lock = new driver(lockPath, { readonly: true, timeout: 0 });
  try {
    return !isReadable(lock);
  } finally {
    lock.close();
  }
}

/** Beside an exclusive lock nobody can even read. */
function isReadable(lock: Database): boolean {
  try {
    lock.pragma("busy_timeout = 0");
    lock.prepare("SELECT 1 FROM sqlite_schema").get();
    return true;
  } catch {
    return false;
  }
}

function inode(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.ino;
}

/** ` (process 4711)` as the database tells it; empty when it cannot be read. */
function holder(driver: Driver, path: string): string {
  let db: Database | null = null;
  try {
    db = new driver(path, { readonly: true, fileMustExist: true, timeout: 0 });
    const pid: unknown = db.prepare("SELECT process FROM fence").pluck().get();
    return typeof pid === "number" ? ` (process ${Math.abs(pid)})` : "";
  } catch {
    // The other one has not made the tables yet; the refusal says enough without a number.
    return "";
  } finally {
    db?.close();
  }
}
