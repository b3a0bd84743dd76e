import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Answer } from "../../src/model/index.ts";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";
import { propertyRuns } from "../support/tier.ts";
import { absent, failed, MINUTE, ok, POOL_ID, poolRecord, START, World } from "../support/world.ts";

const RULES = `
rules:
  - name: level
    watch: {kind: v4_pool, chain: 1, pools: [${POOL_ID}]}
    when: {metric: tvl_usd, below: 900}
    for: 2m
    resolve_after: 2m
  - name: fall
    watch: {kind: v4_pool, chain: 1, pools: [${POOL_ID}]}
    when: {metric: tvl_usd, falls: 10%, within: 8m}
  - name: net
    watch: {kind: v4_pool, chain: 1, pools: [${POOL_ID}]}
    when: {metric: tvl_usd, moves: 10%, since: 6m}
    for: 1m
  - name: step
    watch: {kind: v4_pool, chain: 1, pools: [${POOL_ID}]}
    when: {metric: tvl_usd, moves: 10%, since: last}
    schedule: 2m
`;

const answers = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.integer({ min: 8, max: 11 }).map((n) => n * 100) },
    { weight: 1, arbitrary: fc.constantFrom("failed" as const, "absent" as const) },
  ),
  { minLength: 10, maxLength: 40 },
);

/** Everything that is told over the answers, with restarts, in this way, after some of the minutes. */
async function storyOf(
  given: readonly (number | "failed" | "absent")[],
  restarts: ReadonlySet<number>,
  restart: (world: World) => Promise<void> = (world) => world.restart(),
): Promise<string[]> {
  const world = await World.create(RULES);
  world.answer = (_ask, date): Answer => {
    const one = given[Math.round((date - START) / MINUTE) - 1];
    if (one === "failed") return failed;
    if (one === "absent" || one === undefined) return absent;
    return ok(poolRecord({ tvl_usd: one }));
  };
  for (let minute = 1; minute <= given.length; minute += 1) {
    await world.minutes(1);
    if (restarts.has(minute)) await restart(world);
  }
  await world.stop();
  return world.told.map(({ minute, kind, notice }) => `${minute} ${kind} ${notice.rule}`);
}

describe("a restart", () => {
  it("at any point changes no notice", async () => {
    await fc.assert(
      fc.asyncProperty(answers, fc.array(fc.integer({ min: 1, max: 40 })), async (given, at) => {
        const undisturbed = await storyOf(given, new Set());
        expect(await storyOf(given, new Set(at))).toEqual(undisturbed);
      }),
      { numRuns: propertyRuns(60) },
    );
  });

  it("that goes on with what is in memory changes no notice either", async () => {
    await fc.assert(
      fc.asyncProperty(answers, fc.array(fc.integer({ min: 1, max: 40 })), async (given, at) => {
        const undisturbed = await storyOf(given, new Set());
        const again = (world: World): Promise<void> => world.again();
        expect(await storyOf(given, new Set(at), again)).toEqual(undisturbed);
      }),
      { numRuns: propertyRuns(30) },
    );
  });

  it("through a real database changes no notice either", async () => {
    const folder = await mkdtemp(join(tmpdir(), "tickwatch-"));
    const path = join(folder, "tickwatch.db");
    const given = [10, 10, 10, 8, 8, 8, 8, 8, 10, 10, 11, 8, 8, 10, 10, 10, 10].map((n) => n * 100);
    const undisturbed = await storyOf(given, new Set());
    const told: string[] = [];
    let world = await World.create(RULES, { store: await openSqliteStore(path) });
    for (const [index] of given.entries()) {
      world.answer = (_ask, date) =>
        ok(poolRecord({ tvl_usd: given[Math.round((date - START) / MINUTE) - 1] }));
      await world.minutes(1);
      told.push(
        ...world.told.map(({ minute, kind, notice }) => `${minute} ${kind} ${notice.rule}`),
      );
      await world.stop();
      await world.store.close();
      if (index === given.length - 1) break;
      const store = await openSqliteStore(path);
      world = await World.create(RULES, { store, start: START + (index + 1) * MINUTE });
    }
    await rm(folder, { recursive: true });
    expect(told).toEqual(undisturbed);
  });
});

