import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CHAINS } from "../../src/base/chains.ts";
import { createMarket } from "../../src/simulator/market.ts";
import { NETWORKS } from "../../src/simulator/networks.ts";
import { WHOLE } from "../support/tier.ts";

const START = Date.UTC(2026, 2, 14, 9, 48);
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const market = createMarket({ seed: 7, start: START });

const someChain = fc.constantFrom(...NETWORKS.map((n) => n.chainId));
const someHour = fc
  .integer({ min: -90 * 24, max: 90 * 24 })
  .map((hours) => Math.floor(START / HOUR + hours) * HOUR);

function hourOf(chainId: number, hour: number, at: number) {
  return market.gasHours(chainId, hour, hour, at)[0];
}

function gwei(wei: string | undefined): number {
  return Number(wei) / 1e9;
}

describe("gas hours", () => {
  it("are there for every chain that the project knows", () => {
    expect(NETWORKS.map((n) => n.chainId)).toEqual(CHAINS.map((c) => c.id));
    for (const { chainId } of NETWORKS) expect(market.hasChain(chainId)).toBe(true);
    expect(market.gasHours(5, START - DAY, START, START)).toEqual([]);
  });

  it("reach back 90 days without a gap, oldest first, to the running hour", () => {
    for (const { chainId } of WHOLE ? NETWORKS : NETWORKS.slice(0, 2)) {
      const hours = market.gasHours(chainId, START - 90 * DAY, START + DAY, START);
      const dates = hours.map((h) => Date.parse(h.hour));
      expect(dates).toHaveLength(90 * 24);
      expect(dates.every((d, i) => i === 0 || d === (dates[i - 1] ?? 0) + HOUR)).toBe(true);
      expect(dates.at(-1)).toBe(Math.floor(START / HOUR) * HOUR);
      expect(hours[0]?.hour).toMatch(/^\d{4}-\d\d-\d\dT\d\d:00:00Z$/);
    }
  });

  it("keep Polygon's tips at 25 gwei and more", () => {
    const hours = market.gasHours(137, START - 90 * DAY, START, START);
    const wrong = hours.filter(
      (hour) =>
        gwei(hour.avg_block_priority_fee_min) < 25 ||
        gwei(hour.avg_priority_fee_top10_threshold) <= 25 ||
        hour.zero_tip_ratio !== 0,
    );
    expect([hours.length, wrong]).toEqual([90 * 24, []]);
  });

  it("have a daily rhythm: afternoons cost more than nights", () => {
    const hours = market.gasHours(1, START - 60 * DAY, START, START);
    const mean = (utc: number): number => {
      const values = hours
        .filter((h) => new Date(h.hour).getUTCHours() === utc)
        .map((h) => gwei(h.avg_priority_fee_top10_threshold));
      return values.reduce((sum, v) => sum + v, 0) / values.length;
    };
    expect(mean(15)).toBeGreaterThan(1.3 * mean(3));
  });

  it("spike now and then, but not around the start", () => {
    const hours = market.gasHours(1, START - 90 * DAY, START + 3 * HOUR, START + 3 * HOUR);
    const tips = hours.map((h) => gwei(h.avg_priority_fee_top10_threshold));
    const usual = tips.toSorted((a, b) => a - b)[Math.floor(tips.length / 2)] ?? 0;
    expect(tips.filter((tip) => tip > 2 * usual).length).toBeGreaterThan(2);
    expect(tips.filter((tip) => tip > 2 * usual).length).toBeLessThan(tips.length / 20);
    expect(Math.max(...tips.slice(-6))).toBeLessThan(2 * usual);
  });

  it("order the tips of a block as they must be", () => {
    fc.assert(
      fc.property(someChain, someHour, (chainId, hour) => {
        const record = hourOf(chainId, hour, hour + HOUR);
        const low = BigInt(record?.avg_block_priority_fee_min ?? -1);
        const top10 = BigInt(record?.avg_priority_fee_top10_threshold ?? -1);
        const top10Mean = BigInt(record?.avg_priority_fee_top10_avg ?? -1);
        const top5 = BigInt(record?.avg_priority_fee_top5_threshold ?? -1);
        const top5Mean = BigInt(record?.avg_priority_fee_top5_avg ?? -1);
        const high = BigInt(record?.avg_block_priority_fee_max ?? -1);
        expect(low >= 0n && low <= top10 && top10 <= top5 && top5 <= top5Mean).toBe(true);
        expect(top10 <= top10Mean && top10Mean <= top5Mean && top5Mean <= high).toBe(true);
        expect(BigInt(record?.avg_gas_used ?? 0) <= BigInt(record?.avg_gas_limit ?? 0)).toBe(true);
        const share = Number(record?.avg_gas_used) / Number(record?.avg_gas_limit);
        expect(Math.abs((record?.utilization ?? 0) / share - 1)).toBeLessThan(1e-5);
        expect(record?.zero_tip_ratio).toBeGreaterThanOrEqual(0);
        expect(record?.zero_tip_ratio).toBeLessThanOrEqual(1);
      }),
    );
  });

  it("count the blocks that the chain makes in an hour", () => {
    fc.assert(
      fc.property(fc.constantFrom(...NETWORKS), someHour, ({ chainId, blockMs }, hour) => {
        const count = hourOf(chainId, hour, hour + HOUR)?.block_count ?? 0;
        expect(Math.abs(count - HOUR / blockMs)).toBeLessThanOrEqual(1);
      }),
    );
  });
});

