import { describe, expect, it } from "vitest";
import { MINUTE, ok, POOL_ID, poolRecord, World } from "../support/world.ts";

const rule = (when: string): string => `
rules:
  - name: tvl
    watch: {kind: v4_pool, chain: 1, pools: ["${POOL_ID}"]}
    when: {metric: tvl_usd, ${when}}
`;

/** One value a minute; null is no data, and "down": nobody asks in that minute. */
async function storyOf(
  when: string,
  values: readonly (number | null | "down")[],
): Promise<string[]> {
  const world = await World.create(rule(when));
  let stopped = false;
  for (const value of values) {
    if (value === "down") {
      if (!stopped) await world.stop();
      stopped = true;
      await world.clock.advance(MINUTE);
      continue;
    }
    world.answer = () => ok(poolRecord({ tvl_usd: value }));
    if (stopped) {
      // It starts in the minute of the value, which it looks at at once.
      await world.clock.advance(MINUTE);
      await world.open();
      await world.look();
    } else await world.minutes(1);
    stopped = false;
  }
  await world.stop();
  return world.story().filter((line) => !line.endsWith("data_back"));
}

describe("a change since a while ago, of a series that had a hole", () => {
  const FALL = "falls: 100, since: 3m";

  it("is not known before the while has passed over values", async () => {
    const before = [null, "down", "down", "down", "down", null, 1000] as const;
    expect(await storyOf(FALL, [...before, 900, 900, 900])).toEqual(["10 fired"]);
    // The series is as old as what was seen of it last.
    const known = [1000, 1000, "down", "down", "down", "down", "down", 1000] as const;
    expect(await storyOf(FALL, [...known, 900, 900, 900])).toEqual(["11 fired"]);
  });

  it("is not known where the hole is younger than the while, either", async () => {
    const before = [1000, "down", "down", "down", "down", 1000, 900] as const;
    expect(await storyOf("falls: 100, since: 20m", [...before, 900])).toEqual([]);
    expect(await storyOf("falls: 100, since: 20m", [1000, null, 1000, 900])).toEqual(["4 fired"]);
  });

  it("is measured from the first value where the series is young", async () => {
    expect(await storyOf(FALL, [1000, 900])).toEqual(["2 fired"]);
    expect(await storyOf(FALL, [null, 1000, 900])).toEqual(["3 fired"]);
  });
});

describe("a value that stands still over a hole", () => {
  const STILL = "unchanged: 4m";

  it("is known again once the while has passed over equal values", async () => {
    const hole = ["down", "down", "down", "down", "down"] as const;
    const story = await storyOf(STILL, [7, 8, ...hole, 8, 8, 8, 8, 8, 8]);
    expect(story).toEqual(["12 fired"]);
  });

  it("says nothing of another value before it: what fires goes on firing", async () => {
    const still = [8, 8, 8, 8, 8, 8] as const;
    const hole = ["down", "down", "down", "down"] as const;
    expect(await storyOf(STILL, [...still, ...hole, 9, 9, 9])).toEqual(["5 fired"]);
    expect(await storyOf(STILL, [...still, ...hole, 9, 10])).toEqual(["5 fired", "12 resolved"]);
  });
});