describe("an edit", () => {
  const firing = async (): Promise<World> => {
    const world = await World.create(RULES);
    world.answer = () => ok(poolRecord({ tvl_usd: 1000 }));
    await world.minutes(10);
    world.answer = () => ok(poolRecord({ tvl_usd: 800 }));
    await world.minutes(4);
    return world;
  };

  it("of a rule keeps its alert and is named as changed", async () => {
    const world = await firing();
    const before = world.told.length;
    await world.restart(RULES.replace("below: 900", "below: 850"));
    await world.minutes(2);
    expect(world.told.slice(before).map(({ notice }) => notice.headline)).toEqual([
      "🔵 Watching 1 subject with 4 rules; changed: level",
    ]);
    world.answer = () => ok(poolRecord({ tvl_usd: 870 }));
    await world.minutes(3);
    expect(world.told.slice(before).map(({ kind, notice }) => `${kind} ${notice.rule}`)).toContain(
      "resolved level",
    );
    await world.stop();
  });

  it("of a rule that waits for its time does not call quiet what it has not looked at", async () => {
    const rule = (below: number): string =>
      `rules:\n  - {name: low, watch: {kind: v4_pool, chain: 1, pools: [${POOL_ID}]}, when: {metric: tvl_usd, below: ${below}}, schedule: 1h}`;
    const world = await World.create(rule(900));
    world.answer = () => ok(poolRecord({ tvl_usd: 1000 }));
    await world.look();
    expect(world.found()).toBe("1 quiet");
    await world.pass(10 * MINUTE);
    await world.restart(rule(1100));
    await world.look();
    expect(world.found()).toBe("1 not asked yet");
    await world.pass(60 * MINUTE);
    expect(world.story().at(-1)).toMatch(/fired$/);
    await world.restart(rule(1200));
    await world.look();
    expect(world.found()).toBe("1 firing");
    await world.stop();
  });

  it("of a rule on the change since the last round lets none of these changes go by", async () => {
    const rule = (percent: number): string =>
      `rules:\n  - {name: step, watch: {kind: v4_pool, chain: 1, pools: [${POOL_ID}]}, when: {metric: tvl_usd, moves: ${percent}%, since: last}}`;
    const world = await World.create(rule(10));
    const values = [1000, 1000, 2000, 3000, 1000, 1000];
    world.answer = (_ask, date) =>
      ok(poolRecord({ tvl_usd: values[Math.round((date - START) / MINUTE) - 1] ?? 1000 }));
    await world.minutes(3);
    await world.restart(rule(11));
    await world.minutes(3);
    expect(world.story()).toEqual(["3 fired", "4 worse", "5 worse", "6 resolved"]);
    await world.stop();
  });

  it("that removes a firing rule says so, once, to those who were told", async () => {
    const world = await firing();
    const before = world.told.length;
    const without = RULES.replace(/ {2}- name: level[\s\S]*?(?= {2}- name: fall)/, "");
    await world.restart(without);
    const after = world.told.slice(before);
    expect(after.map(({ kind, notice, channels }) => [kind, notice.rule, channels])).toEqual([
      ["rule_removed", "level", ["console", "slack"]],
    ]);
    await world.restart(without);
    expect(world.told).toHaveLength(before + 1);
    await world.stop();
  });

  it("that adds a subject which is true at once fires after for", async () => {
    const other = `0x${"cd".repeat(32)}`;
    const world = await firing();
    const before = world.told.length;
    world.answer = (ask) => ok(poolRecord({ pool_id: ask.id, tvl_usd: 800 }));
    await world.restart(RULES.replace(`[${POOL_ID}]`, `[${POOL_ID}, ${other}]`));
    await world.minutes(3);
    const after = world.told
      .slice(before)
      .filter(({ notice: { rule } }) => rule === null || rule === "level");
    expect(after.map(({ minute, kind, notice }) => `${minute} ${kind} ${notice.rule}`)).toEqual([
      "14 started null",
      "17 fired level",
    ]);
    expect(after[0]?.notice.headline).toBe("🔵 Watching 2 subjects with 4 rules; changed: level");
    await world.stop();
  });
});
