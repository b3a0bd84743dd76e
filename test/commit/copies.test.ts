import { describe, expect, it } from "vitest";
import type { Answer, Ask } from "../../src/model/index.ts";
import { Division, SLOTS } from "../../src/poll/division.ts";
import { createMemoryStore } from "../support/memory-store.ts";
import { failed, ok, poolRecord, World } from "../support/world.ts";
import { setupOf } from "../support/world-setup.ts";

const pool = (id: number): string => `0x${id.toString(16).padStart(64, "0")}`;
const keyOf = (id: number): string => `v4_pool:1:${pool(id)}`;
/** More than are decided together for the sake of a value that they compare with. */
const MANY = Array.from({ length: 1_010 }, (_, at) => at + 1);
const OTHER = 5_000;
const RULES = `
references:
  other: {watch: {kind: v4_pool, chain: 1, pools: [${pool(OTHER)}]}, metric: tvl_usd}
rules:
  - name: below-other
    watch: {kind: v4_pool, chain: 1, pools: [${MANY.map(pool).join(", ")}]}
    when: {metric: tvl_usd, below: other}
  - name: total
    watch: {kind: v4_pool, chain: 1, pools: [${MANY.map(pool).join(", ")}]}
    across: min
    when: {metric: tvl_usd, below: 100 usd}
`;

describe("two daemons whose subjects compare with one value", () => {
  it("both ask for it, decide alike, tell each alert once, and keep its samples once", async () => {
    const division = new Division(setupOf(RULES).rules);
    const home = [...Array(SLOTS).keys()].find((slot) =>
      division.holds(keyOf(OTHER), new Set([slot])),
    );
    const total = division.slotOf("total", "across:min:v4_pool:whatever");
    const isFirst = (slot: number): boolean => slot === home || (slot !== total && slot % 2 === 0);
    const slotsOf = (first: boolean): ReadonlySet<number> =>
      new Set([...Array(SLOTS).keys()].filter((slot) => isFirst(slot) === first));
    const store = createMemoryStore();
    let [usd, each] = [500, 1_000];
    let isSilent = false;
    const answer = (ask: Ask): Answer => {
      if (ask.id !== pool(OTHER)) return ok(poolRecord({ pool_id: ask.id, tvl_usd: each }));
      return isSilent ? failed : ok(poolRecord({ pool_id: ask.id, tvl_usd: usd }));
    };
    const one = await World.create(RULES, { store, slots: slotsOf(true), answer });
    const written = new Set<string | number>();
    const other = await World.create(RULES, {
      store: {
        ...store,
        commit: async (change) => {
          for (const { series } of change.runs) written.add(series);
          for (const { subject } of [...change.marks, ...change.facts]) written.add(subject);
          await store.commit(change);
        },
      },
      slots: slotsOf(false),
      answer,
    });
    const minutes = async (count: number): Promise<void> => {
      for (let minute = 0; minute < count; minute += 1) {
        await one.minutes(1);
        await other.minutes(1);
      }
    };
    // Each counts what is its own, which is all that is watched: the other one is only compared with.
    const counts = [one, other].map(({ rounds }) => rounds.memory.watched);
    expect(counts.reduce((sum, count) => sum + count)).toBe(MANY.length);
    await minutes(2);
    const asked = (world: World): string[] => [...new Set(world.asked.splice(0))];
    const [byOne, byOther] = [asked(one), asked(other)];
    expect([byOne, byOther].map((keys) => keys.includes(keyOf(OTHER)))).toEqual([true, true]);
    // The sum needs all of them.
    expect(byOther).toHaveLength(MANY.length + 1);
    expect(byOne.length).toBeLessThan(MANY.length * 0.7);
    usd = 2_000;
    await minutes(2);
    const told = (what: string): string[] =>
      [one, other].flatMap((world) =>
        world.told.flatMap(({ kind, notice }) => (kind === what ? [notice.subject ?? ""] : [])),
      );
    expect(told("fired").toSorted()).toEqual(MANY.map(keyOf).toSorted());
    expect(one.told.length).toBeGreaterThan(300);
    expect(other.told.length).toBeGreaterThan(300);
    // Who has begun anew knows the value that is in force, which another one has written down.
    isSilent = true;
    await other.restart();
    each = 3_000;
    await minutes(1);
    expect(told("fired")).toHaveLength(MANY.length);
    expect(told("resolved").toSorted()).toEqual(MANY.map(keyOf).toSorted());
    const { series } = await store.load();
    const its = series.filter(({ subject }) => subject === keyOf(OTHER));
    expect(its).toHaveLength(1);
    const id = its[0]?.id ?? 0;
    const runs = (await store.window([id], 0)).get(id) ?? [];
    expect(runs.map(({ value }) => value)).toEqual(["500", "2000"]);
    expect(written.has(id) || written.has(keyOf(OTHER))).toBe(false);
    expect(written.size).toBeGreaterThan(300);
    expect([...one.refused, ...other.refused]).toEqual([]);
    await Promise.all([one.stop(), other.stop()]);
  });
});

describe("a sum over more subjects than its daemon keeps", () => {
  it.each([
    ["slack", [["slack"]]],
    // Their daemon tells them already.
    ["console", []],
  ])("is told in %s that the record of one of the others went back", async (channel, expected) => {
    const yaml = `
rules:
  - name: each
    watch: {kind: v4_pool, chain: 1, pools: [${MANY.map(pool).join(", ")}]}
    when: {metric: tvl_usd, below: 100 usd}
    notify: [console]
  - name: total
    watch: {kind: v4_pool, chain: 1, pools: [${MANY.map(pool).join(", ")}]}
    across: min
    when: {metric: tvl_usd, below: 100 usd}
    notify: [${channel}]
`;
    const division = new Division(setupOf(yaml).rules);
    const total = division.slotOf("total", "across:min:v4_pool:whatever");
    const all = [...Array(SLOTS).keys()];
    const lagging = MANY.find((id) => !division.holds(keyOf(id), new Set([total]))) ?? 0;
    let block = 100;
    const answer = ({ id }: Ask): Answer =>
      ok(poolRecord({ pool_id: id, block_number: id === pool(lagging) ? block : 100 }));
    const toldBy = async (slots: ReadonlySet<number>): Promise<unknown> => {
      block = 100;
      const world = await World.create(yaml, { store: createMemoryStore(), slots, answer });
      await world.minutes(2);
      block = 50;
      await world.minutes(8);
      await world.stop();
      const told = world.told.filter(({ kind }) => kind === "baseline");
      expect(told.map(({ notice }) => notice.subject)).toEqual(told.map(() => keyOf(lagging)));
      return told.map(({ channels }) => channels);
    };
    expect(await toldBy(new Set(all.filter((slot) => slot !== total)))).toEqual([["console"]]);
    expect(await toldBy(new Set([total]))).toEqual(expected);
  });
});
