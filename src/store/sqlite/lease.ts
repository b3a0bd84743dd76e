import { StoreError } from "../store.ts";
import type { Database, Driver } from "./driver.ts";
import { isBusy, storeFailure } from "./failure.ts";
import { makePrivate } from "./private-files.ts";

/** Two daemons that start in the same instant must not both be refused. */
const PATIENCE_MS = 500;

export interface Lease {
  release(): void;
}

/**
 * Takes the exclusive lock on `<path>.lock` that lets one daemon use a database. The lock is a
 * transaction that is never ended, so the kernel frees it when the process dies, however it
 * dies; the file itself stays and is empty. Throws StoreError `leased` within a second, having
 * changed nothing.
 */
export function takeLease(driver: Driver, path: string): Lease {
  const lockPath = `${path}.lock`;
  let lock: Database | null = null;
  try {
    makePrivate(lockPath);
    lock = new driver(lockPath, { timeout: PATIENCE_MS });
    lock.exec("BEGIN EXCLUSIVE");
    const held = lock;
    return { release: () => held.close() };
  } catch (error) {
    lock?.close();
    if (!isBusy(error)) throw storeFailure(error, lockPath);
    throw new StoreError(
      "leased",
      `${path} is in use by another tickwatch${holder(driver, path)}: stop that one, or set ` +
        `\`store\` to another file`,
      { cause: error },
    );
  }
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
