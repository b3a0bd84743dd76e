import { describe, expect, it } from "vitest";
import {
  failed,
  MINUTE,
  ok,
  POOL_ID,
  poolRecord,
  positionRecord,
  START,
  World,
} from "../support/world.ts";

const CROSSES = `
rules:
  - name: crossing
    watch: {kind: v4_pool, chain: 1, pools: [${POOL_ID}]}
    when: {metric: price, crosses: 2000}
`;

const priced =
  (prices: readonly (number | null)[]) =>
  (_ask: unknown, date: number): ReturnType<typeof ok> => {
    const price = prices[Math.round((date - START) / MINUTE) - 1];
    return price === null ? failed : ok(poolRecord({ price0: price ?? prices.at(-1) }));
  };

describe("crosses", () => {
  it("tells each time the side changes; the limit itself is above", async () => {
    const world = await World.create(CROSSES);
    world.answer = priced([1990, 1999, 2000, 2001, 1999.9, 1990, 2100]);
    await world.minutes(7);
    expect(world.story()).toEqual(["3 changed", "5 changed", "7 changed"]);
    await world.stop();
  });

  it("compares with the last value it had, however old, and over restarts", async () => {
    const world = await World.create(CROSSES);
    world.answer = priced([1990, null, null, 2100, 2100, 1990]);
    await world.minutes(3);
    await world.restart();
    await world.minutes(1);
    await world.restart();
    await world.minutes(2);
    expect(world.story()).toEqual(["4 changed", "6 changed"]);
    await world.stop();
  });

  it("the first value is the baseline", async () => {
    const world = await World.create(CROSSES);
    world.answer = priced([2100, 2100]);
    await world.minutes(2);
    expect(world.told.map(({ kind }) => kind)).toEqual(["started"]);
    await world.stop();
  });
});

describe("changes", () => {
  it("tells a new owner once, with a level beside it as a filter", async () => {
    const yaml = `
rules:
  - name: owner
    watch: {kind: v4_position, chain: 1, protocol: dexa, positions: [{id: 42, name: Treasury}]}
    when: {all: [{metric: owner_address, changes: true}, {metric: value_usd, above: 5}]}
`;
    const owner = (digit: string): string => `0x${digit.repeat(40)}`;
    const world = await World.create(yaml);
    const owners = ["1", "1", "2", "2", "3", "3"];
    world.answer = (ask, date) => {
      const minute = Math.round((date - START) / MINUTE);
      if (ask.record === "v4_pool") return ok(poolRecord());
      const value = minute === 5 ? 1 : 10;
      const digit = owners[minute - 1] ?? "3";
      return ok(positionRecord({ owner_address: owner(digit), core_total_usd: value }));
    };
    await world.minutes(6);
    // The change at minute 5 was filtered, and the memory moved on.
    expect(world.story()).toEqual(["3 changed"]);
    expect(world.told[1]?.notice.headline).toContain("Treasury");
    await world.stop();
  });

  it("are told from the value that the rule itself saw last, whatever others saw meanwhile", async () => {
    const world = await World.create(`
rules:
  - {name: slow, watch: &pool {kind: v4_pool, chain: 1, pools: [${POOL_ID}]}, when: {metric: tvl_usd, changes: true}, schedule: 5m}
  - {name: quick, watch: *pool, when: {metric: tvl_usd, above: 5000}}
`);
    // 5 minutes past the hour there is none, which is no value that it could have changed from.
    const tvls = [100, 100, 100, 100, 100, 200, 300, 400, 500, null, 700, 700, 700, 700, 700];
    world.answer = (_ask, date) => {
      const tvl_usd = tvls[Math.round((date - START) / MINUTE) - 1];
      return ok(poolRecord({ tvl_usd: tvl_usd === undefined ? 700 : tvl_usd }));
    };
    await world.minutes(16);
    await world.stop();
    const changed = world.told.filter(({ kind }) => kind === "changed");
    expect(changed.map(({ minute, notice }) => `${minute} ${notice.headline}`)).toEqual([
      "15 🟠 TVL changed: ETH/USDC 0.05%. $100 → $700. Ethereum",
    ]);
  });

  it("of several metrics tells of one what it was itself, however many were withheld", async () => {
    const both = `
rules:
  - name: both
    watch: {kind: v4_pool, chain: 1, pools: [{id: ${POOL_ID}, name: The pool}]}
    cooldown: 5m
    when: {any: [{metric: tvl_usd, changes: true}, {metric: current_tick, changes: true}]}
`;
    const minutes = [
      [1000, 50],
      [1000, 60],
      [1000, 70],
      [900, 70],
      [900, 70],
      [900, 70],
      [900, 70],
      [900, 80],
    ] as const;
    const world = await World.create(both);
    world.answer = (_ask, date) => {
      const [tvl_usd, current_tick] = minutes[Math.round((date - START) / MINUTE) - 1] ?? [900, 80];
      return ok(poolRecord({ tvl_usd, current_tick }));
    };
    await world.minutes(13);
    expect(world.story()).toEqual(["2 changed", "7 changed", "12 changed"]);
    expect(world.told.slice(1).map(({ notice }) => notice.headline)).toEqual([
      "🟠 Tick changed: The pool. 50 → 60. Ethereum",
      "🟠 TVL changed: The pool. $1,000 → $900. 2 times in 4 min. Ethereum",
      "🟠 Tick changed: The pool. 70 → 80. Ethereum",
    ]);
    await world.stop();
  });
});
