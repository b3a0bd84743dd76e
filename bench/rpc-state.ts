import type { Clock } from "../src/base/clock.ts";
import { keepHeapSmall } from "../src/base/heap.ts";
import { Secret } from "../src/base/text.ts";
import { createChainWorld } from "../src/chain/world.ts";
import { RPC_DEFAULTS } from "../src/config/settings/rpc-keys.ts";
import { type LocalNode, startAnvil } from "./anvil.ts";
import type { Figure } from "./figures.ts";
import { spread } from "./spread.ts";
import { deployUniswap } from "./uniswap.ts";

const COUNT = 1_000;
const ROUNDS = 25;
const WARM_UP = 8;
/** Pools in which somebody trades between two rounds. */
const TRADED = 50;
const BLOCK_SECONDS = 12;
/** As many as one request of a daemon holds. */
const A_REQUEST = 20;

/** What a round over 1,000 pools and 1,000 positions costs on the side of the node: calls, records, JSON. */
export async function stateFigures(): Promise<readonly Figure[]> {
  // As the daemon does.
  keepHeapSmall();
  const node = await startAnvil("--gas-limit", "1000000000", "--code-size-limit", "100000");
  try {
    console.error(`${COUNT} pools and positions are made`);
    const uniswap = await deployUniswap(node, COUNT);
    await node.rpc("anvil_mine", "0x80", `0x${BLOCK_SECONDS.toString(16)}`);
    const clock = new ChainClock(node);
    await clock.follow();
    const { poolManager, positionManager, token1 } = uniswap;
    const chain = {
      ...RPC_DEFAULTS,
      urls: [new Secret(node.url)],
      requestsPerSecond: 1_000,
      timeoutMs: 60_000,
      usd: { stable: [token1], feeds: new Map<string, string>() },
      contracts: { poolManager, positionManager },
    };
    const world = createChainWorld({
      settings: { data: null, chains: new Map([[1, chain]]) },
      clock,
      report: () => {},
    });
    const sent = (): number =>
      world.chains.get(1)?.nodes.all.reduce((sum, one) => sum + one.sent.calls, 0) ?? 0;
    const round = async (): Promise<string> => {
      const at = clock.now();
      const pools = uniswap.pools.map((id) => world.pool(1, id, at));
      const positions = uniswap.positions.map((nft) => world.position(1, "dexa", nft, at));
      const records = await Promise.all([...pools, ...positions]);
      const requests = Array.from({ length: records.length / A_REQUEST }, (_, i) =>
        JSON.stringify(records.slice(i * A_REQUEST, (i + 1) * A_REQUEST)),
      );
      return requests.join();
    };
    const [calls, cpu]: [number[], number[]] = [[], []];
    for (let i = 0; i < WARM_UP + ROUNDS; i += 1) {
      await uniswap.trade(TRADED);
      await node.rpc("anvil_mine", "0x1", `0x${BLOCK_SECONDS.toString(16)}`);
      await clock.follow();
      const [before, began] = [sent(), process.cpuUsage()];
      const text = await round();
      const { user, system } = process.cpuUsage(began);
      if (text.split('"tvl_usd":').length !== COUNT + 1) throw new Error("pools lack");
      if (text.split('"core_total_usd":').length !== COUNT + 1) throw new Error("positions lack");
      if (i < WARM_UP) continue;
      calls.push(sent() - before);
      cpu.push((user + system) / 1_000);
    }
    await world.close();
    return [
      {
        words: "a round over 1,000 V4 pools and 1,000 positions: calls",
        value: spread(calls),
        unit: "",
        bar: 8,
      },
      { words: "its CPU with records and JSON", value: spread(cpu), unit: "ms", bar: 40 },
    ];
  } finally {
    node.stop();
  }
}

/** The time of the newest block; the clock of waits goes on as far. */
class ChainClock implements Clock {
  readonly #node: LocalNode;
  #now = 0;

  constructor(node: LocalNode) {
    this.#node = node;
  }

  async follow(): Promise<void> {
    const block = (await this.#node.rpc("eth_getBlockByNumber", "latest", false)) as {
      timestamp: string;
    };
    this.#now = Number(block.timestamp) * 1_000;
  }

  now(): number {
    return this.#now;
  }

  elapsed(): number {
    return this.#now;
  }

  at(): () => void {
    return () => {};
  }

  after(): () => void {
    return () => {};
  }
}
