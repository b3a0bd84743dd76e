import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Hex } from "viem";
import { afterAll, beforeAll, expect, it } from "vitest";
import { freePort } from "../support/free-port.ts";
import { type Receiver, startReceiver } from "../support/receiver.ts";
import { Anvil } from "./support/anvil.ts";
import { KEY, SpoilingNode } from "./support/proxy.ts";
import { type Key, Uniswap } from "./support/uniswap.ts";

const MAIN = fileURLToPath(new URL("../../dist/main.js", import.meta.url));
const L = 10n ** 21n;

let anvil: Anvil;
let node: SpoilingNode;
let uniswap: Uniswap;
let slack: Receiver;
let folder: string;
let key: Key;
let daemon: ChildProcess;
let output = "";
let web = 0;

beforeAll(async () => {
  anvil = await Anvil.start("--chain-id", "1");
  uniswap = await Uniswap.deploy(anvil);
  node = await SpoilingNode.before(anvil.url);
  slack = await startReceiver();
  web = await freePort();
  key = uniswap.key();
  await uniswap.createPool(key);
  await uniswap.mint(key, -60_000, 60_000, 50n * L);
  folder = await mkdtemp(join(tmpdir(), "tickwatch-node-"));
});
afterAll(async () => {
  daemon?.kill("SIGKILL");
  await slack?.close();
  await node?.close();
  await anvil?.stop();
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
});

/** What Slack was told that fits; the time (ms) until then since the call. */
async function told(fits: RegExp): Promise<number> {
  const begun = performance.now();
  await slack.first(({ body }) => fits.test(body));
  return performance.now() - begun;
}

function countOf(fits: RegExp): number {
  return slack.received.filter(({ body }) => fits.test(body)).length;
}

/** What the daemon tells over HTTP, and what commands say beside it. */
async function saidBeside(): Promise<string> {
  const pages = await Promise.all(
    ["healthz", "readyz", "metrics"].map(async (path) => {
      const response = await fetch(`http://127.0.0.1:${web}/${path}`);
      return await response.text();
    }),
  );
  const commands = [
    ["status"],
    ["status", "--json"],
    ["check", "--online"],
    ["once"],
    ["plan"],
    ["doctor"],
  ];
  const said: string[] = [];
  for (const args of commands) said.push(await commandOutput(args));
  return [...pages, ...said].join("\n");
}

/** All that a command says, whatever its exit code. */
async function commandOutput(args: readonly string[]): Promise<string> {
  const env = {
    PATH: process.env.PATH,
    RPC: node.url,
    SLACK_URL: `${slack.origin}/services/T0/B0/x`,
  };
  const child = spawn(process.execPath, [MAIN, ...args], { cwd: folder, env });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      said += chunk.toString();
    });
  }
  await new Promise((resolve) => child.once("close", resolve));
  return said;
}

async function start(nft: bigint): Promise<void> {
  const { poolManager, positionManager, v3Factory, v3PositionManager, wrappedNative } =
    uniswap.contracts;
  await writeFile(
    join(folder, "config.yaml"),
    `service:
  rpc:
    chains:
      ethereum:
        urls: ["\${env:RPC}"]
        usd: {native: "${wrappedNative}"}
        contracts:
          pool_manager: "${poolManager}"
          position_manager: "${positionManager}"
          v3_factory: "${v3Factory}"
          v3_position_manager: "${v3PositionManager}"
rules: [rules.yaml]
group_wait: 0s
web: {listen: "127.0.0.1:${web}"}
channels:
  lp-slack: {kind: slack, url: "\${env:SLACK_URL}"}
`,
  );
  const watch = `{kind: v4_position, chain: ethereum, protocol: dexa, positions: [${nft}]}`;
  await writeFile(
    join(folder, "rules.yaml"),
    `rules:
  - name: range
    schedule: 1s
    watch: ${watch}
    when: {metric: in_range, equals: false}
  - name: owner
    schedule: 1s
    watch: ${watch}
    when: {metric: owner_address, changes: true}
  - name: liquidity
    schedule: 1s
    watch: ${watch}
    when: {metric: liquidity, changes: true}
`,
  );
  daemon = spawn(process.execPath, [MAIN, "run"], {
    cwd: folder,
    env: { PATH: process.env.PATH, RPC: node.url, SLACK_URL: `${slack.origin}/services/T0/B0/x` },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const note = (chunk: Buffer): void => {
    output += chunk.toString();
  };
  daemon.stdout?.on("data", note);
  daemon.stderr?.on("data", note);
  await told(/Watching/);
}

it("tells an LP once and rightly of all that becomes of a position, and nobody of the node's URL", async () => {
  const nft = await uniswap.mint(key, -600, 600, L);
  await start(nft);

  await uniswap.swap(key, true, 5n * L);
  expect(await told(/Out of range/)).toBeLessThan(10_000);
  await uniswap.swap(key, false, 5n * L);
  expect(await told(/Back in range/)).toBeLessThan(10_000);

  await uniswap.change(key, nft, -L / 2n);
  await told(/[Ll]iquidity/);
  const other: Hex = "0x00000000000000000000000000000000000000aa";
  await uniswap.transfer(nft, other);
  await told(/0x000000…00aa|0x0000…00aa|00aa/);

  const well = await saidBeside();
  // A node that repeats its URL and key in what it says, and one that is not there at all.
  node.fault = "echoes";
  const echoed = await saidBeside();
  node.fault = "down";
  const down = await saidBeside();
  node.fault = "none";
  expect(well).toContain("node 1");
  expect(echoed).toContain("node 1");

  daemon.kill("SIGTERM");
  await new Promise((resolve) => daemon.once("exit", resolve));
  expect([countOf(/Out of range/), countOf(/Back in range/)]).toEqual([1, 1]);

  const files = await readdir(folder);
  const stored = await Promise.all(files.map((name) => readFile(join(folder, name), "latin1")));
  const bodies = slack.received.map(({ body }) => body);
  const everything = [output, ...stored, ...bodies, well, echoed, down].join("\n");
  for (const part of [KEY, new URL(node.url).host, new URL(node.url).pathname, node.url]) {
    expect(everything).not.toContain(part);
  }
});
