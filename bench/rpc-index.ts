import { spawn } from "node:child_process";
import { rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { monitorEventLoopDelay, performance } from "node:perf_hooks";
import { fileURLToPath } from "node:url";
import { systemClock } from "../src/base/clock.ts";
import { Secret } from "../src/base/text.ts";
import { TOPICS } from "../src/chain/codec/events.ts";
import { wordOf } from "../src/chain/codec/words.ts";
import { openChainDb } from "../src/chain/db/open.ts";
import { ChainTables } from "../src/chain/index/chain-tables.ts";
import { Indexer } from "../src/chain/index/indexer.ts";
import { type IndexPlan, runIndex } from "../src/chain/index/runner.ts";
import { RpcNode } from "../src/chain/rpc/node.ts";
import { Nodes } from "../src/chain/rpc/nodes.ts";
import { type LocalNode, startAnvil } from "./anvil.ts";
import { inFolder } from "./children.ts";
import type { Figure } from "./figures.ts";
import { spread } from "./spread.ts";

/** What a node tells of blocks and logs is read into a database: what that costs. */

const TOKEN = `0x${"e".repeat(40)}`;
const TRANSFERS = 1_000_000;
/** Of one block: a full one has about as many. */
const A_BLOCK = 5_000;
const WALLETS = 200_000;
const DAYS = 30;
const BLOCKS_A_DAY = 7_200;
const UNLIMITED = 100_000;

/** Reading a million transfers, in this process and in a thread of its own. */
export async function transferFigures(): Promise<readonly Figure[]> {
  const node = await startAnvil("--gas-limit", "1000000000");
  try {
    console.error(`${TRANSFERS} transfers are made`);
    await node.rpc("anvil_setCode", TOKEN, EMITTER);
    for (let made = 0; made < TRANSFERS; made += A_BLOCK) {
      const first = 1 + (made % WALLETS);
      await node.send(TOKEN, `0x${wordOf(first)}${wordOf(A_BLOCK)}`, A_BLOCK * 2_600 + 100_000);
    }
    await node.rpc("anvil_mine", "0x80");
    return await inFolder(async (folder) => {
      console.error("they are read");
      const path = join(folder, "chain.db");
      const { cpuMs, tables, close } = await indexAll(node, path, [TOKEN]);
      const read = tables.holders.totals(TOKEN)?.transfers;
      await close();
      if (read !== TRANSFERS) throw new Error(`${read} of ${TRANSFERS} transfers were read`);
      const bytes = statSync(path).size;
      rmSync(path);
      console.error("and again by a thread");
      const { holdMs } = await inThread(planOf(node.url, [TOKEN]), path, (found) => {
        return (found.holders.totals(TOKEN)?.transfers ?? 0) >= TRANSFERS / 4;
      });
      return [
        figure(
          "indexing a million transfers: CPU a transfer",
          (cpuMs * 1_000) / TRANSFERS,
          "µs",
          33.3,
        ),
        figure("its database", bytes / 1e6, "MB", null),
        figure("longest hold of the daemon while a thread does it", holdMs, "ms", 50),
      ];
    });
  } finally {
    node.stop();
  }
}

/** Reading 30 days of gas hours. */
export async function gasFigures(): Promise<readonly Figure[]> {
  const blocks = DAYS * BLOCKS_A_DAY;
  const start = Math.floor(systemClock().now() / 1_000) - blocks * 12;
  const node = await startGasNode(blocks, start);
  try {
    return await inFolder(async (folder) => {
      console.error(`the gas of ${DAYS} days is read`);
      const path = join(folder, "chain.db");
      const wanted = DAYS * 24;
      const { holdMs, cpuMs, wallMs } = await inThread(
        planOf(node.url, []),
        path,
        (tables) => tables.gas.known(0, Number.MAX_SAFE_INTEGER).size >= wanted,
      );
      return [
        figure(
          `${DAYS} days of gas hours, where the node sets no limit`,
          wallMs / 1_000,
          "s",
          null,
        ),
        figure("its CPU", cpuMs / 1_000, "s", null),
        figure("longest hold of the daemon meanwhile", holdMs, "ms", 50),
      ];
    });
  } finally {
    node.stop();
  }
}

/** See gas-node.ts. */
async function startGasNode(blocks: number, start: number) {
  const program = fileURLToPath(new URL("gas-node.js", import.meta.url));
  const child = spawn(process.execPath, [program, String(blocks), String(start)], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const port = await new Promise<string>((resolve, reject) => {
    child.stdout.once("data", (said: Buffer) => resolve(said.toString().trim()));
    child.once("exit", () => reject(new Error("the node of blocks and fees ended")));
  });
  return { url: `http://127.0.0.1:${port}`, stop: () => void child.kill() };
}

function figure(words: string, value: number, unit: string, bar: number | null): Figure {
  return { words, value: spread([value]), unit, bar };
}

/** Reads all that there is to read, in this process. */
async function indexAll(node: LocalNode, path: string, holders: readonly string[]) {
  const db = await openChainDb(path);
  const tables = new ChainTables(db, 1);
  const clock = systemClock();
  const nodes = new Nodes({
    chainId: 1,
    nodes: [
      new RpcNode({
        url: new Secret(node.url),
        name: "node 1",
        requestsPerSecond: UNLIMITED,
        timeoutMs: 60_000,
      }),
    ],
    report: () => {},
    now: () => clock.elapsed(),
  });
  const indexer = new Indexer({
    nodes,
    tables,
    clock,
    report: () => {},
    backgroundRate: () => UNLIMITED,
    contracts: { manager: null, positionManager: null, v3PositionManager: null },
    ownersSince: 0,
    exactGas: false,
    days: 1,
    holders,
    mostTransfers: Number.POSITIVE_INFINITY,
  });
  const cpu = process.cpuUsage();
  await indexer.level();
  for (;;) {
    if (!(await indexer.background())) break;
    // What is compared with the contract is not part of it: this one has no balances.
    if (holders.length > 0 && tables.sources.get("transfers", TOKEN)?.last === null) break;
  }
  const { user, system } = process.cpuUsage(cpu);
  const close = async (): Promise<void> => {
    await nodes.close();
    db.close();
  };
  return { cpuMs: (user + system) / 1_000, tables, close };
}

function planOf(url: string, holders: readonly string[]): IndexPlan {
  return {
    chainId: 1,
    urls: [url],
    requestsPerSecond: UNLIMITED,
    timeoutMs: 60_000,
    contracts: { manager: null, positionManager: null, v3PositionManager: null },
    ownersSince: 0,
    exactGas: false,
    days: 1,
    holders,
    mostTransfers: Number.MAX_SAFE_INTEGER,
  };
}

/** Indexes in a thread, as the daemon does, until it `isDone`: what that costs, and how long it held this thread up. */
async function inThread(plan: IndexPlan, path: string, isDone: (tables: ChainTables) => boolean) {
  const db = await openChainDb(path);
  const tables = new ChainTables(db, 1);
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const runner = runIndex(plan, { db, path }, () => {});
  const [cpu, began] = [process.cpuUsage(), performance.now()];
  delay.enable();
  while (!isDone(tables)) {
    await new Promise((resolve) => {
      setTimeout(resolve, 50);
    });
  }
  delay.disable();
  const { user, system } = process.cpuUsage(cpu);
  const wallMs = performance.now() - began;
  await runner.close();
  db.close();
  return { holdMs: delay.max / 1e6, cpuMs: (user + system) / 1_000, wallMs };
}

/**
 * A contract that logs `count` transfers of 1, the n-th from wallet first + n to that of 100,003 less: its
 * call data are `first` and `count`.
 */
const EMITTER = emitter();

function emitter(): string {
  // first, and behind it the end of the loop; the amount stands in memory.
  const head = "60003560203581016001600052";
  const loop = head.length / 2;
  const step = `82620186a301 7f${TOPICS.transfer.slice(2)} 60206000a3 9060010190 60${byte(loop)}56`;
  const body = (exit: number): string =>
    `5b 80821015 60${byte(exit)}57 81 ${step}`.replaceAll(" ", "");
  const exit = loop + body(0).length / 2;
  return `0x${head}${body(exit)}5b00`;
}

function byte(value: number): string {
  return value.toString(16).padStart(2, "0");
}
