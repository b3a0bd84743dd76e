import { statSync } from "node:fs";
import type { Driver } from "./driver.ts";
import { corrupt } from "./failure.ts";

/** A database up to this size is looked through as a whole, which takes tenths of a second. */
const WHOLE_BYTES = 64 * 1024 * 1024;
/** Of a larger one what everything else depends on; the samples and what was told long ago are most of it. */
const TABLES = [
  "names",
  "series",
  "newest",
  "alerts",
  "rules",
  "cursors",
  "marks",
  "fence",
] as const;

/**
 * Looks for damage before anything is written: a damaged file may be all that there is to mend it from.
 * Throws StoreError `corrupt`, and what SQLite throws.
 */
export function checkSound(driver: Driver, path: string): void {
  const size = sizeOf(path);
  if (size === 0) return;
  // Closing would fold a log into the file; where there is none, it takes away what opening made.
  const db = new driver(path, { readonly: sizeOf(`${path}-wal`) > 0, timeout: 0 });
  try {
    const whole = size <= WHOLE_BYTES;
    for (const what of whole ? ["1"] : TABLES.map((table) => `'${table}'`)) {
      const said: unknown = db.pragma(`quick_check(${what})`, { simple: true });
      if (said !== "ok") throw corrupt(path, firstLine(String(said)));
    }
  } finally {
    db.close();
  }
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

function firstLine(text: string): string {
  const line = text.split("\n").find((one) => !one.startsWith("***"));
  return (line ?? "quick_check found faults").slice(0, 120);
}
