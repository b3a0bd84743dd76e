import { execFileSync } from "node:child_process";
import { constants } from "node:fs";
import { type FileHandle, mkdtemp, open, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describe, it } from "vitest";
import { makeAlertWorld, tells } from "../support/alert-world.ts";
import { type Owner, type Program, startProgram } from "../support/program.ts";
import { WHOLE } from "../support/tier.ts";

/** A server that takes connections and never says anything. */
async function silentServer(owner: Owner): Promise<{ url: string; asked: Promise<void> }> {
  let heard = (): void => {};
  const asked = new Promise<void>((resolve) => {
    heard = resolve;
  });
  const sockets = new Set<{ destroy(): void }>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {}).on("data", () => heard());
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  owner.onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return { url: `http://127.0.0.1:${address.port}`, asked };
}

async function folderOf(owner: Owner): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "tickwatch-signals-"));
  owner.onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

const RULES =
  "rules:\n  - {name: tips, watch: {kind: gas, chain: 1}, when: {metric: tip_top10, above: 5 gwei}}\n";

/** A configuration whose service and whose channel never answer. */
async function configOf(folder: string, url: string): Promise<string> {
  const config = join(folder, "config.yaml");
  await writeFile(
    config,
    `service: {base_url: "${url}", api_key: key-of-a-test}
rules: [rules.yaml]
channels:
  hook: {kind: webhook, url: "${url}/hook"}
`,
  );
  await writeFile(join(folder, "rules.yaml"), RULES);
  return config;
}

/** Milliseconds until a program has ended that is told to, once. */
async function timeToEnd(program: Program, signal: NodeJS.Signals): Promise<number> {
  const asked = performance.now();
  program.kill(signal);
  await program.ended;
  return performance.now() - asked;
}

describe.concurrent("a command that waits", () => {
  const asking = [
    ["check --online", "SIGINT"],
    ["once", "SIGTERM"],
    ["send-test hook", "SIGINT"],
    ["check --online", "SIGTERM"],
    ["once", "SIGINT"],
    ["send-test hook", "SIGTERM"],
  ] as const;
  it.for(WHOLE ? asking : asking.slice(0, 1))(
    "%s for an answer ends at the first %s",
    async ([command, signal], test) => {
      const { expect } = test;
      const { url, asked } = await silentServer(test);
      const config = await configOf(await folderOf(test), url);
      const program = startProgram(test, [...command.split(" "), "--config", config]);
      await asked;
      expect(await timeToEnd(program, signal)).toBeLessThan(5_000);
    },
  );

  it.for(WHOLE ? ["check", "plan", "routes", "status", "run", "silence list"] : ["run"])(
    "%s for a file that nobody writes to ends at the first signal",
    async (command, test) => {
      const { expect } = test;
      const config = join(await folderOf(test), "config.yaml");
      execFileSync("mkfifo", [config]);
      const program = startProgram(test, [...command.split(" "), "--config", config]);
      const writer = await openForReader(config, program);
      expect(await timeToEnd(program, "SIGTERM")).toBeLessThan(5_000);
      await writer?.close();
    },
  );
});

/** The writing end of a pipe, as soon as the program reads from it; null: it ended without. */
async function openForReader(path: string, program: Program): Promise<FileHandle | null> {
  const ended = program.ended.then(() => true);
  do {
    try {
      return await open(path, constants.O_WRONLY | constants.O_NONBLOCK);
    } catch {
      // Nobody reads yet.
    }
  } while (!(await Promise.race([ended, delay(20, false)])));
  return null;
}

// The short pass has this in the life of reload.test.ts.
describe.concurrent("the daemon", () => {
  it.runIf(WHOLE)("stays when its terminal is closed, and reads its files again", async (test) => {
    const { expect } = test;
    const { place, slack, tvl } = await makeAlertWorld(test);
    const daemon = place.run();
    await slack.first(tells("started"));
    daemon.kill("SIGHUP");
    await daemon.logLine(
      ({ level, msg }) => level === "info" && msg.startsWith("the configuration was read again"),
    );
    daemon.kill("SIGHUP");
    tvl(800);
    await slack.first(tells("fired"));
    daemon.kill("SIGTERM");
    expect((await daemon.ended).code).toBe(0);
  });
});
