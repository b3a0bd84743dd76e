import { describe, expect, it } from "vitest";
import { createMemoryStore } from "../support/memory-store.ts";
import { MINUTE, ok, poolRecord, positionRecord, START, World } from "../support/world.ts";

describe("a rule on the range of a position", () => {
  it("keeps where the price was beside whether it was in range", async () => {
    const store = createMemoryStore();
    const world = await World.create(
      `
rules:
  - name: my-range
    watch: {kind: v4_position, chain: ethereum, protocol: dexa, positions: [42]}
    when: {metric: in_range, equals: false}
`,
      {
        store,
        answer: (ask, date) =>
          ask.record === "v4_position"
            ? ok(positionRecord())
            : ok(poolRecord({ current_tick: -199_890 + Math.round((date - START) / MINUTE) })),
      },
    );
    await world.minutes(3);
    await world.stop();
    const { series } = await store.load();
    expect(series.map(({ metric }) => metric).toSorted()).toEqual(["current_tick", "in_range"]);
    const tick = series.find(({ metric }) => metric === "current_tick");
    const runs = await store.window([tick?.id ?? -1], 0);
    expect(runs.get(tick?.id ?? -1)?.map(({ value }) => value)).toEqual([
      "-199889",
      "-199888",
      "-199887",
    ]);
  });
});
