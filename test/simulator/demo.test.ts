import { describe, expect, it } from "vitest";
import { DEMO_IDLE, DEMO_SCRIPT, DEMO_TREASURY, demoStart } from "../../src/simulator/demo.ts";
import { ETH_USDC } from "../../src/simulator/listed-pools.ts";
import { LISTED_TOKENS, STABLECOIN, TREASURY_WALLET } from "../../src/simulator/listed-tokens.ts";
import { createMarket, type Market } from "../../src/simulator/market.ts";
import type { PositionRef } from "../../src/simulator/script.ts";
import { DEMO_SEED } from "../../src/simulator/units.ts";
import { WHOLE } from "../support/tier.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** The story must hold whenever the demo is run: 24 hours of a weekday and of a Sunday, or some of them. */
const EVERY_HOURS = WHOLE ? 1 : 5;
const STARTS = [Date.UTC(2026, 3, 7), Date.UTC(2027, 0, 3)].flatMap((day) =>
  Array.from({ length: Math.ceil(24 / EVERY_HOURS) }, (_, i) =>
    demoStart(day + i * EVERY_HOURS * HOUR),
  ),
);

function demo(start: number): Market {
  return createMarket({ seed: DEMO_SEED, start, script: DEMO_SCRIPT });
}

function inRange(market: Market, { chain, protocol, nft }: PositionRef, at: number): boolean {
  const position = market.position(chain, protocol, nft, at)!;
  const pool = market.pool(chain, position.pool_id, at)!;
  return position.lower_tick <= pool.current_tick && pool.current_tick < position.upper_tick;
}

/** The newest hour that is at least five minutes old: its top-10% tip in gwei. */
function tip(market: Market, at: number): number {
  const hour = market.gasHours(1, at - 2 * HOUR, at - 5 * MINUTE, at).at(-1);
  return Number(hour?.avg_priority_fee_top10_threshold) / 1e9;
}

function tvl(market: Market, at: number): number {
  return market.pool(1, ETH_USDC, at)!.tvl_usd;
}

const minutes = Array.from({ length: 91 }, (_, minute) => minute);

describe("the demo's start", () => {
  it("is the latest minute 48 of an hour", () => {
    expect(demoStart(Date.UTC(2026, 3, 7, 12, 47, 59))).toBe(Date.UTC(2026, 3, 7, 11, 48));
    expect(demoStart(Date.UTC(2026, 3, 7, 12, 48))).toBe(Date.UTC(2026, 3, 7, 12, 48));
    expect(demoStart(Date.UTC(2026, 3, 7, 12, 59))).toBe(Date.UTC(2026, 3, 7, 12, 48));
  });
});

