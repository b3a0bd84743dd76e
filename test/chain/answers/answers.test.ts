import { afterEach, describe, expect, test } from "vitest";
import { GasAnswers } from "../../../src/chain/answers/gas-answers.ts";
import { HolderAnswers } from "../../../src/chain/answers/holder-answers.ts";
import { PoolAnswers } from "../../../src/chain/answers/pool-answers.ts";
import { SELECTORS } from "../../../src/chain/codec/calls.ts";
import { wordOf } from "../../../src/chain/codec/words.ts";
import type { PoolFacts } from "../../../src/chain/index/pool-points.ts";
import { Refusal } from "../../../src/serve/refusal.ts";
import { FakeChain, serveChain } from "../support/fake-chain.ts";
import { NOBODY, transfer, v3Swap, v4Liquidity, v4Swap, wallet } from "../support/fake-logs.ts";
import { type Indexing, indexing, TOKEN, V3_POOL, V4_POOL } from "../support/indexing.ts";

/** A full hour. */
const START = 1_764_547_200;
const HOUR_MS = 3_600_000;
const ONE = 1n << 96n;

const open: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

/** 1,000 blocks of 12 s: three hours and a third. Swaps in blocks 310, 320 and 650. */
async function chainOfSwaps(): Promise<Indexing> {
  const chain = new FakeChain(START);
  chain.view = (_to, data) =>
    `0x${wordOf(data === SELECTORS.totalSupply ? 1_000n : data.endsWith(wallet(1).slice(2)) ? 400n : 600n)}`;
  for (let n = 1; n <= 1_000; n += 1) {
    const swap = (amount0: bigint, root: bigint) => {
      const fields = { amount0, amount1: -amount0 * 2n, sqrtPriceX96: root, tick: 0 };
      return [v3Swap(fields), v4Swap(fields)];
    };
    chain.mine({
      logs: [
        ...(n === 5 ? [transfer(NOBODY, wallet(1), 1_000n)] : []),
        ...(n === 6 ? [transfer(wallet(1), wallet(2), 600n), v4Liquidity(70n, -60, 60, 9)] : []),
        ...(n === 310 ? swap(1_000_000n, ONE * 2n) : []),
        ...(n === 320 ? swap(-500_000n, ONE) : []),
        ...(n === 650 ? swap(10_000n, ONE / 2n) : []),
      ],
      transactions: [{ gasPrice: "0x77359400" }],
    });
  }
  const node = await serveChain(() => chain);
  open.push(node.close);
  const one = await indexing([node.url]);
  open.push(one.close);
  return one;
}

function poolsOf(one: Indexing, changed: Partial<PoolFacts> = {}): PoolAnswers {
  const facts = (id: string): PoolFacts => ({
    version: id === V3_POOL ? "v3" : "v4",
    fee: 3_000,
    token0: { address: TOKEN, decimals: 6 },
    token1: { address: NOBODY, decimals: 6 },
    ...changed,
  });
  return new PoolAnswers({
    chainId: 1,
    tables: one.tables,
    facts: {
      pool: async (id) => (id === V3_POOL || id === V4_POOL ? facts(id) : undefined),
      usd: async (token) => (token === TOKEN ? 2 : null),
      confirmed: async () => (one.tables.blocks.newest()?.number ?? -1) - 12,
      times: async (blocks) => blocks.map((block) => (START + block * 12) * 1_000),
    },
    soon: async () => {},
    follow: (version, id) => one.indexer.want(version, id),
    elapsed: () => 0,
  });
}

async function refusalOf(answer: Promise<unknown>): Promise<Refusal> {
  const error: unknown = await answer.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (error instanceof Refusal) return error;
  throw new Error(`it was not refused: ${String(error)}`);
}

