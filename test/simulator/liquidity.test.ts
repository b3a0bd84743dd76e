import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ENDPOINTS } from "../../src/api/endpoints.ts";
import { amountsForLiquidity } from "../../src/base/ticks.ts";
import { ETH_USDC, LISTED_POOLS, V3_WETH_USDT } from "../../src/simulator/listed-pools.ts";
import { createMarket, type Market } from "../../src/simulator/market.ts";
import { IDLE_NFT, LISTED_POSITIONS } from "../../src/simulator/positions.ts";
import type { ScriptEvent } from "../../src/simulator/script.ts";
import { propertyRuns } from "../support/tier.ts";
import { expectFields, type LiquidityEntry } from "./records.ts";

const START = Date.UTC(2026, 2, 14, 9, 48);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const SCRIPT: readonly ScriptEvent[] = [
  { kind: "liquidity", pool: ETH_USDC, factor: 0.5, at: 8 * MINUTE, over: 6 * MINUTE },
  { kind: "price", pool: ETH_USDC, factor: 0.93, at: 9 * MINUTE, over: 4 * MINUTE },
  { kind: "liquidity", pool: ETH_USDC, factor: 3, at: 50 * MINUTE, over: 0 },
  {
    kind: "close",
    position: { chain: 1, protocol: "dexa", nft: IDLE_NFT },
    at: 20 * MINUTE,
  },
];

const plain = createMarket({ seed: 7, start: START });
const bent = createMarket({ seed: 7, start: START, script: SCRIPT });

const somePool = fc.constantFrom(...LISTED_POOLS.map(({ chainId, id }) => ({ chainId, id })));
const someTime = fc.integer({ min: START - 130 * DAY, max: START + 40 * DAY });
const someMarket = fc.constantFrom(plain, bent);

function changesOf(market: Market, id: string, at: number, limit = 1_000, offset = 0) {
  const chainId = LISTED_POOLS.find((pool) => pool.id === id)?.chainId ?? 0;
  const list = market.liquidityChanges(chainId, id, limit, offset, at);
  if (list === undefined) throw new Error(`no pool ${id}`);
  return list.modify_liquidity_history;
}

function all(market: Market, id: string, at: number): readonly LiquidityEntry[] {
  const found: LiquidityEntry[] = [];
  for (;;) {
    const page = changesOf(market, id, at, 1_000, found.length);
    found.push(...page);
    if (page.length < 1_000) return found;
  }
}

function numberOf({ id }: LiquidityEntry): number {
  return Number(id.slice(id.lastIndexOf("-") + 1));
}

