import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  DYNAMIC_FEE,
  ETH_USDC,
  LISTED_POOLS,
  WBTC_WETH,
  ZERO_ADDRESS,
} from "../../src/simulator/listed-pools.ts";
import { createMarket } from "../../src/simulator/market.ts";
import { tickAtSqrtPriceX96 } from "../support/tick-at.ts";
import type { PoolRecord } from "./records.ts";

const START = Date.UTC(2026, 2, 14, 9, 48);
const DAY = 86_400_000;
const market = createMarket({ seed: 7, start: START });

function pool(id: string, at: number): PoolRecord {
  const chainId = LISTED_POOLS.find((listed) => listed.id === id)?.chainId ?? 0;
  const record = market.pool(chainId, id, at);
  if (record === undefined) throw new Error(`no pool ${id}`);
  return record;
}

/** A listed pool, and a time in the 140 days before and the 140 days after the start. */
const someTime = fc.integer({ min: START - 140 * DAY, max: START + 140 * DAY });
const somePool = fc.constantFrom(...LISTED_POOLS);

describe("the mainnet ETH/USDC pool", () => {
  it("starts from the real price, tick and tokens", () => {
    const record = pool(ETH_USDC, START);
    expect(record).toMatchObject({
      pool_id: "0x21c67e77068de97969ba93d4aab21826d33ca12bb9f565d8496e8fda8a82ca27",
      chain_id: 1,
      fee: 500,
      tick_spacing: 10,
      sqrt_price_x96: "3618602270101715334278112",
      current_tick: -199_890,
      hook: { address: ZERO_ADDRESS },
      token0: { address: ZERO_ADDRESS, symbol: "ETH", decimals: 18 },
      token1: {
        address: "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48",
        symbol: "USDC",
        decimals: 6,
      },
    });
    expect(record.price0).toBeCloseTo(2086.04, 2);
    expect(record.token0.price).toBeCloseTo(2086.04, 2);
    expect(record.tvl_usd).toBeCloseTo(22_800_000, 0);
  });

  it("starts from the same facts under every seed and on every date", () => {
    for (const [seed, start] of [
      [1, START],
      [2, START + 17 * DAY + 12_345],
      [-3, 1_700_000_000_000],
      [2 ** 40, 0],
    ] as const) {
      const record = createMarket({ seed, start }).pool(1, ETH_USDC, start);
      expect(record?.sqrt_price_x96).toBe("3618602270101715334278112");
      expect(record?.timestamp).toBe(String(Math.floor(start / 1000)));
    }
  });
});

describe("the list of pools", () => {
  it("has no id twice and ids in lower case", () => {
    const ids = LISTED_POOLS.map((listed) => listed.id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^0x[0-9a-f]{64}$/);
  });

  it("covers both protocols, several chains, tick spacing 1 and a dynamic fee with its hook", () => {
    expect(new Set(LISTED_POOLS.map((p) => p.protocol))).toEqual(new Set(["dexa", "dexb"]));
    expect(new Set(LISTED_POOLS.map((p) => p.chainId))).toEqual(new Set([1, 56, 130, 137, 8453]));
    expect(LISTED_POOLS.some((p) => p.tickSpacing === 1)).toBe(true);
    const dynamic = LISTED_POOLS.filter((p) => p.fee === DYNAMIC_FEE);
    expect(dynamic.map((p) => p.hook)).toEqual([expect.not.stringMatching(/^0x0+$/)]);
  });

  it("orders the tokens of each pool by address", () => {
    for (const { token0, token1 } of LISTED_POOLS) {
      expect(BigInt(token0.address) < BigInt(token1.address)).toBe(true);
    }
  });

  it("gives every pool a history of 90 days and more", () => {
    for (const { id } of LISTED_POOLS) expect(pool(id, START - 140 * DAY).pool_id).toBe(id);
  });
});

