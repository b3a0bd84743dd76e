import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ENDPOINTS } from "../../src/api/endpoints.ts";
import type { Period } from "../../src/serve/world.ts";
import {
  ETH_USDC,
  LISTED_POOLS,
  LISTED_V3_POOLS,
  V3_WETH_USDT,
  WBTC_WETH,
} from "../../src/simulator/listed-pools.ts";
import { createMarket, type Market } from "../../src/simulator/market.ts";
import { propertyRuns } from "../support/tier.ts";
import { expectFields, type PoolPoint } from "./records.ts";

const START = Date.UTC(2026, 2, 14, 9, 48);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const plain = createMarket({ seed: 7, start: START });
const bent = createMarket({
  seed: 7,
  start: START,
  script: [
    { kind: "price", pool: ETH_USDC, factor: 0.9, at: 5 * MINUTE, over: 5 * MINUTE, back: HOUR },
    { kind: "liquidity", pool: ETH_USDC, factor: 0.5, at: 9 * MINUTE, over: 5 * MINUTE },
  ],
});

const POOLS = [...LISTED_POOLS, ...LISTED_V3_POOLS].map(({ chainId, id }) => ({ chainId, id }));
const somePool = fc.constantFrom(...POOLS);
const someMarket = fc.constantFrom(plain, bent);
const someTime = fc.integer({ min: START - 130 * DAY, max: START + 40 * DAY });
const somePeriod = fc.constantFrom<Period>("d", "h");

function pointsOf(
  market: Market,
  { chainId, id }: { readonly chainId: number; readonly id: string },
  period: Period,
  at: number,
  [limit, offset] = [30, 0],
): readonly PoolPoint[] {
  const history = market.poolHistory(chainId, id, period, limit, offset, at);
  if (history === undefined) throw new Error(`no pool ${id}`);
  return history.data;
}

const eth = { chainId: 1, id: ETH_USDC };

function priceAt(market: Market): (at: number) => number {
  return (at) => market.pool(1, ETH_USDC, at)!.price0;
}

function total(points: readonly PoolPoint[], of: (point: PoolPoint) => string | number): bigint {
  return points.reduce((sum, point) => sum + BigInt(of(point)), 0n);
}

describe("a pool's history", () => {
  it("has the contract's fields, newest bucket first, each with its own id", () => {
    fc.assert(
      fc.property(someMarket, somePool, somePeriod, someTime, (market, pool, period, at) => {
        const points = pointsOf(market, pool, period, at, [8, 0]);
        const length = period === "d" ? DAY : HOUR;
        const newest = Math.floor(at / length) * length;
        for (const [i, point] of points.entries()) {
          expectFields(point, ENDPOINTS.v4_pool_history.fields.data?.fields ?? {});
          expect(Date.parse(point.date)).toBe(newest - i * length);
          expect(point.id).toBe(`${pool.id}-${point.date}`);
          expect(point.low).toBeLessThanOrEqual(Math.min(point.open, point.close));
          expect(point.high).toBeGreaterThanOrEqual(Math.max(point.open, point.close));
          const older = points[i + 1];
          if (older !== undefined) {
            expect(point.open).toBe(older.close);
            const change = (point.volumeUSD / older.volumeUSD - 1) * 100;
            expect(point.volumePercentageChange).toBeCloseTo(change, 1);
          }
        }
      }),
      { numRuns: propertyRuns(40) },
    );
  });

  it("ends with the pool as it is now", () => {
    fc.assert(
      fc.property(someMarket, somePool, somePeriod, someTime, (market, pool, period, at) => {
        const [running] = pointsOf(market, pool, period, at, [1, 0]);
        const { chainId, id } = pool;
        const now = market.legacyPool(chainId, id, at) ?? market.v3Pool(chainId, id, at)!;
        expect(running).toMatchObject({
          liquidity: now.liquidity,
          sqrtPrice: now.sqrt_price_x96,
          tick: now.tick,
          chainId,
          pool: id,
        });
        expect(running?.close).toBeCloseTo(Number(now.token0_price), 9);
      }),
      { numRuns: propertyRuns(40) },
    );
  });

  it("has hours that add up to their day, and to what the pool's figures change by", () => {
    fc.assert(
      fc.property(someMarket, fc.constantFrom(...LISTED_POOLS), someTime, (market, pool, at) => {
        const [day] = pointsOf(market, pool, "d", at, [1, 0]);
        const count = Math.floor((at - Math.floor(at / DAY) * DAY) / HOUR) + 1;
        const hours = pointsOf(market, pool, "h", at, [count, 0]);
        const before = market.pool(pool.chainId, pool.id, Math.floor(at / DAY) * DAY - 1)!;
        const now = market.pool(pool.chainId, pool.id, at)!;
        for (const [field, lifetime] of [
          ["volumeToken0", "volume_token0"],
          ["volumeToken1", "volume_token1"],
          ["collectedFeesToken0", "collected_fees_token0"],
          ["collectedFeesToken1", "collected_fees_token1"],
          ["swapCount", "swap_count"],
        ] as const) {
          const sum = total(hours, (point) => point[field]);
          expect(sum.toString()).toBe(day?.[field]);
          expect(sum).toBe(BigInt(now[lifetime]) - BigInt(before[lifetime]));
        }
        for (const field of ["volumeUSD", "collectedFeesUSD"] as const) {
          const sum = hours.reduce((all, point) => all + Math.round(point[field] * 100), 0);
          expect(sum).toBe(Math.round((day?.[field] ?? 0) * 100));
        }
        expect(day?.high).toBe(Math.max(...hours.map((point) => point.high)));
        expect(day?.low).toBe(Math.min(...hours.map((point) => point.low)));
        expect(day?.open).toBe(hours.at(-1)?.open);
      }),
      { numRuns: propertyRuns(30) },
    );
  });

  it("has the extremes of its prices at every fifth minute, and at its ends", () => {
    for (const [market, at] of [
      [plain, START],
      [bent, START + 40 * MINUTE],
      [bent, START + 11 * MINUTE],
    ] as const) {
      const [hour] = pointsOf(market, eth, "h", at, [1, 0]);
      const begin = Math.floor(at / HOUR) * HOUR;
      const times = Array.from({ length: 12 }, (_, i) => begin + i * 5 * MINUTE);
      const prices = times.filter((time) => time <= at).map(priceAt(market));
      prices.push(hour!.open, hour!.close);
      expect([hour!.low, hour!.high]).toEqual([Math.min(...prices), Math.max(...prices)]);
    }
  });

  it("keeps finished buckets for good, and pages that are the list", () => {
    const later = fc.integer({ min: 0, max: 3 * HOUR });
    fc.assert(
      fc.property(someMarket, somePool, someTime, later, (market, pool, at, more) => {
        const whole = pointsOf(market, pool, "h", at, [12, 0]);
        const pages = [0, 4, 8].flatMap((offset) => pointsOf(market, pool, "h", at, [4, offset]));
        expect(pages).toEqual(whole);
        const passed = Math.floor((at + more) / HOUR) - Math.floor(at / HOUR);
        const next = pointsOf(market, pool, "h", at + more, [11, passed + 1]);
        expect(next).toEqual(whole.slice(1));
      }),
      { numRuns: propertyRuns(40) },
    );
  });

  it("reaches back over a year, to the pool's first day", () => {
    const days = pointsOf(plain, eth, "d", START, [1_000, 0]);
    expect(days.length).toBeGreaterThan(365);
    expect(days.at(-1)?.date.slice(0, 10)).toBe(
      plain.legacyPool(1, ETH_USDC, START)?.created_at_timestamp.slice(0, 10),
    );
    expect(total(days, (point) => point.swapCount).toString()).toBe(
      plain.pool(1, ETH_USDC, START)?.swap_count,
    );
    expect(pointsOf(plain, eth, "d", START, [5, days.length])).toEqual([]);
    expect(pointsOf(plain, eth, "d", START, [0, 0])).toEqual([]);
  });
});

