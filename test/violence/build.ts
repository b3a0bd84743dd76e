import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** Another text in one file of the built program. */
export interface Patch {
  /** Below `dist`. */
  readonly file: string;
  /** Stands there exactly once. */
  readonly from: string;
  readonly to: string;
}

/** Leases of fifteen seconds would make a hundred takeovers last half an hour. */
export function shortLease(ms: number): Patch {
  return {
    file: "cluster/member-row.js",
    from: "LEASE_MS = 15 * SECOND;",
    to: `LEASE_MS = ${ms};`,
  };
}

/** A copy of the built program with these changes; returns the path of its main file. Throws Error where one does not fit. */
export function buildWith(name: string, patches: readonly Patch[]): string {
  const folder = `${ROOT}node_modules/.cache/violence/${name}-${process.pid}`;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  cpSync(`${ROOT}dist`, `${folder}/dist`, { recursive: true });
  cpSync(`${ROOT}package.json`, `${folder}/package.json`);
  for (const { file, from, to } of patches) {
    const path = `${folder}/dist/${file}`;
    const parts = readFileSync(path, "utf8").split(from);
    if (parts.length !== 2) throw new Error(`${file} has ${parts.length - 1} times: ${from}`);
    writeFileSync(path, parts.join(to));
  }
  return `${folder}/dist/main.js`;
}

export function removeBuild(main: string): void {
  rmSync(fileURLToPath(new URL("..", `file://${main}`)), { recursive: true, force: true });
}