describe("any pool at any time", () => {
  it("has sqrt price, tick and prices that agree", () => {
    fc.assert(
      fc.property(somePool, someTime, ({ id, token0, token1 }, at) => {
        const record = pool(id, at);
        const sqrt = BigInt(record.sqrt_price_x96);
        expect(record.current_tick).toBe(tickAtSqrtPriceX96(sqrt));
        const price = (Number(sqrt) / 2 ** 96) ** 2 * 10 ** (token0.decimals - token1.decimals);
        expect(Math.abs(record.price0 / price - 1)).toBeLessThan(1e-12);
        expect(Math.abs(record.price0 * record.price1 - 1)).toBeLessThan(1e-12);
      }),
    );
  });

  it("is worth what its reserves are worth", () => {
    fc.assert(
      fc.property(somePool, someTime, ({ id, token0, token1 }, at) => {
        const record = pool(id, at);
        const usd0 = (Number(record.amount0) / 10 ** token0.decimals) * record.token0.price;
        const usd1 = (Number(record.amount1) / 10 ** token1.decimals) * record.token1.price;
        expect(record.tvl_usd).toBeGreaterThan(0);
        expect(Math.abs(record.tvl_usd - usd0 - usd1)).toBeLessThan(0.02);
        expect(Number(record.amount0_d)).toBeCloseTo(
          Number(record.amount0) / 10 ** token0.decimals,
          5,
        );
        const ratio = record.token0.price / record.token1.price;
        expect(Math.abs(ratio / record.price0 - 1)).toBeLessThan(1e-12);
        expect(BigInt(record.liquidity) > 0n).toBe(true);
      }),
    );
  });

  it("never counts back, and is never newer than the question", () => {
    const step = fc.integer({ min: 0, max: 3 * 3_600_000 });
    fc.assert(
      fc.property(somePool, someTime, step, ({ id }, at, later) => {
        const before = pool(id, at);
        const after = pool(id, at + later);
        for (const field of [
          "swap_count",
          "volume_token0",
          "volume_token1",
          "collected_fees_token0",
          "collected_fees_token1",
          "block_number",
          "timestamp",
        ] as const) {
          expect(BigInt(after[field]) >= BigInt(before[field])).toBe(true);
        }
        expect(after.volume_usd).toBeGreaterThanOrEqual(before.volume_usd);
        expect(after.collected_fees_usd).toBeGreaterThanOrEqual(before.collected_fees_usd);
        expect(after.created_at_block_number).toBe(before.created_at_block_number);
        expect(Number(after.timestamp) * 1000).toBeLessThanOrEqual(at + later);
        expect(BigInt(before.created_at_timestamp) <= BigInt(before.timestamp)).toBe(true);
      }),
    );
  });

  it("changes only with a swap or a change of its liquidity", () => {
    fc.assert(
      fc.property(somePool, someTime, fc.integer({ min: 1, max: 5_000 }), (listed, at, later) => {
        const { id, chainId } = listed;
        const before = pool(id, at);
        const after = pool(id, at + later);
        const changes = (t: number) =>
          market.liquidityChanges(chainId, id, 1, 0, t)?.modify_liquidity_history[0]?.id;
        const isQuiet = changes(at) === changes(at + later);
        if (after.swap_count !== before.swap_count) {
          expect(BigInt(after.swap_count) > BigInt(before.swap_count)).toBe(true);
        } else if (isQuiet) expect(after).toEqual(before);
        else expect(after.sqrt_price_x96).toBe(before.sqrt_price_x96);
      }),
    );
  });

  it("is the same whenever it is asked, with any questions in between", () => {
    const again = createMarket({ seed: 7, start: START });
    fc.assert(
      fc.property(somePool, someTime, someTime, ({ id, chainId }, at, other) => {
        const first = pool(id, at);
        pool(id, other);
        expect(pool(id, at)).toEqual(first);
        expect(again.pool(chainId, id, at)).toEqual(first);
      }),
    );
  });

  it("differs under another seed", () => {
    const other = createMarket({ seed: 8, start: START });
    for (const { id, chainId } of LISTED_POOLS) {
      const at = START + DAY;
      expect(other.pool(chainId, id, at)?.sqrt_price_x96).not.toBe(pool(id, at).sqrt_price_x96);
    }
  });
});

describe("pools beside one another", () => {
  it("is not there before it was initialized, and begins with no swap", () => {
    for (const { id, chainId } of LISTED_POOLS) {
      expect(market.pool(chainId, id, START - 400 * DAY)).toBeUndefined();
      const created = Number(pool(id, START).created_at_timestamp) * 1000;
      const first = market.pool(chainId, id, created + 999);
      expect(first).toMatchObject({ swap_count: "0", volume_token0: "0", volume_usd: 0 });
      expect(market.pool(chainId, id, created - 1_000)).toBeUndefined();
    }
  });

  it("is found by an id in any letter case, and only on its own chain", () => {
    const shouted = `0x${ETH_USDC.slice(2).toUpperCase()}`;
    expect(market.pool(1, shouted, START)?.pool_id).toBe(ETH_USDC);
    expect(market.pool(137, ETH_USDC, START)).toBeUndefined();
  });

  it("prices ether alike in all pools that hold it", () => {
    for (let day = -100; day <= 100; day += 5) {
      const at = START + day * DAY;
      const ether = pool(ETH_USDC, at).price0;
      for (const { id, follows } of LISTED_POOLS) {
        if (follows !== ETH_USDC) continue;
        expect(Math.abs(pool(id, at).price0 / ether - 1)).toBeLessThan(0.01);
      }
      expect(Math.abs(pool(WBTC_WETH, at).token1.price / ether - 1)).toBeLessThan(0.01);
    }
  });
});
