import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createMemory } from "../../src/commit/load.ts";
import { versionOf } from "../../src/commit/startup.ts";
import { KINDS } from "../../src/kinds/index.ts";
import type { RuleMemory } from "../../src/poll/memory.ts";
import { budgetMs, untilNext } from "../../src/poll/poll.ts";
import { createMemoryStore } from "../support/memory-store.ts";
import { POOL_ID, START } from "../support/world.ts";
import { setupOf } from "../support/world-setup.ts";

async function rulesAt(...schedules: readonly string[]): Promise<readonly RuleMemory[]> {
  const rules = schedules.map(
    (schedule, i) =>
      `  - {name: tvl${i}, schedule: "${schedule}", watch: {kind: v4_pool, chain: 1, pools: [${POOL_ID}]}, when: {metric: tvl_usd, below: 900}}`,
  );
  const setup = setupOf(`rules:\n${rules.join("\n")}`);
  const kept = await createMemoryStore().load();
  return createMemory(setup.rules, KINDS, versionOf, kept).rules;
}

const PACE = { timeoutMs: 10_000, requestsPerSecond: 100 };

describe("a round is over before the next is due", () => {
  it.each([
    [["1m"], 54_000],
    [["20s"], 18_000],
    [["*/20 * * * * *"], 18_000],
    [["15,30 * * * * *"], 13_500],
    [["6h"], 54_000],
    [["0 6 * * *"], 54_000],
    [["1m", "*/30 * * * * *", "15s"], 13_500],
    // A request may take 10 s, and is not to be cut off.
    [["10s"], 10_265],
  ])("with the schedules %s it polls for %i ms", async (schedules, ms) => {
    const rules = await rulesAt(...schedules);
    expect(budgetMs(PACE, untilNext(rules, START, START), 1)).toBe(ms);
  });

  it.each([
    [["1m"], 30, 30, 27_000],
    // It began so long after the time by which it is dated.
    [["1m"], 30, 30.9, 26_190],
    [["1h"], 59 * 60 + 40, 59 * 60 + 40, 18_000],
    [["1h", "20s"], 3, 3, 15_300],
    [["0 * * * *", "6h"], 59 * 60 + 40, 59 * 60 + 40.5, 17_550],
    [["1m"], 58, 58, 10_265],
  ])(
    "also where it is the first look: %s, dated %d s and begun %d s after a full hour: %i ms",
    async (schedules, dated, begun, ms) => {
      const rules = await rulesAt(...schedules);
      const left = untilNext(rules, START + dated * 1_000, START + begun * 1_000);
      expect(budgetMs(PACE, left, 1)).toBeCloseTo(ms);
    },
  );

  it("unless one request, or all of them at their rate, need longer", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1_000, max: 300_000 }),
        fc.integer({ min: 1, max: 1_000 }),
        fc.integer({ min: 1_000, max: 60_000 }),
        fc.integer({ min: 1, max: 5_000 }),
        (timeoutMs, requestsPerSecond, nextMs, requests) => {
          const ms = budgetMs({ timeoutMs, requestsPerSecond }, nextMs, requests);
          const rateMs = (requests / requestsPerSecond) * 1_000;
          expect(ms).toBeGreaterThan(timeoutMs);
          expect(ms).toBeGreaterThan(rateMs);
          if (timeoutMs + 250 + 1.5 * rateMs < 0.9 * nextMs) expect(ms).toBeLessThan(nextMs);
        },
      ),
    );
  });
});
