import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Hex } from "viem";
import { afterAll, beforeAll, expect, it } from "vitest";
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

beforeAll(async () => {
  anvil = await Anvil.start("--chain-id", "1");
  uniswap = await Uniswap.deploy(anvil);
  node = await SpoilingNode.before(anvil.url);
  slack = await startReceiver();
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

  daemon.kill("SIGTERM");
  await new Promise((resolve) => daemon.once("exit", resolve));
  expect([countOf(/Out of range/), countOf(/Back in range/)]).toEqual([1, 1]);

  const files = await readdir(folder);
  const stored = await Promise.all(files.map((name) => readFile(join(folder, name), "latin1")));
  const bodies = slack.received.map(({ body }) => body);
  const everything = [output, ...stored, ...bodies].join("\n");
  expect(everything).not.toContain(KEY);
  expect(everything).not.toContain(new URL(node.url).host);
});