describe("pools", () => {
  test("are followed from the first question on, and refused until their logs are read", async () => {
    const one = await chainOfSwaps();
    const pools = poolsOf(one);
    await one.indexer.level();
    const refusal = await refusalOf(pools.swaps(V3_POOL, 10, 0));
    expect([refusal.status, refusal.code]).toEqual([404, "not_indexed"]);
    expect(refusal.message).toBe(`logs of ${V3_POOL}: 0% read`);
    await one.finish();
    expect(await pools.swaps(V3_POOL, 10, 0)).toMatchObject({ pool_address: V3_POOL });
    expect(await pools.swaps(`0x${"7".repeat(40)}`, 10, 0)).toBeUndefined();
  });

  test("tell swaps newest first, of both versions from the pool's side", async () => {
    const one = await chainOfSwaps();
    for (const [kind, id] of [
      ["v3", V3_POOL],
      ["v4", V4_POOL],
    ] as const) {
      one.indexer.want(kind, id);
    }
    await one.finish();
    const pools = poolsOf(one);
    for (const id of [V3_POOL, V4_POOL.toUpperCase().replace("0X", "0x")]) {
      expect(await pools.swaps(id, 2, 0)).toMatchObject({
        swaps: [
          {
            block_number: 650,
            amount0: "+10000",
            amount1: "-20000",
            timestamp: "2025-12-01T02:10:00Z",
          },
          { block_number: 320, amount0: "-500000", amount1: "+1000000" },
        ],
      });
      expect(await pools.swaps(id, 10, 2)).toMatchObject({ swaps: [{ block_number: 310 }] });
    }
    expect(await pools.liquidityChanges(V4_POOL, 10, 0)).toMatchObject({
      modify_liquidity_history: [
        { id: `${V4_POOL}-6000001`, liquidity_delta: "+70", tick_lower: -60 },
      ],
    });
    expect(await pools.liquidityChanges(V3_POOL, 10, 0)).toBeUndefined();
  });

  test("have hours that open where the one before closed, and end where the first swap is", async () => {
    const one = await chainOfSwaps();
    one.indexer.want("v3", V3_POOL);
    await one.finish();
    const found = await poolsOf(one).history(V3_POOL, "h", 10, 0);
    expect(found).toMatchObject({
      period: "h",
      data: [
        { date: "2025-12-01T03:00:00Z", swapCount: "0", open: 0.25, close: 0.25, volumeUSD: 0 },
        {
          date: "2025-12-01T02:00:00Z",
          swapCount: "1",
          open: 1,
          high: 1,
          low: 0.25,
          close: 0.25,
          volumeToken0: "10000",
          volumeUSD: 0.02,
          collectedFeesToken0: "30",
        },
        {
          date: "2025-12-01T01:00:00Z",
          swapCount: "2",
          open: null,
          high: 4,
          low: 1,
          close: 1,
          volumeToken0: "1500000",
          volumeToken1D: "3.000000",
          volumeUSD: 3,
          collectedFeesToken0: "3000",
          collectedFeesToken1: "3000",
        },
      ],
    });
    expect(await poolsOf(one).lastDay(V3_POOL)).toEqual({ volume_24h: "3.02", fees_24h: null });
  });
});

describe("holders", () => {
  const holdersOf = (one: Indexing, tokens = [TOKEN]): HolderAnswers =>
    new HolderAnswers({
      chainId: 1,
      tables: one.tables,
      decimals: async (token) => (token === TOKEN ? 2 : undefined),
      tokens,
      mostTransfers: 5_000_000,
      elapsed: () => 0,
    });

  test("are told by what they hold, once they are what the contract says", async () => {
    const one = await chainOfSwaps();
    const holders = holdersOf(one);
    await one.indexer.level();
    expect((await refusalOf(holders.count(TOKEN))).message).toBe(`holders of ${TOKEN}: 0% read`);
    await one.finish();
    expect(await holders.count(TOKEN)).toEqual({
      token_address: TOKEN,
      chain_id: 1,
      holder_count: 2,
    });
    const page = { size: 1, offset: 0 };
    expect(await holders.list(TOKEN, { ...page, ascending: false })).toMatchObject([
      { wallet_address: wallet(2), balance: "600" },
    ]);
    expect(await holders.list(TOKEN, { ...page, ascending: true })).toMatchObject([
      { wallet_address: wallet(1), balance: "400" },
    ]);
    expect(await holders.legacyList(TOKEN, { size: 10, offset: 1 })).toMatchObject({
      total_holders: 2,
      holders: [{ wallet_address: wallet(1), balance_formatted: "4.000000" }],
    });
    expect(await holders.totals(TOKEN)).toMatchObject({ holders: 2, transfers: 2 });
    expect(await holders.count(NOBODY)).toBeUndefined();
  });

  test("of a token that nobody configured are refused with what to do", async () => {
    const one = await chainOfSwaps();
    const refusal = await refusalOf(holdersOf(one, []).count(TOKEN));
    expect(refusal.message).toContain("add the token to `holders`");
  });

  test("that cannot be counted are refused with the reason, and those of too large a token with how many", async () => {
    const one = await chainOfSwaps();
    one.tables.write(() => one.tables.status.put(TOKEN, { refused: "its sums differ" }));
    expect(await refusalOf(holdersOf(one).count(TOKEN))).toMatchObject({
      code: "not_countable",
      message: `holders of ${TOKEN}: cannot be counted: its sums differ`,
    });
    one.tables.write(() => one.tables.status.put(TOKEN, { refused: null, estimate: 160_000_000 }));
    expect(await refusalOf(holdersOf(one).count(TOKEN))).toMatchObject({
      code: "not_indexed",
      message: `holders of ${TOKEN}: not indexed: about 160.0 M transfers, more than 5 M`,
    });
  });
});

test("gas hours that are not read yet are left out, and none at all is a refusal", async () => {
  const one = await chainOfSwaps();
  const gas = new GasAnswers({
    chainId: 1,
    tables: one.tables,
    soon: async () => {},
  });
  const all = () => gas.hours(0, START * 1_000 + 10 * HOUR_MS);
  expect((await refusalOf(all())).message).toBe("gas of Ethereum: no block is read yet");
  await one.indexer.level();
  expect(await all()).toMatchObject([{ hour: "2025-12-01T03:00:00Z", block_count: 101 }]);
  await one.finish();
  expect(await gas.hours(START * 1_000, START * 1_000 + HOUR_MS)).toMatchObject([
    { hour: "2025-12-01T00:00:00Z", block_count: 300, tx_count: null },
    { hour: "2025-12-01T01:00:00Z", block_count: 300 },
  ]);
});
