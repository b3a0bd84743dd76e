import { rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { monitorEventLoopDelay, performance } from "node:perf_hooks";
import { systemClock } from "../src/base/clock.ts";
import { Secret } from "../src/base/secret.ts";
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
      const holdMs = await holdOfThread(node, path);
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
  const node = await startAnvil("--timestamp", String(start));
  try {
    console.error(`${DAYS} days of blocks are made`);
    for (let made = 0; made < blocks; made += BLOCKS_A_DAY) {
      await node.rpc("anvil_mine", `0x${BLOCKS_A_DAY.toString(16)}`, "0xc");
    }
    return await inFolder(async (folder) => {
      console.error("their gas is read");
      const delay = monitorEventLoopDelay({ resolution: 1 });
      delay.enable();
      const { cpuMs, wallMs, tables, nodes, close } = await indexAll(
        node,
        join(folder, "chain.db"),
        [],
      );
      delay.disable();
      const hours = tables.gas.known(0, Number.MAX_SAFE_INTEGER).size;
      const requests = nodes.all.reduce((sum, { sent }) => sum + sent.requests, 0);
      await close();
      if (hours < DAYS * 24) throw new Error(`${hours} of ${DAYS * 24} hours were read`);
      return [
        figure(`${DAYS} days of gas hours: CPU`, cpuMs, "ms", null),
        figure("requests to the node", requests, "", null),
        figure("time, where the node sets no limit", wallMs, "ms", null),
        figure("longest hold", delay.max / 1e6, "ms", 50),
      ];
    });
  } finally {
    node.stop();
  }
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
    backgroundRate: UNLIMITED,
    manager: null,
    exactGas: false,
    days: 1,
    holders,
    mostTransfers: Number.POSITIVE_INFINITY,
  });
  const [cpu, began] = [process.cpuUsage(), performance.now()];
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
  return {
    cpuMs: (user + system) / 1_000,
    wallMs: performance.now() - began,
    tables,
    nodes,
    close,
  };
}

/** The longest that this thread is held up while another one reads the transfers, in milliseconds. */
async function holdOfThread(node: LocalNode, path: string): Promise<number> {
  const db = await openChainDb(path);
  const tables = new ChainTables(db, 1);
  const plan: IndexPlan = {
    chainId: 1,
    urls: [node.url],
    requestsPerSecond: UNLIMITED,
    timeoutMs: 60_000,
    manager: null,
    exactGas: false,
    days: 1,
    holders: [TOKEN],
    mostTransfers: Number.MAX_SAFE_INTEGER,
  };
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const runner = runIndex(plan, { db, path }, () => {});
  delay.enable();
  while ((tables.holders.totals(TOKEN)?.transfers ?? 0) < TRANSFERS / 4) {
    await new Promise((resolve) => {
      setTimeout(resolve, 20);
    });
  }
  delay.disable();
  await runner.close();
  db.close();
  return delay.max / 1e6;
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
