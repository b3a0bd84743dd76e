import { describe, expect, it } from "vitest";
import {
  DEMO_IDLE,
  DEMO_SCRIPT,
  DEMO_SEED,
  DEMO_TREASURY,
  demoStart,
} from "../../src/service/demo.ts";
import { ETH_USDC } from "../../src/service/listed-pools.ts";
import { createMarket, type Market } from "../../src/service/market.ts";
import type { PositionRef } from "../../src/service/script.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** The story must hold whenever the demo is run: 24 hours of a weekday and of a Sunday. */
const STARTS = [Date.UTC(2026, 3, 7), Date.UTC(2027, 0, 3)].flatMap((day) =>
  Array.from({ length: 24 }, (_, hour) => demoStart(day + hour * HOUR)),
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
    const start = STARTS[13]!;
    const market = demo(start);
    const liquidity = (minute: number) =>
      market.position(1, "dexa", DEMO_IDLE.nft, start + minute * MINUTE)?.liquidity;
    for (const minute of minutes.slice(0, 76)) {
      expect(inRange(market, DEMO_IDLE, start + minute * MINUTE)).toBe(false);
      expect(liquidity(minute)).not.toBe("0");
    }
    expect(liquidity(76)).toBe("0");
  });
});
