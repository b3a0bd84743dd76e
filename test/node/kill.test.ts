import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { encodeFunctionData, type Hex } from "viem";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openChainDb } from "../../src/chain/db/open.ts";
import { ChainTables } from "../../src/chain/index/chain-tables.ts";
import { contents, indexing } from "../chain/support/indexing.ts";
import { ACCOUNT, Anvil } from "./support/anvil.ts";
import * as artifacts from "./support/artifacts.ts";
import { SpoilingNode } from "./support/proxy.ts";
import { Uniswap } from "./support/uniswap.ts";

const MAIN = fileURLToPath(new URL("../../dist/main.js", import.meta.url));
const BLOCKS = 60;
const A_BLOCK = 20;
const KILLS = 4;

let anvil: Anvil;
let node: SpoilingNode;
let uniswap: Uniswap;
let folder: string;
let pool: Hex;
let daemon: ChildProcess | null = null;

beforeAll(async () => {
  anvil = await Anvil.start("--chain-id", "1");
  uniswap = await Uniswap.deploy(anvil);
  pool = await uniswap.createPool(uniswap.key());
  await uniswap.mint(uniswap.key(), -6_000, 6_000, 10n ** 22n);
  await anvil.rpc("evm_setAutomine", [false]);
  for (let block = 0; block < BLOCKS; block += 1) {
    for (let n = 0; n < A_BLOCK; n += 1) {
      const to = `0x${(1 + ((block * 7 + n * 13) % 97)).toString(16).padStart(40, "0")}`;
      const data = encodeFunctionData({
        abi: artifacts.TOKEN.abi,
        functionName: "transfer",
        args: [to, BigInt(1 + block * n)],
      });
      await anvil.rpc("eth_sendTransaction", [
        { from: ACCOUNT, to: uniswap.token0, data, gas: "0x186a0" },
      ]);
    }
    await anvil.mine(20);
  }
  await anvil.rpc("evm_setAutomine", [true]);
  await uniswap.swap(uniswap.key(), true, 10n ** 15n);
  await anvil.mine(140);
  node = await SpoilingNode.before(anvil.url);
  node.fault = "short ranges";
  folder = mkdtempSync(join(tmpdir(), "tickwatch-kill-"));
});
afterAll(async () => {
  daemon?.kill("SIGKILL");
  await node?.close();
  await anvil?.stop();
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
});

function configure(): void {
  const { poolManager, positionManager, v3Factory, v3PositionManager, wrappedNative } =
    uniswap.contracts;
  writeFileSync(
    join(folder, "config.yaml"),
    `service:
  rpc:
    chains:
      ethereum:
        urls: ["\${env:RPC}"]
        requests_per_second: 20
        days: 1
        holders: ["${uniswap.token0}"]
        usd: {native: "${wrappedNative}"}
        contracts:
          pool_manager: "${poolManager}"
          position_manager: "${positionManager}"
          v3_factory: "${v3Factory}"
          v3_position_manager: "${v3PositionManager}"
rules: [rules.yaml]
channels: {terminal: {kind: console}}
`,
  );
  writeFileSync(
    join(folder, "rules.yaml"),
    `rules:
  - name: holders
    schedule: 1s
    watch: {kind: holder_count, chain: 1, token: "${uniswap.token0}"}
    when: {metric: holder_count, above: 1000000}
  - name: swaps
    schedule: 1s
    watch: {kind: v4_swaps, chain: 1, pools: ["${pool}"]}
    when: {metric: amount0_abs, at_least: 1000000000 tokens}
`,
  );
}

function start(): void {
  daemon = spawn(process.execPath, [MAIN, "run"], {
    cwd: folder,
    env: { PATH: process.env.PATH, RPC: node.url },
    stdio: "ignore",
  });
}

async function kill(): Promise<void> {
  const ended = new Promise((resolve) => daemon?.once("exit", resolve));
  daemon?.kill("SIGKILL");
  await ended;
}

/** How many blocks of transfers are read, and whether all is read and compared with the contract. */
async function progress(): Promise<{ readonly read: number; readonly isDone: boolean }> {
  const path = join(folder, "chain.db");
  if (!existsSync(path)) return { read: 0, isDone: false };
  const db = await openChainDb(path);
  const tables = new ChainTables(db, 1);
  const transfers = tables.sources.get("transfers", uniswap.token0);
  const swaps = tables.sources.get("v4", pool);
  const isRead = transfers?.last === null && swaps?.last === null;
  const isDone = isRead && tables.status.get(uniswap.token0).checked !== null;
  db.close();
  return { read: transfers?.last ?? 0, isDone };
}

it("a daemon that is killed while it indexes ends with the database of one that was not", async () => {
  configure();
  const seen = new Set<number>();
  for (let i = 0; i < KILLS; i += 1) {
    start();
    const before = await progress();
    // Until it has gone on, and then at another moment each time.
    while ((await progress()).read === before.read) await pause(10);
    await pause(i * 60);
    await kill();
    seen.add((await progress()).read);
  }
  // It was killed at different places of its work, and not only before or after it.
  expect(seen.size).toBe(KILLS);
  expect((await progress()).isDone).toBe(false);
  start();
  while (!(await progress()).isDone) await pause(100);
  await kill();

  const fresh = await indexing([anvil.url], {
    contracts: {
      manager: uniswap.poolManager,
      positionManager: uniswap.positionManager,
      v3PositionManager: uniswap.v3Positions,
    },
    holders: [uniswap.token0],
  });
  fresh.indexer.want("v4", pool);
  await fresh.finish();
  const db = await openChainDb(join(folder, "chain.db"));
  const [killed, whole] = [contents(db), contents(fresh.db)];
  const timeless = (rows: readonly unknown[] = []): readonly string[] =>
    rows.map((row) => String(row).replace(/"time":(?:null|\d+),/, ""));
  expect(killed.holders).toEqual(whole.holders);
  expect(timeless(killed.swaps)).toEqual(timeless(whole.swaps));
  expect(timeless(killed.liquidity_changes)).toEqual(timeless(whole.liquidity_changes));
  expect(new ChainTables(db, 1).holders.totals(uniswap.token0)).toEqual(
    fresh.tables.holders.totals(uniswap.token0),
  );
  expect(new ChainTables(db, 1).holders.totals(uniswap.token0)?.transfers).toBeGreaterThan(
    BLOCKS * A_BLOCK,
  );
  db.close();
  await fresh.close();
});
