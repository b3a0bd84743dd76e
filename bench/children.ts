import { type ChildProcess, fork } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Measurement, Task } from "./measure.ts";

export type Program = "floor" | "daemon";

/** The source server, running. */
export interface SourceServer {
  readonly url: string;
  /** Requests since the last call. */
  takeRequests(): Promise<number>;
  stop(): void;
}

function start(name: string, argument: string): ChildProcess {
  const path = fileURLToPath(new URL(`./${name}.js`, import.meta.url));
  return fork(path, [argument], { stdio: ["ignore", "inherit", "inherit", "ipc"] });
}

/** The next message of a child; rejects when it ends without one. */
function message<T>(child: ChildProcess): Promise<T> {
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
    async takeRequests() {
      const counted = message<{ requests: number }>(child);
      child.send("count");
      return (await counted).requests;
    },
    stop: () => child.disconnect(),
  };
}

export interface Run extends Measurement {
  readonly requestsPerRound: number;
}

/** Measures a program in a fresh process with a fresh database. */
export async function run(
  program: Program,
  task: Omit<Task, "folder" | "url">,
  server: SourceServer,
): Promise<Run> {
  const folder = mkdtempSync(join(tmpdir(), "tickwatch-bench-"));
  try {
    const child = start(program, JSON.stringify({ ...task, url: server.url, folder }));
    const ended = new Promise<number | null>((resolve) => {
      child.once("exit", resolve);
    });
    await message<"ready">(child);
    await server.takeRequests();
    child.send("go");
    const measurement = await message<Measurement>(child);
    const requests = await server.takeRequests();
    const code = await ended;
    if (code !== 0) throw new Error(`${program} ended with code ${code}`);
    return { ...measurement, requestsPerRound: requests / task.rounds };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
