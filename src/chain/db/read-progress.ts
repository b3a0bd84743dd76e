import { loadDriver } from "../../store/sqlite/driver.ts";
import { type NotedProgress, notedProgress } from "../index/progress-table.ts";

/** What is written down in a database of chains that another process writes; none where it cannot be read. */
export async function readProgress(path: string): Promise<readonly NotedProgress[]> {
  const driver = await loadDriver();
  try {
    const db = new driver(path, { readonly: true, fileMustExist: true, timeout: BUSY_MS });
    try {
      return notedProgress(db);
    } finally {
      db.close();
    }
  } catch {
    // It is a line for people beside others that count: one that was just deleted spoils nothing.
    return [];
  }
}

const BUSY_MS = 1_000;
