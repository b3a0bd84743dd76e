import { spawn } from "node:child_process";
import { copyFileSync } from "node:fs";
import { performance } from "node:perf_hooks";
import { fileURLToPath } from "node:url";
import type { Taken } from "./weigh.ts";

export interface CliRun extends Taken {
  readonly wallMs: number;
}

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** Runs the command line as a user does. `stopAfterMs` sends SIGTERM; any other end must be code 0. */
export async function runCommand(
  args: readonly string[],
  stopAfterMs: number | null = null,
): Promise<CliRun> {
  // The program reads its version beside the folder that it was compiled to.
  copyFileSync(here("../../../package.json"), here("../package.json"));
  const start = performance.now();
  const child = spawn(
    process.execPath,
    ["--import", new URL("./weigh.js", import.meta.url).href, here("../src/main.js"), ...args],
    { stdio: ["ignore", "ignore", "pipe", "pipe"] },
  );
  const timer = stopAfterMs === null ? null : setTimeout(() => child.kill("SIGTERM"), stopAfterMs);
  let taken = "";
  let said = "";
  child.stdio[3]?.on("data", (chunk: Buffer) => {
    taken += chunk.toString();
  });
  child.stderr?.on("data", (chunk: Buffer) => {
    said = `${said}${chunk.toString()}`.slice(-2_000);
  });
  const code = await new Promise<number | null>((resolve) => {
    child.once("close", resolve);
  });
  if (timer !== null) clearTimeout(timer);
  if (code !== 0) throw new Error(`${args.join(" ")} ended with code ${code}: ${said}`);
  return { ...(JSON.parse(taken) as Taken), wallMs: performance.now() - start };
}