describe("the changes of a pool's liquidity", () => {
  it("have the contract's fields, and ids that count", () => {
    fc.assert(
      fc.property(someMarket, somePool, someTime, (market, { id }, at) => {
        const changes = changesOf(market, id, at, 30);
        const newest = numberOf(changes[0]!);
        for (const [i, change] of changes.entries()) {
          const spec = ENDPOINTS.v4_modify_liquidity.fields.modify_liquidity_history;
          expectFields(change, spec?.fields ?? {});
          expect(change.id).toBe(`${id}-${newest - i}`);
          expect(change.liquidity_delta).toMatch(/^[+-][1-9]\d*$/);
          expect(change.salt).toMatch(/^0x[0-9a-f]{64}$/);
          expect(change.tick_lower).toBeLessThan(change.tick_upper);
          expect(Number(change.tx_at_timestamp) * 1_000).toBeLessThanOrEqual(at);
        }
        const blocks = changes.map((change) => Number(change.tx_at_block_number));
        expect(blocks).toEqual(blocks.toSorted((a, b) => b - a));
      }),
      { numRuns: propertyRuns(40) },
    );
  });

  it("add up to the active liquidity, and their ranges to the reserves", () => {
    fc.assert(
      fc.property(someMarket, somePool, someTime, (market, { chainId, id }, at) => {
        const pool = market.pool(chainId, id, at)!;
        const ranges = new Map<string, bigint>();
        for (const { tick_lower, tick_upper, liquidity_delta } of all(market, id, at)) {
          const key = `${tick_lower} ${tick_upper}`;
          ranges.set(key, (ranges.get(key) ?? 0n) + BigInt(liquidity_delta));
        }
        let [active, held0, held1] = [0n, 0n, 0n];
        for (const [key, liquidity] of ranges) {
          const [lower = 0, upper = 0] = key.split(" ").map(Number);
          expect(liquidity >= 0n).toBe(true);
          const held = amountsForLiquidity(BigInt(pool.sqrt_price_x96), lower, upper, liquidity);
          held0 += held.amount0;
          held1 += held.amount1;
          if (lower <= pool.current_tick && pool.current_tick < upper) active += liquidity;
        }
        expect(pool.liquidity).toBe(active.toString());
        // Ranges that several hold are cut to whole units once here, and once for each there.
        const within = (raw: string, exact: bigint): boolean =>
          Math.abs(Number(BigInt(raw) - exact)) <= ranges.size;
        expect(within(pool.amount0, held0)).toBe(true);
        expect(within(pool.amount1, held1)).toBe(true);
      }),
      { numRuns: propertyRuns(25) },
    );
  });

  it("begin with the pool, and belong to the listed positions too", () => {
    for (const { pool, nft, liquidity, lowerTick, upperTick } of LISTED_POSITIONS) {
      const salt = `0x${BigInt(nft).toString(16).padStart(64, "0")}`;
      const own = all(plain, pool, START).filter((change) => change.salt === salt);
      const deltas = own.map((change) => change.liquidity_delta);
      expect(deltas).toEqual(liquidity === 0n ? [] : [`+${liquidity}`]);
      if (own[0] !== undefined) {
        expect(own[0]).toMatchObject({ tick_lower: lowerTick, tick_upper: upperTick });
      }
    }
    const { created_at_timestamp } = plain.pool(1, ETH_USDC, START)!;
    const first = all(plain, ETH_USDC, START).slice(-3);
    expect(first.map(numberOf)).toEqual([3, 2, 1]);
    expect(new Set(first.map((change) => change.hash)).size).toBe(1);
    expect(first[0]?.tx_at_timestamp).toBe(created_at_timestamp);
  });

  it("tell when the script closes a position, in the block of its record", () => {
    const at = START + 21 * MINUTE;
    const closed = bent.position(1, "dexa", IDLE_NFT, at)!;
    const burn = changesOf(bent, ETH_USDC, at).find((one) => one.salt.endsWith("b040"));
    const { liquidity } = LISTED_POSITIONS.find(({ nft }) => nft === IDLE_NFT)!;
    expect(burn).toMatchObject({
      liquidity_delta: `-${liquidity}`,
      tx_at_block_number: closed.block_number,
      tx_at_timestamp: closed.timestamp,
    });
  });

  it("pull liquidity in steps of one transaction each", () => {
    const pulled = changesOf(bent, ETH_USDC, START + 14.5 * MINUTE).filter(
      (one) => Number(one.tx_at_timestamp) * 1_000 > START + 8 * MINUTE,
    );
    expect(pulled.length).toBeGreaterThan(40);
    for (const { liquidity_delta } of pulled) expect(liquidity_delta).toMatch(/^-/);
    expect(new Set(pulled.map((one) => one.hash)).size).toBeLessThan(pulled.length / 2);
    const jump = changesOf(bent, ETH_USDC, START + 51 * MINUTE, 3);
    for (const { liquidity_delta } of jump) expect(liquidity_delta).toMatch(/^\+/);
  });

  it("come in stable pages, and later lists only begin with more", () => {
    const gap = fc.integer({ min: 0, max: 2 * DAY });
    fc.assert(
      fc.property(someMarket, somePool, someTime, gap, (market, { id }, at, later) => {
        const whole = changesOf(market, id, at, 60);
        const pages = [0, 20, 40].flatMap((offset) => changesOf(market, id, at, 20, offset));
        expect(pages).toEqual(whole);
        const next = changesOf(market, id, at + later, 600);
        const more = numberOf(next[0]!) - numberOf(whole[0]!);
        expect(next.slice(more, more + 60)).toEqual(whole);
      }),
      { numRuns: propertyRuns(40) },
    );
  });

  it("are told of V4 pools only", () => {
    expect(plain.liquidityChanges(1, V3_WETH_USDT, 5, 0, START)).toBeUndefined();
    expect(plain.liquidityChanges(137, ETH_USDC, 5, 0, START)).toBeUndefined();
    expect(plain.liquidityChanges(1, ETH_USDC, 5, 1_000_000, START)).toMatchObject({
      modify_liquidity_history: [],
    });
  });
});
