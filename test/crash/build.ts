import { execFile } from "node:child_process";
import { copyFile, mkdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const OUT = `${ROOT}node_modules/.cache/crash/`;

/** Compiles the daemon of these tests, since Node 20 reads no TypeScript; returns its path. `npm run check` has its types. */
export async function buildDaemon(): Promise<string> {
  await mkdir(OUT, { recursive: true });
  await copyFile(`${ROOT}package.json`, `${OUT}package.json`);
  await run(process.execPath, [
    `${ROOT}node_modules/typescript/bin/tsc`,
    "-p",
    `${ROOT}test/crash/tsconfig.json`,
    "--noCheck",
  ]);
  return `${OUT}test/crash/daemon.js`;
}
