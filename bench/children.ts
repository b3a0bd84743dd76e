import { type ChildProcess, fork } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Measurement, Opening, Task } from "./measure.ts";

export type Program = "floor" | "daemon";

/** What the source server did since it was asked the last time. */
export interface Served {
  readonly requests: number;
  /** How many subjects were asked for again. */
  readonly repeated: number;
  /** When the first request came, in ms since 1970. */
  readonly firstRequestAt: number;
  /** When the last answer was written, in ms since 1970. */
  readonly lastAnswerAt: number;
}

/** The source server, running. */
export interface SourceServer {
  readonly url: string;
  /** From now on these pools, and no others, hold less than a million dollars. */
  take(poorPools?: readonly string[]): Promise<Served>;
  stop(): void;
}

export function start(name: string, argument: string): ChildProcess {
  const path = fileURLToPath(new URL(`./${name}.js`, import.meta.url));
  return fork(path, [argument], { stdio: ["ignore", "inherit", "inherit", "ipc"] });
}

/** The next message of a child; rejects when it ends without one. */
export function message<T>(child: ChildProcess): Promise<T> {
  return new Promise((resolve, reject) => {
    const ended = (code: number | null): void => reject(new Error(`ended with code ${code}`));
    child.once("exit", ended);
    child.once("message", (value) => {
      child.off("exit", ended);
      resolve(value as T);
    });
  });
}

export async function startSourceServer(changingShare: number): Promise<SourceServer> {
  const child = start("source-server", String(changingShare));
  const { port } = await message<{ port: number }>(child);
  return {
    url: `http://127.0.0.1:${port}`,
    async take(poorPools = []) {
      const counted = message<Served>(child);
      child.send(poorPools);
      return await counted;
    },
    stop: () => child.disconnect(),
  };
}

export interface Run extends Measurement, Partial<Opening> {
  readonly requestsPerRound: number;
  readonly lastAnswerAt: number;
}

/** Calls with a new folder, which is gone afterwards. */
export async function inFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "tickwatch-bench-"));
  try {
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Measures a program in a fresh process; `poorPools` are so in the rounds that count, at whose beginning and end
 * `look` is called.
 */
export async function run(
  program: Program,
  task: Omit<Task, "url">,
  server: SourceServer,
  poorPools: readonly string[] = [],
  look: () => Promise<void> = async () => {},
): Promise<Run> {
  const child = start(program, JSON.stringify({ ...task, url: server.url }));
  const ended = new Promise<number | null>((resolve) => {
    child.once("exit", resolve);
  });
  await message<"ready">(child);
  await server.take(poorPools);
  await look();
  child.send("go");
  const measurement = await message<Measurement & Partial<Opening>>(child);
  await look();
  const { requests, lastAnswerAt } = await server.take();
  const code = await ended;
  if (code !== 0) throw new Error(`${program} ended with code ${code}`);
  return { ...measurement, requestsPerRound: requests / task.rounds, lastAnswerAt };
}
