import { describe, expect, it } from "vitest";
import { ok, POOL_ID, poolRecord, positionRecord, START, World } from "../support/world.ts";

/** A pool of ETH and USDC whose price is out above, in, and out below the range by turns. */
function story(ticks: readonly number[]): World["answer"] {
  return (ask, date) => {
    const tick = ticks[Math.round((date - START) / 60_000) - 1] ?? ticks.at(-1) ?? 0;
    const price0 = 1.0001 ** tick * 1e12;
    return ok(
      ask.record === "v4_position"
        ? positionRecord()
        : poolRecord({ current_tick: tick, price0, price1: 1 / price0 }),
    );
  };
}

describe("invert: true", () => {
  it("turns a position's sides, prices and words together, and not whether it is in range", async () => {
    const world = await World.create(`
rules:
  - name: as-it-is
    watch: {kind: v4_position, chain: 1, protocol: dexa, positions: [42]}
    when: {metric: side, equals: above}
    notify: [console]
  - name: inverted
    watch: {kind: v4_position, chain: 1, protocol: dexa, positions: [42], invert: true}
    when: {metric: side, equals: below}
    notify: [console]
  - name: out
    watch: {kind: v4_position, chain: 1, protocol: dexa, positions: [42], invert: true}
    when: {metric: in_range, equals: false}
    notify: [console]
`);
    world.answer = story([-199_500, -199_500, -198_900, -198_900]);
    await world.minutes(4);
    expect(world.story()).toEqual(["3 fired", "3 fired", "3 fired"]);
    const ranges = world.told.filter(({ kind }) => kind === "fired").map(({ notice }) => notice);
    const [plain, turned, out] = ranges;
    expect(plain?.range).toMatchObject({
      lower: "2,063.22",
      upper: "2,280.19",
      unit: "USDC per ETH",
      inverted: false,
      lowerTick: -200_000,
    });
    expect(turned?.range).toMatchObject({
      lower: "0.000438559",
      upper: "0.00048468",
      unit: "ETH per USDC",
      inverted: true,
      lowerTick: -200_000,
      tick: -198_900,
    });
    expect(out?.headline).toContain("0.000434196 < 0.000438559 ETH/USDC");
    // Both look at the same two records.
    expect(new Set(world.asked).size).toBe(2);
    await world.stop();
  });

  it("turns a pool's price, with samples of its own", async () => {
    const world = await World.create(`
rules:
  - name: eth-in-usdc
    watch: {kind: v4_pool, chain: 1, pools: [${POOL_ID}]}
    when: {metric: price, above: 2_200}
  - name: usdc-in-eth
    watch: {kind: v4_pool, chain: 1, pools: [${POOL_ID}], invert: true}
    when: {metric: price, below: 0.00045}
`);
    world.answer = story([-199_500, -199_000]);
    await world.minutes(2);
    expect(world.story()).toEqual(["2 fired", "2 fired"]);
    const values = world.told
      .filter(({ kind }) => kind === "fired")
      .map(({ notice }) => notice.fields[0]?.value.replace(/ \(.*/, ""));
    expect(values).toEqual(["2,280.19 USDC per ETH", "0.000438559 ETH per USDC"]);
    await world.stop();
  });
});
