import { StoreError } from "../store.ts";

/** What SQLite calls a failure: a code such as `SQLITE_FULL` or `SQLITE_IOERR_WRITE`. */
export function sqliteCode(error: unknown): string | null {
  if (!(error instanceof Error) || !("code" in error)) return null;
  return typeof error.code === "string" ? error.code : null;
}

export function isBusy(error: unknown): boolean {
  const code = sqliteCode(error);
  return code !== null && /^SQLITE_(BUSY|LOCKED)/.test(code);
}

/**
 * Turns an error of SQLite or of the file system into a StoreError with one line that names the
 * file and says what to do. Anything else (a fault of the program) comes back as it was.
 */
export function storeFailure(error: unknown, path: string): unknown {
  if (error instanceof StoreError) return error;
  const code = sqliteCode(error);
  if (code === null || !(error instanceof Error)) return error;
  if (/^SQLITE_(NOTADB|CORRUPT)/.test(code)) return corrupt(path, error.message, error);
  const advice = adviceFor(code);
  return advice === null ? error : unwritable(path, `${error.message}: ${advice}`, error);
}

export function corrupt(path: string, why: string, cause?: unknown): StoreError {
  return new StoreError(
    "corrupt",
    `${path} is damaged or not a database of tickwatch (${why}): restore a backup, ` +
      `or move it away to start with a new one`,
    { cause },
  );
}

/** It has no byte, and a daemon has used it. */
export function emptied(path: string): StoreError {
  return corrupt(path, "it is empty, but was not when it was last used");
}

/** `why` ends with what to do. */
export function unwritable(path: string, why: string, cause?: unknown): StoreError {
  return new StoreError("unwritable", `cannot write the database ${path}: ${why}`, { cause });
}

function adviceFor(code: string): string | null {
  if (code === "SQLITE_FULL" || code === "ENOSPC") {
    return "free some space on that disk, or set `store` to another one";
  }
  if (/^SQLITE_(BUSY|LOCKED)/.test(code)) return "stop the program that holds the lock";
  if (code.startsWith("SQLITE_IOERR"))
    return "check the disk and whether the files are still there";
  if (/^SQLITE_(READONLY|CANTOPEN|PERM|AUTH|NOLFS)/.test(code) || /^E[A-Z]+$/.test(code)) {
    return "let this user write the file and its folder, or set `store` to another path";
  }
  return null;
}
