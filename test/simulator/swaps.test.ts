import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ENDPOINTS } from "../../src/api/endpoints.ts";
import {
  ETH_USDC,
  LISTED_POOLS,
  LISTED_V3_POOLS,
  USDC_USDT_POLYGON,
  V3_WETH_USDT,
} from "../../src/simulator/listed-pools.ts";
import { createMarket, type Market } from "../../src/simulator/market.ts";
import type { ScriptEvent } from "../../src/simulator/script.ts";
import { cpuMsSince } from "../support/cpu.ts";
import { tickAtSqrtPriceX96 } from "../support/tick-at.ts";
import { propertyRuns } from "../support/tier.ts";
import { expectFields, type SwapEntry } from "./records.ts";

const START = Date.UTC(2026, 2, 14, 9, 48);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A crash, a pull of liquidity and a slip of a peg, one over the other. */
const SCRIPT: readonly ScriptEvent[] = [
  { kind: "price", pool: ETH_USDC, factor: 0.8, at: 3 * MINUTE, over: 9 * MINUTE },
  { kind: "price", pool: ETH_USDC, factor: 1.1, at: 40 * MINUTE, over: 0 },
  { kind: "liquidity", pool: ETH_USDC, factor: 0.5, at: 8 * MINUTE, over: 6 * MINUTE },
  { kind: "liquidity", pool: ETH_USDC, factor: 3, at: 50 * MINUTE, over: 0 },
];

const plain = createMarket({ seed: 7, start: START });
const bent = createMarket({ seed: 7, start: START, script: SCRIPT });

const POOLS = [...LISTED_POOLS, ...LISTED_V3_POOLS].map(({ chainId, id }) => ({ chainId, id }));
const somePool = fc.constantFrom(...POOLS);
const someTime = fc.integer({ min: START - 130 * DAY, max: START + 40 * DAY });
const someMarket = fc.constantFrom(plain, bent);

function swapsOf(market: Market, id: string, at: number, limit = 1_000, offset = 0) {
  const chainId = POOLS.find((pool) => pool.id === id)?.chainId ?? 0;
  const list = market.swaps(chainId, id, limit, offset, at);
  if (list === undefined) throw new Error(`no pool ${id}`);
  return list.swaps;
}

/** The swaps in (from, to], newest first: those in blocks after the newest one up to `from`. */
function between(market: Market, id: string, from: number, to: number): readonly SwapEntry[] {
  const known = swapsOf(market, id, from, 1)[0]?.block_number ?? 0;
  const found: SwapEntry[] = [];
  for (let offset = 0; ; offset += 1_000) {
    const page = swapsOf(market, id, to, 1_000, offset);
    const fresh = page.filter((swap) => swap.block_number > known);
    found.push(...fresh);
    if (fresh.length < page.length || page.length === 0) return found;
  }
}

function sum(values: readonly bigint[]): bigint {
  return values.reduce((total, value) => total + value, 0n);
}

/** What the swaps trade of token1. */
function volumeOf(swaps: readonly SwapEntry[]): bigint {
  return sum(swaps.map((swap) => size(BigInt(swap.amount1))));
}

function size(value: bigint): bigint {
  return value < 0n ? -value : value;
}

