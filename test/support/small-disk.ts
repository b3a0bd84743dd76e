import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The folder of a disk of its own with so many bytes; null where this user may not mount one. */
export function mountSmallDisk(bytes: number): string | null {
  const folder = mkdtempSync(join(tmpdir(), "tickwatch-disk-"));
  const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", `size=${bytes}`, "tmpfs", folder]);
  if (mounted.status === 0) return folder;
  rmSync(folder, { recursive: true });
  return null;
}

export function unmount(disk: string): void {
  spawnSync("umount", [disk]);
  rmSync(disk, { recursive: true });
}

/** Takes what is left of a disk of `size` bytes, to the last byte. */
export function fillDisk(path: string, size: number): void {
  for (let bytes = size; bytes >= 1; bytes = Math.floor(bytes / 2)) {
    try {
      writeFileSync(path, Buffer.alloc(bytes), { flag: "a" });
    } catch {
      // Less, then.
    }
  }
}