describe("the running hour", () => {
  const part = fc.integer({ min: 0, max: HOUR });

  it("only grows, and covers the blocks so far", () => {
    fc.assert(
      fc.property(someChain, someHour, part, part, (chainId, hour, a, b) => {
        const early = hourOf(chainId, hour, hour + Math.min(a, b));
        const late = hourOf(chainId, hour, hour + Math.max(a, b));
        expect(late?.block_count ?? 0).toBeGreaterThanOrEqual(early?.block_count ?? 0);
        expect(Number(late?.tx_count ?? 0)).toBeGreaterThanOrEqual(Number(early?.tx_count ?? 0));
        if (early !== undefined) expect(early.block_count).toBeGreaterThan(0);
      }),
    );
  });

  it("is an average that moves while it runs", () => {
    const hour = Math.floor(START / HOUR) * HOUR;
    const averages = [10, 20, 30, 40, 50, 59].map(
      (minute) => hourOf(1, hour, hour + minute * 60_000)?.avg_priority_fee_top10_threshold,
    );
    expect(new Set(averages).size).toBe(averages.length);
  });

  it("is nothing before its first block", () => {
    const hour = Math.floor(START / HOUR) * HOUR;
    expect(hourOf(1, hour, hour - 1)).toBeUndefined();
  });
});

describe("a finished hour", () => {
  it("never changes again", () => {
    const again = createMarket({ seed: 7, start: START });
    fc.assert(
      fc.property(
        someChain,
        someHour,
        fc.integer({ min: 0, max: 100 * DAY }),
        (chainId, hour, later) => {
          const first = hourOf(chainId, hour, hour + HOUR);
          expect(first).toBeDefined();
          expect(again.gasHours(chainId, hour, hour, hour + HOUR + later)[0]).toEqual(first);
          expect(hourOf(chainId, hour, hour + HOUR + later)).toEqual(first);
        },
      ),
    );
  });

  it("differs under another seed", () => {
    const hour = Math.floor(START / HOUR) * HOUR - 5 * HOUR;
    const other = createMarket({ seed: 8, start: START }).gasHours(1, hour, hour, START)[0];
    expect(other?.avg_base_fee).not.toBe(hourOf(1, hour, START)?.avg_base_fee);
  });
});