describe("any page of swaps", () => {
  it("has the contract's fields, and prices, ticks and signs that agree", () => {
    fc.assert(
      fc.property(someMarket, somePool, someTime, (market, { id }, at) => {
        for (const swap of swapsOf(market, id, at, 12)) {
          expectFields(swap, ENDPOINTS.v4_swaps.fields.swaps?.fields ?? {});
          expect(swap.tick).toBe(tickAtSqrtPriceX96(BigInt(swap.sqrt_price_x96)));
          const [amount0, amount1] = [BigInt(swap.amount0), BigInt(swap.amount1)];
          expect(amount0 * amount1 < 0n).toBe(true);
          expect([swap.amount0, swap.amount1].filter((text) => text.startsWith("+"))).toHaveLength(
            1,
          );
          expect(BigInt(swap.liquidity) > 0n).toBe(true);
          expect(Date.parse(swap.timestamp)).toBeLessThanOrEqual(at);
        }
      }),
      { numRuns: propertyRuns(40) },
    );
  });

  it("goes the way of its price: up with token1 in, at about that price", () => {
    fc.assert(
      fc.property(someMarket, somePool, someTime, (market, { id }, at) => {
        const swaps = swapsOf(market, id, at, 30);
        for (const [i, swap] of swaps.entries()) {
          const before = swaps[i + 1];
          if (before === undefined || before.transaction_hash === swap.transaction_hash) continue;
          const rose = BigInt(swap.sqrt_price_x96) > BigInt(before.sqrt_price_x96);
          expect(BigInt(swap.amount1) > 0n).toBe(rose);
          const roots = [before, swap].map((one) => Number(one.sqrt_price_x96) / 2 ** 96);
          const price = (roots[0] ?? 0) * (roots[1] ?? 0);
          const paid = -Number(swap.amount1) / Number(swap.amount0);
          if (Math.abs(Number(swap.amount1)) > 1e5) expect(paid / price).toBeCloseTo(1, 3);
        }
      }),
      { numRuns: propertyRuns(40) },
    );
  });

  it("is stable: pages one after another are the list, and later lists only begin with more", () => {
    fc.assert(
      fc.property(
        ...([someMarket, somePool, someTime] as const),
        fc.integer({ min: 1, max: 40 }),
        fc.integer({ min: 0, max: 500_000 }),
        fc.integer({ min: 0, max: HOUR }),
        (market, { id }, at, limit, offset, later) => {
          const whole = swapsOf(market, id, at, 3 * limit, offset);
          const pages = [0, 1, 2].flatMap((page) =>
            swapsOf(market, id, at, limit, offset + page * limit),
          );
          expect(pages).toEqual(whole);
          const newer = between(market, id, at, at + later).length;
          expect(swapsOf(market, id, at + later, 20, newer)).toEqual(swapsOf(market, id, at, 20));
        },
      ),
      { numRuns: propertyRuns(40) },
    );
  });

  it("ends with the pool's first swap", () => {
    const { swap_count } = plain.pool(1, ETH_USDC, START)!;
    const last = swapsOf(plain, ETH_USDC, START, 5, Number(swap_count) - 2);
    expect(last).toHaveLength(2);
    expect(swapsOf(plain, ETH_USDC, START, 5, Number(swap_count))).toEqual([]);
    expect(swapsOf(plain, ETH_USDC, START, 0)).toEqual([]);
    expect(plain.swaps(137, ETH_USDC, 5, 0, START)).toBeUndefined();
    expect(plain.swaps(1, ETH_USDC, 5, 0, START - 500 * DAY)).toBeUndefined();
  });

  it("holds transactions of two swaps that look alike", () => {
    const swaps = swapsOf(plain, ETH_USDC, START, 200);
    const hashes = new Set(swaps.map((swap) => swap.transaction_hash));
    const doubles = swaps.filter((swap, i) => swap === swaps[i + 1] || swap === swaps[i - 1]);
    expect(swaps.length - hashes.size).toBeGreaterThan(5);
    for (const swap of doubles) {
      const same = swaps.filter((other) => other.transaction_hash === swap.transaction_hash);
      expect(same).toEqual([swap, swap]);
    }
  });

  it("is named by the pool's id, or its address", () => {
    const shouted = `0x${V3_WETH_USDT.slice(2).toUpperCase()}`;
    expect(plain.swaps(1, shouted, 1, 0, START)).toMatchObject({ pool_address: V3_WETH_USDT });
    expectFields(plain.swaps(1, V3_WETH_USDT, 3, 0, START), ENDPOINTS.v3_swaps.fields);
    expectFields(plain.swaps(1, ETH_USDC, 3, 0, START), ENDPOINTS.v4_swaps.fields);
  });
});

type LifetimeField = "swap_count" | `volume_token${0 | 1}` | `collected_fees_token${0 | 1}`;

