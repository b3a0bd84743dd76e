import { chmodSync, closeSync, openSync, statSync } from "node:fs";

/**
 * Whoever can read a database can read all that is watched, and can lock a byte of it so that nothing
 * is written any more: its files are for their owner alone, whatever the umask is.
 */

const OWNER_ONLY = 0o600;
/** What others and the group may do. */
const OTHERS = 0o077;

const ENDS = ["", "-wal", "-shm", ".lock"] as const;

/**
 * Makes an empty file unless there is one. One that is there is not even opened: closing it would drop the
 * locks that this process has on it.
 */
export function makePrivate(path: string): void {
  try {
    closeSync(openSync(path, "wx", OWNER_ONLY));
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
}

/**
 * Takes the rights of others away from the files of a database, where that can be done. A file of mode 000
 * gets its owner's rights: SQLite makes the log beside such a one readable for all.
 */
export function tighten(path: string): void {
  const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? OWNER_ONLY;
  for (const file of [...openToOthers(path), ...((mode & 0o777) === 0 ? [path] : [])]) {
    try {
      chmodSync(file, OWNER_ONLY);
    } catch {
      // It belongs to somebody else: `openToOthers` still has it.
    }
  }
}

/** The files of a database that others can use; on Windows, where modes say nothing, none. */
export function openToOthers(path: string): string[] {
  if (process.platform === "win32") return [];
  return ENDS.map((end) => path + end).filter((file) => {
    const mode = statSync(file, { throwIfNoEntry: false })?.mode;
    return mode !== undefined && (mode & OTHERS) !== 0;
  });
}
