import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { amountsForLiquidity } from "../../src/base/ticks.ts";
import { LISTED_POOLS } from "../../src/simulator/listed-pools.ts";
import { createMarket } from "../../src/simulator/market.ts";
import { IDLE_NFT, LISTED_POSITIONS, LONG_NFT } from "../../src/simulator/positions.ts";
import type { PoolRecord, PositionRecord } from "./records.ts";

const START = Date.UTC(2026, 2, 14, 9, 48);
const DAY = 86_400_000;
const MINUTE = 60_000;
const market = createMarket({ seed: 7, start: START });

/** A position and its pool at one time. */
function both(nft: string, at: number): { position: PositionRecord; pool: PoolRecord } {
  const listed = LISTED_POSITIONS.find((p) => p.nft === nft);
  const { chainId, protocol, id } = LISTED_POOLS.find((p) => p.id === listed?.pool)!;
  const position = market.position(chainId, protocol, nft, at);
  const pool = market.pool(chainId, id, at);
  if (position === undefined || pool === undefined) throw new Error(`no position ${nft}`);
  return { position, pool };
}

function sideOf({ position, pool }: ReturnType<typeof both>): "below" | "in" | "above" {
  if (pool.current_tick < position.lower_tick) return "below";
  return pool.current_tick < position.upper_tick ? "in" : "above";
}

describe("the list of positions", () => {
  it("holds the nearly full range whose amounts are known to the last digit", () => {
    const listed = LISTED_POSITIONS.find((p) => p.liquidity === 49_387_053_232n);
    expect(listed).toMatchObject({ lowerTick: -887_270, upperTick: 887_270 });
    expect(
      amountsForLiquidity(3_207_989_918_599_918_700_969_750n, -887_270, 887_270, 49_387_053_232n),
    ).toEqual({ amount0: 1_219_718_758_116_679n, amount1: 1_999_707n });
  });

  it("has positions of both protocols, in range, on either side, closed, and with 78 digits", () => {
    const all = LISTED_POSITIONS.map((p) => both(p.nft, START));
    expect(new Set(all.map((p) => p.position.protocol))).toEqual(new Set(["dexa", "dexb"]));
    const open = all.filter((p) => p.position.liquidity !== "0");
    expect(new Set(open.map(sideOf))).toEqual(new Set(["below", "in", "above"]));
    expect(all.length - open.length).toBe(1);
    expect(LONG_NFT).toHaveLength(78);
    expect(BigInt(LONG_NFT) < 2n ** 256n).toBe(true);
  });

  it("keeps every range on its pool's spacing, and every manager known", () => {
    for (const { nft } of LISTED_POSITIONS) {
      const { position, pool } = both(nft, START);
      expect(Math.abs(position.lower_tick % pool.tick_spacing)).toBe(0);
      expect(Math.abs(position.upper_tick % pool.tick_spacing)).toBe(0);
      expect(position.lower_tick).toBeLessThan(position.upper_tick);
      expect(position.manager_address).toMatch(/^0x[0-9a-fA-F]{40}$/);
    }
  });
});