describe("the swaps of any time", () => {
  const V4 = LISTED_POOLS.map(({ chainId, id }) => ({ chainId, id }));
  const length = fc.integer({ min: 0, max: 5 * HOUR });

  it("add up to what its lifetime figures change by", () => {
    fc.assert(
      fc.property(
        ...([someMarket, fc.constantFrom(...V4), someTime, length] as const),
        (market, { chainId, id }, from, over) => {
          const before = market.pool(chainId, id, from)!;
          const after = market.pool(chainId, id, from + over)!;
          const swaps = between(market, id, from, from + over);
          const grown = (field: LifetimeField): bigint =>
            BigInt(after[field]) - BigInt(before[field]);
          expect(BigInt(swaps.length)).toBe(grown("swap_count"));
          expect(volumeOf(swaps)).toBe(grown("volume_token1"));
          // Token0 is counted at the price of the market's start, a swap is told at its own.
          const traded0 = sum(swaps.map((swap) => size(BigInt(swap.amount0))));
          if (swaps.length > 0) {
            const share = Number(traded0) / Number(grown("volume_token0"));
            expect(Math.abs(Math.log(share))).toBeLessThan(Math.log(1.6));
          }
          const fee = BigInt(LISTED_POOLS.find((pool) => pool.id === id)?.meanFee ?? 0);
          for (const token of [0, 1] as const) {
            const paid = (grown(`volume_token${token}`) * fee) / 2_000_000n;
            expect(size(paid - grown(`collected_fees_token${token}`)) <= 1n).toBe(true);
          }
        },
      ),
      { numRuns: propertyRuns(60) },
    );
  });

  it("do so through a crash, a jump and a pull of liquidity", () => {
    for (let minute = 0; minute < 60; minute += 1) {
      const [from, to] = [START + minute * MINUTE, START + (minute + 1) * MINUTE];
      const swaps = between(bent, ETH_USDC, from, to);
      const before = bent.pool(1, ETH_USDC, from)!;
      const after = bent.pool(1, ETH_USDC, to)!;
      const grown = BigInt(after.volume_token1) - BigInt(before.volume_token1);
      expect(volumeOf(swaps)).toBe(grown);
      const newest = swaps[0];
      expect(newest?.sqrt_price_x96).toBe(after.sqrt_price_x96);
      expect(newest?.tick).toBe(after.current_tick);
    }
    const fallen = bent.pool(1, ETH_USDC, START + 13 * MINUTE)!.price0;
    expect(fallen / plain.pool(1, ETH_USDC, START + 13 * MINUTE)!.price0).toBeCloseTo(0.8, 9);
  });

  it("are one story whatever a script does later", () => {
    const before = START + 2 * MINUTE;
    expect(swapsOf(bent, ETH_USDC, before, 300)).toEqual(swapsOf(plain, ETH_USDC, before, 300));
    expect(bent.pool(1, ETH_USDC, before)).toEqual(plain.pool(1, ETH_USDC, before));
  });

  it("are the same on another date, and others under another seed", () => {
    const shifted = createMarket({ seed: 7, start: START + 3 * DAY + 12_345 });
    const moved = swapsOf(shifted, USDC_USDT_POLYGON, START + 3 * DAY + 12_345, 50);
    const here = swapsOf(plain, USDC_USDT_POLYGON, START, 50);
    expect(moved.map((swap) => swap.amount0)).toEqual(here.map((swap) => swap.amount0));
    const other = createMarket({ seed: 8, start: START });
    expect(swapsOf(other, USDC_USDT_POLYGON, START, 50)).not.toEqual(here);
  });
});

describe("the speed of pages", () => {
  it("does not depend on how deep they are", () => {
    const begin = process.cpuUsage();
    for (let run = 0; run < 50; run += 1) {
      expect(swapsOf(plain, ETH_USDC, START - run, 100, 1_500_000)).toHaveLength(100);
    }
    expect(cpuMsSince(begin)).toBeLessThan(5_000);
  });
});
