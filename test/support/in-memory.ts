import { chmodSync, mkdtempSync, rmSync, statfsSync } from "node:fs";
import { join } from "node:path";

/** Where Linux keeps files in memory. */
const MEMORY = "/dev/shm";
/** Five times what all tests have there at a time. */
const NEEDED = 256 * 1024 ** 2;

let folder: string | null = null;

/**
 * For the short pass: temporary files are in memory where there is room, since a disk takes a millisecond for each of
 * some thousands of commits. The whole pass has them on the disk.
 */
export function setup(): void {
  if (!hasRoom()) return;
  folder = mkdtempSync(join(MEMORY, "tickwatch-test-"));
  // As in any folder for temporary files, a program of another user finds its own there.
  chmodSync(folder, 0o711);
  process.env.TMPDIR = folder;
}

export function teardown(): void {
  if (folder !== null) rmSync(folder, { recursive: true, force: true });
}

function hasRoom(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize >= NEEDED;
  } catch {
    return false;
  }
}