describe("any position at any time", () => {
  const someNft = fc.constantFrom(...LISTED_POSITIONS.map((p) => p.nft));
  const someTime = fc.integer({ min: START - 20 * DAY, max: START + 140 * DAY });

  it("holds what its liquidity and range hold at its pool's price", () => {
    fc.assert(
      fc.property(someNft, someTime, (nft, at) => {
        const { position, pool } = both(nft, at);
        const { amount0, amount1 } = amountsForLiquidity(
          BigInt(pool.sqrt_price_x96),
          position.lower_tick,
          position.upper_tick,
          BigInt(position.liquidity),
        );
        expect(position.amount0).toBe(amount0.toString());
        expect(position.amount1).toBe(amount1.toString());
        expect(position.pool_id).toBe(pool.pool_id);
        expect(position.chain_id).toBe(pool.chain_id);
      }),
    );
  });

  it("is worth its amounts, and its ratio is token0's share", () => {
    fc.assert(
      fc.property(someNft, someTime, (nft, at) => {
        const { position, pool } = both(nft, at);
        const usd0 = (Number(position.amount0) / 10 ** pool.token0.decimals) * pool.token0.price;
        const usd1 = (Number(position.amount1) / 10 ** pool.token1.decimals) * pool.token1.price;
        expect(Math.abs(position.core_total_usd - usd0 - usd1)).toBeLessThan(0.02);
        const share = usd0 + usd1 === 0 ? 0 : usd0 / (usd0 + usd1);
        expect(Math.abs(position.ratio - share)).toBeLessThan(1e-6);
      }),
    );
  });

  it("is all token0 below its range and all token1 above it", () => {
    fc.assert(
      fc.property(someNft, someTime, (nft, at) => {
        const seen = both(nft, at);
        const { amount0, amount1, liquidity } = seen.position;
        if (liquidity === "0") return amount0 === "0" && amount1 === "0";
        const side = sideOf(seen);
        if (side === "below")
          return amount0 !== "0" && amount1 === "0" && seen.position.ratio === 1;
        if (side === "above")
          return amount0 === "0" && amount1 !== "0" && seen.position.ratio === 0;
        return amount0 !== "0" || amount1 !== "0";
      }),
    );
    const sides = LISTED_POSITIONS.map((p) => sideOf(both(p.nft, START)));
    expect(new Set(sides)).toEqual(new Set(["below", "in", "above"]));
  });

  it("never goes back in blocks or time", () => {
    const step = fc.integer({ min: 0, max: DAY });
    fc.assert(
      fc.property(someNft, someTime, step, (nft, at, later) => {
        const before = both(nft, at).position;
        const after = both(nft, at + later).position;
        expect(BigInt(after.block_number) >= BigInt(before.block_number)).toBe(true);
        expect(BigInt(after.timestamp) >= BigInt(before.timestamp)).toBe(true);
        expect(Number(after.timestamp) * 1000).toBeLessThanOrEqual(at + later);
      }),
    );
  });
});

describe("the life of a position", () => {
  it("begins when it was minted", () => {
    expect(market.position(1, "dexa", IDLE_NFT, START - 186 * DAY)).toBeDefined();
    expect(market.position(1, "dexa", IDLE_NFT, START - 188 * DAY)).toBeUndefined();
  });

  it("is only known under its own chain and protocol", () => {
    expect(market.position(1, "dexb", IDLE_NFT, START)).toBeUndefined();
    expect(market.position(137, "dexa", IDLE_NFT, START)).toBeUndefined();
    expect(market.position(1, "dexa", "999", START)).toBeUndefined();
  });

  it("ends in the block after its script closes it, and keeps that block", () => {
    const scripted = createMarket({
      seed: 7,
      start: START,
      script: [
        {
          kind: "close",
          position: { chain: 1, protocol: "dexa", nft: IDLE_NFT },
          at: 10 * MINUTE,
        },
      ],
    });
    const at = (t: number) => scripted.position(1, "dexa", IDLE_NFT, START + t);
    expect(at(10 * MINUTE)?.liquidity).not.toBe("0");
    const closed = at(10 * MINUTE + 12_060);
    expect(closed).toMatchObject({
      liquidity: "0",
      amount0: "0",
      amount1: "0",
      amount0_d: "0.000000",
      core_total_usd: 0,
      ratio: 0,
    });
    expect(at(5 * DAY)).toEqual(closed);
  });

  it("is somebody else's from the block after its script gives it away, and changes hands again", () => {
    const position = { chain: 1, protocol: "dexa", nft: IDLE_NFT };
    const [buyer, vault] = [`0x${"aa".repeat(20)}`, `0x${"bb".repeat(20)}`];
    const scripted = createMarket({
      seed: 7,
      start: START,
      script: [
        { kind: "owner", position, owner: vault, at: 20 * MINUTE },
        { kind: "owner", position, owner: buyer, at: 10 * MINUTE },
      ],
    });
    const ownerAt = (t: number) => scripted.position(1, "dexa", IDLE_NFT, START + t)?.owner_address;
    const first = market.position(1, "dexa", IDLE_NFT, START)?.owner_address;
    expect(ownerAt(10 * MINUTE)).toBe(first);
    expect(ownerAt(10 * MINUTE + 12_060)).toBe(buyer);
    expect(ownerAt(20 * MINUTE + 12_060)).toBe(vault);
    const record = scripted.position(1, "dexa", IDLE_NFT, START + 10 * MINUTE + 12_060);
    expect(Number(record?.timestamp)).toBeGreaterThan((START + 10 * MINUTE) / 1_000);
  });
});