describe("the earlier family's pools", () => {
  it("have the contract's fields, at any time", () => {
    fc.assert(
      fc.property(someMarket, somePool, someTime, (market, { chainId, id }, at) => {
        const v4 = market.legacyPool(chainId, id, at);
        const v3 = market.v3Pool(chainId, id, at);
        expect([v4, v3].filter((record) => record !== undefined)).toHaveLength(1);
        if (v4 !== undefined) expectFields(v4, ENDPOINTS.legacy_v4_pool.fields);
        else expectFields(v3, ENDPOINTS.v3_pool.fields);
        const record = (v4 ?? v3)!;
        expect(record.created_at_timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/);
        expect(JSON.stringify(record)).toMatch(/"initial_sqrt_price_x96":\d\.\d+e\+\d+/);
        expect(Number(record.token0_price) * Number(record.token1_price)).toBeCloseTo(1, 9);
      }),
      { numRuns: propertyRuns(40) },
    );
  });

  it("tell the same as the current family, and the volume of 24 hours", () => {
    fc.assert(
      fc.property(someMarket, fc.constantFrom(...LISTED_POOLS), someTime, (market, pool, at) => {
        const { chainId, id } = pool;
        const now = market.pool(chainId, id, at)!;
        const before = market.pool(chainId, id, at - DAY)!;
        const earlier = market.legacyPool(chainId, id, at)!;
        expect(earlier).toMatchObject({
          pool_id: id,
          chain_id: chainId,
          liquidity: now.liquidity,
          sqrt_price_x96: now.sqrt_price_x96,
          tick: now.current_tick,
          swap_count: Number(now.swap_count),
          fee_tier: now.fee,
          hook_address: now.hook.address,
          total_value_locked_usd: now.tvl_usd.toFixed(2),
          volume_24h: (now.volume_usd - before.volume_usd).toFixed(2),
          fees_24h: (now.collected_fees_usd - before.collected_fees_usd).toFixed(2),
          created_at_block_number: Number(now.created_at_block_number),
        });
      }),
      { numRuns: propertyRuns(40) },
    );
  });

  it("go by their address in V3, and on their own chain", () => {
    const shouted = `0x${V3_WETH_USDT.slice(2).toUpperCase()}`;
    expect(plain.v3Pool(1, shouted, START)?.pool_address).toBe(V3_WETH_USDT);
    expect(plain.v3Pool(8453, V3_WETH_USDT, START)).toBeUndefined();
    expect(plain.v3Pool(1, ETH_USDC, START)).toBeUndefined();
    expect(plain.pool(1, V3_WETH_USDT, START)).toBeUndefined();
    expect(plain.legacyPool(1, V3_WETH_USDT, START)).toBeUndefined();
    expect(plain.legacyPool(1, WBTC_WETH, START - 300 * DAY)).toBeUndefined();
    expectFields(
      plain.poolHistory(1, V3_WETH_USDT, "h", 2, 0, START),
      ENDPOINTS.v3_pool_history.fields,
    );
  });
});