describe("the demo's story, at every hour of a day", () => {
  it("lifts the tip above 5 gwei once, and brings it below 4 again", () => {
    for (const start of STARTS) {
      const market = demo(start);
      const tips = minutes.map((minute) => tip(market, start + minute * MINUTE));
      const above = minutes.filter((minute) => (tips[minute] ?? 0) > 5);
      expect(above[0]).toBe(17);
      expect(above.at(-1)).toBeGreaterThanOrEqual(22);
      expect(above.at(-1)! - above[0]!).toBe(above.length - 1);
      const calm = minutes.find((minute) => minute > 17 && (tips[minute] ?? 9) < 4)!;
      expect(calm).toBeGreaterThanOrEqual(25);
      expect(calm).toBeLessThanOrEqual(55);
      expect(Math.max(...tips.slice(0, 17), ...tips.slice(calm))).toBeLessThan(4);
    }
  });

  it("takes the treasury's position out of its range and back, without a dance", () => {
    const start = STARTS[0]!;
    const market = demo(start);
    const crossings: number[] = [];
    for (let t = 5_000; t <= 92 * MINUTE; t += 5_000) {
      const before = inRange(market, DEMO_TREASURY, start + t - 5_000);
      if (before !== inRange(market, DEMO_TREASURY, start + t)) crossings.push(t / MINUTE);
    }
    expect(inRange(market, DEMO_TREASURY, start)).toBe(true);
    expect(crossings).toHaveLength(2);
    const [left = 0, returned = 0] = crossings;
    expect(Math.abs(left - 5.5)).toBeLessThan(0.75);
    expect(Math.abs(returned - 27.5)).toBeLessThan(0.75);
    // All of it is ether in between: the price fell below the range.
    expect(market.position(1, "dexa", DEMO_TREASURY.nft, start + 15 * MINUTE)?.ratio).toBe(1);
  });

  it("lets the pool's TVL fall by a third and brings most of it back", () => {
    for (const start of STARTS) {
      const market = demo(start);
      const values = minutes.map((minute) => tvl(market, start + minute * MINUTE));
      const fallenBy = (minute: number): number => {
        const highest = Math.max(...values.slice(Math.max(0, minute - 60), minute + 1));
        return 1 - (values[minute] ?? 0) / highest;
      };
      const fallen = minutes.filter((minute) => fallenBy(minute) >= 0.2);
      expect(fallen[0]).toBeGreaterThanOrEqual(41);
      expect(fallen[0]).toBeLessThanOrEqual(42);
      expect(fallen.at(-1)).toBeGreaterThanOrEqual(60);
      expect(fallen.at(-1)).toBeLessThanOrEqual(62);
      expect(fallenBy(50)).toBeGreaterThan(0.3);
      for (const minute of minutes.slice(65)) expect(fallenBy(minute)).toBeLessThan(0.1);
      for (const minute of minutes.slice(0, 38)) expect(fallenBy(minute)).toBeLessThan(0.06);
    }
  });

  it("closes the idle position, which was out of range all the time", () => {
    const start = STARTS.at(-1)!;
    const market = demo(start);
    const liquidity = (minute: number) =>
      market.position(1, "dexa", DEMO_IDLE.nft, start + minute * MINUTE)?.liquidity;
    for (const minute of minutes.slice(0, 76)) {
      expect(inRange(market, DEMO_IDLE, start + minute * MINUTE)).toBe(false);
      expect(liquidity(minute)).not.toBe("0");
    }
    expect(liquidity(76)).toBe("0");
  });

  const values = (start: number, of: (at: number) => string | number) =>
    minutes.map((minute) => Number(of(start + minute * MINUTE + 15_000)));

  it("mints over 5 million stablecoins in minute 9, over all chains, and keeps them", () => {
    for (const start of STARTS) {
      const market = demo(start);
      const total = (at: number): bigint =>
        LISTED_TOKENS.map(({ chainId }) => market.supply(chainId, STABLECOIN, at)!.total_supply)
          .map(BigInt)
          .reduce((sum, one) => sum + one, 0n);
      const minted = values(start, (at) => Number(total(at) - total(start)) / 1e6);
      for (const minute of minutes) {
        if (minute < 9) expect(Math.abs(minted[minute]!)).toBeLessThan(1_000_000);
        else expect(minted[minute]).toBeGreaterThan(5_000_000);
      }
      expect(minted[20]).toBeGreaterThan(5_500_000);
      expect(minted[90]).toBeLessThan(7_500_000);
    }
  });

  it("lets the treasury's balance drop under 4 million in minute 33 and refills it at 69", () => {
    for (const start of STARTS) {
      const market = demo(start);
      const held = values(
        start,
        (at) => market.balance(1, STABLECOIN, TREASURY_WALLET, at)!.balance,
      );
      for (const minute of minutes) {
        const low = minute >= 33 && minute < 69;
        if (low) expect(held[minute]).toBeLessThan(4_000_000e6);
        else expect(held[minute]).toBeGreaterThan(6_000_000e6);
        const highest = Math.max(...held.slice(Math.max(0, minute - 30), minute + 1));
        if (minute < 33) expect(1 - held[minute]! / highest).toBeLessThan(0.03);
      }
    }
  });

  it("costs Avalanche 3% of the stablecoin's holders, and no other chain 1%", () => {
    for (const start of STARTS) {
      const market = demo(start);
      for (const { chainId } of LISTED_TOKENS) {
        const counts = values(
          start,
          (at) => market.holderCount(chainId, STABLECOIN, at)!.holder_count,
        );
        const fallen = minutes.filter((minute) => {
          const highest = Math.max(...counts.slice(Math.max(0, minute - 60), minute + 1));
          return 1 - counts[minute]! / highest >= 0.01;
        });
        if (chainId === 43114) {
          expect(fallen[0]).toBe(49);
          expect(counts[55]! / counts[47]!).toBeCloseTo(0.97, 3);
        } else expect(fallen).toEqual([]);
      }
    }
  });
});
