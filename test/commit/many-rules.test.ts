import { describe, expect, it } from "vitest";
import type { Store } from "../../src/store/store.ts";
import { sqlitePlace } from "../store/sqlite/place.ts";
import { createMemoryStore } from "../support/memory-store.ts";
import { WHOLE } from "../support/tier.ts";
import { absent, MINUTE, ok, poolRecord, START, World } from "../support/world.ts";

const idOf = (index: number): string => `0x${index.toString(16).padStart(64, "0")}`;
const ids = Array.from({ length: 1_000 }, (_, i) => idOf(i));

/** More than are noted as told in one transaction. */
const COUNT = 2_100;

/** So many rules, each over the one of a thousand pools that its number gives. */
function rulesOf(count: number, limit = 900): string {
  const rules = Array.from({ length: count }, (_, i) =>
    [
      `  - name: r${i}`,
      `    watch: {kind: v4_pool, chain: 1, pools: ["${ids[i % ids.length] ?? ""}"]}`,
      `    when: {metric: tvl_usd, below: ${limit}}`,
    ].join("\n"),
  );
  return `rules:\n${rules.join("\n")}\n`;
}

/** Every tenth pool is low. */
const answer: World["answer"] = (ask) => {
  if (ask.record !== "v4_pool") return absent;
  const [pool_id, index] = [ask.id, Number.parseInt(ask.id, 16)];
  return ok(poolRecord({ pool_id, tvl_usd: index % 10 === 0 ? 800 : 1_000 }));
};

/** A store in which so many more commits on rules succeed, as if its process were killed then. */
function mortal(store: Store, left: { commits: number }): Store {
  return {
    ...store,
    commit: (change) => {
      if (change.rules.length > 0 || change.closed.length > 0) {
        if (left.commits === 0) return Promise.reject(new Error("killed"));
        left.commits -= 1;
      }
      return store.commit(change);
    },
  };
}

const FIRST = START + MINUTE;

/** What is told of a kind, by rule. */
const toldOf = (world: World, wanted: string): (string | null)[] =>
  world.told.filter(({ kind }) => kind === wanted).map(({ notice }) => notice.rule);

describe("many rules", () => {
  it.each(WHOLE ? [0, 1, 2] : [1])(
    "fire once each and are told of at least once, also when %i commits of their start succeed",
    async (commits) => {
      const kept = createMemoryStore();
      const left = { commits: Infinity };
      const world = await World.create(rulesOf(COUNT), { store: mortal(kept, left), answer });
      left.commits = commits;
      await world.minutes(1);
      expect(world.refused.length).toBeGreaterThan(0);
      const first = toldOf(world, "fired");
      expect(toldOf(world, "started")).toHaveLength(commits === 2 ? 1 : 0);
      await world.stop();
      const states = (await kept.load()).rules;
      const untold = states.filter(({ startedAt }) => startedAt === null).length;
      expect(untold).toBe(commits === 2 ? 100 : COUNT);

      const next = await World.create(rulesOf(COUNT), { store: kept, start: FIRST, answer });
      await next.minutes(1);
      const started = next.told.filter(({ kind }) => kind === "started");
      expect(started.map(({ notice }) => notice.headline)).toEqual([
        expect.stringMatching(
          /^🔵 Watching 1,?000 subjects with 2,?100 rules; new: r\d+(, r\d+)* and [\d,]+ more$/,
        ),
      ]);
      const fired = [...first, ...toldOf(next, "fired")];
      expect(fired).toHaveLength(210);
      expect(new Set(fired)).toEqual(new Set(Array.from({ length: 210 }, (_, i) => `r${i * 10}`)));
      const { alerts, rules } = await kept.load();
      expect(alerts.filter(({ state }) => state === "firing")).toHaveLength(210);
      expect(rules.every(({ lastRound }) => lastRound === FIRST + MINUTE)).toBe(true);
      expect(rules.every(({ startedAt }) => startedAt !== null)).toBe(true);
      await next.stop();
    },
  );

  it.runIf(WHOLE)(
    "are told of once for the rounds that follow, whichever slice they are in",
    async () => {
      const world = await World.create(rulesOf(COUNT), { answer });
      await world.minutes(3);
      expect(toldOf(world, "started")).toHaveLength(1);
      expect(toldOf(world, "fired")).toHaveLength(210);
      expect(world.told).toHaveLength(211);
      await world.stop();
    },
  );

  it("come to the same when the start of a daemon is cut off between its commits", async () => {
    const kept = createMemoryStore();
    const before = await World.create(rulesOf(COUNT), { store: kept, answer });
    await before.minutes(1);
    await before.stop();
    const started = await kept.owed();
    const old = new Set((await kept.load()).rules.map(({ version }) => version));
    // The first rule, which fires, is taken out, and all others are edited.
    const edited = rulesOf(COUNT, 850).replace(/ {2}- name: r0\n.*\n.*\n/u, "");
    const options = { start: FIRST, answer };
    const left = { commits: 1 };
    await expect(World.create(edited, { ...options, store: mortal(kept, left) })).rejects.toThrow(
      "killed",
    );
    const half = await kept.load();
    expect(half.rules).toHaveLength(2_099);
    expect(half.rules.filter(({ version }) => old.has(version))).toHaveLength(99);
    const removed = new Map([...started].map(([channel, count]) => [channel, count + 1]));
    expect(await kept.owed()).toEqual(removed);
    const after = await World.create(edited, { ...options, store: kept });
    await after.minutes(1);
    // The half that was written down is named with the other one.
    expect(after.told.map(({ notice }) => notice.headline)).toEqual([
      expect.stringMatching(/with 2,?099 rules; changed: r1, r2, r3, .* and [\d,]+ more$/),
    ]);
    const owed = new Map([...removed].map(([channel, count]) => [channel, count + 1]));
    expect(await kept.owed()).toEqual(owed);
    const { rules } = await kept.load();
    expect(rules).toHaveLength(2_099);
    expect(rules.every(({ startedAt }) => startedAt === FIRST)).toBe(true);
    await after.stop();
  });

  it.runIf(WHOLE)("leave the event loop its turns while all of them start", async () => {
    const place = await sqlitePlace();
    const store = await place.open();
    let turns = 0;
    let counted = 0;
    let counting: NodeJS.Immediate | null = null;
    const count = (): void => {
      turns += 1;
      counting = setImmediate(count);
    };
    const world = await World.create(rulesOf(4_400), {
      answer,
      store: {
        ...store,
        commit: async (change) => {
          if (change.closed.length > 0) turns = 0;
          await store.commit(change);
          if (change.rules.some(({ startedAt }) => startedAt !== null)) counted = turns;
        },
      },
    });
    count();
    await world.minutes(1);
    if (counting !== null) clearImmediate(counting);
    expect(world.told).toHaveLength(441);
    expect(counted).toBeGreaterThanOrEqual(3);
    await world.stop();
    await store.close();
    await place.remove();
  });
});
