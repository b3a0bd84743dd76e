import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Answer, Ask } from "../../src/model/index.ts";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";
import { propertyRuns } from "../support/tier.ts";
import { absent, MINUTE, ok, POOL_ID, poolRecord, START, World } from "../support/world.ts";

const OTHER = `0x${"cd".repeat(32)}`;

/** Every key of an alert's life, on two pools that are gates for each other's rules. */
const RULES = [
  `
  - name: low
    watch: {kind: v4_pool, chain: 1, pools: [POOLS]}
    when: {metric: tvl_usd, below: 900}
    worse_by: 100 usd
    remind: [2m, 4m]
    cooldown: 3m`,
  `
  - name: busy
    watch: {kind: v4_pool, chain: 1, pools: [${OTHER}]}
    when: {metric: tvl_usd, below: 800}
    notify: []`,
  `
  - name: held
    watch: {kind: v4_pool, chain: 1, pools: [POOLS]}
    when: {metric: tvl_usd, falls: 10%, within: 6m}
    unless: [busy]`,
  `
  - name: behind
    watch: {kind: v4_pool, chain: 1, pools: [POOLS]}
    when: {metric: tvl_usd, below: 1000}
    for: 1m
    resolve_after: 2m
    only_while: [low]
    on_missing: fire
    missing_after: 3m`,
  `
  - name: steps
    watch: {kind: v4_pool, chain: 1, pools: [POOLS]}
    when: {metric: tvl_usd, changes: true}
    cooldown: 4m
    unless: [busy]`,
  `
  - name: first
    watch: {kind: v4_pool, chain: 1, pools: [POOLS]}
    when: {metric: tvl_usd, below: 800}
    once: true`,
];

function yamlOf(order: readonly number[], pools: readonly string[]): string {
  const rules = order.map((index) => RULES[index] ?? "").join("\n");
  return `rules:\n${rules}`.replaceAll("POOLS", pools.join(", "));
}

const IN_ORDER = yamlOf([0, 1, 2, 3, 4, 5], [POOL_ID, OTHER]);

type Level = number | null;

const level: fc.Arbitrary<Level> = fc.oneof(
  { weight: 7, arbitrary: fc.integer({ min: 6, max: 11 }).map((n) => n * 100) },
  { weight: 2, arbitrary: fc.constant(null) },
);
const levels = fc
  .array(fc.tuple(level, fc.integer({ min: 1, max: 4 })), { minLength: 6, maxLength: 14 })
  .map((all) => all.flatMap(([one, n]) => Array.from({ length: n }, () => one)));

function answersOf(a: readonly Level[], b: readonly Level[]): (ask: Ask, date: number) => Answer {
  return ({ id }, date) => {
    const minute = Math.round((date - START) / MINUTE) - 1;
    const tvl = (id === POOL_ID ? a : b)[minute] ?? null;
    return tvl === null ? absent : ok(poolRecord({ pool_id: id, tvl_usd: tvl }));
  };
}

function tellings({ told }: World): string[] {
  return told.map(({ minute, notice }) => `${minute} ${notice.id} ${notice.headline}`).toSorted();
}

async function storyOf(
  yaml: string,
  a: readonly Level[],
  b: readonly Level[],
  restarts: readonly number[] = [],
): Promise<string[]> {
  const world = await World.create(yaml, { answer: answersOf(a, b) });
  for (let minute = 1; minute <= a.length; minute += 1) {
    await world.minutes(1);
    if (restarts.includes(minute)) await world.restart();
  }
  await world.stop();
  expect(world.refused).toEqual([]);
  return tellings(world);
}

describe("the life of alerts that are gates for each other", () => {
  it("is the same over restarts at any points, headlines included", async () => {
    const points = fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(levels, levels, points, async (a, b, at) => {
        const undisturbed = await storyOf(IN_ORDER, a, b);
        expect(await storyOf(IN_ORDER, a, b, at)).toEqual(undisturbed);
      }),
      { numRuns: propertyRuns(15) },
    );
  });

  it("is the same in any order of rules and subjects", async () => {
    const orders = fc.shuffledSubarray([0, 1, 2, 3, 4, 5], { minLength: 6 });
    await fc.assert(
      fc.asyncProperty(levels, levels, orders, fc.boolean(), async (a, b, order, turned) => {
        const pools = turned ? [OTHER, POOL_ID] : [POOL_ID, OTHER];
        const alerts = (all: readonly string[]): string[] =>
          all.filter((text) => !text.includes("Watching"));
        const other = await storyOf(yamlOf(order, pools), a, b);
        expect(alerts(other)).toEqual(alerts(await storyOf(IN_ORDER, a, b)));
      }),
      { numRuns: propertyRuns(15) },
    );
  });

  it("is the same through a real database that is opened anew after each minute", async () => {
    const a = [10, 10, 8, 7, 6, 9, 9, 7, 7, 10, 10, 8, 8, 6, 7, 11, 11, 8, 8, 8].map(
      (n) => n * 100,
    );
    const b = [10, 7, 7, 7, 10, 10, 10, 7, 7, 7, 10, 10, 10, 10, 10, 7, 10, 10, 10, 10].map(
      (n) => n * 100,
    );
    const undisturbed = await storyOf(IN_ORDER, a, b);
    const folder = await mkdtemp(join(tmpdir(), "tickwatch-"));
    const path = join(folder, "tickwatch.db");
    const told: string[] = [];
    for (const [index] of a.entries()) {
      const store = await openSqliteStore(path);
      const start = START + index * MINUTE;
      const world = await World.create(IN_ORDER, { store, start, answer: answersOf(a, b) });
      await world.minutes(1);
      await world.stop();
      await store.close();
      told.push(...tellings(world));
    }
    await rm(folder, { recursive: true });
    expect(told.toSorted()).toEqual(undisturbed);
    const kinds = new Set(undisturbed.map((text) => text.split(" ")[2]));
    expect(kinds.size).toBeGreaterThan(1);
  });
});
