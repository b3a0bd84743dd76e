import { describe, expect, it } from "vitest";
import { POOL, ruleText, warned } from "../rules-text.ts";

const pool = { watch: `{kind: v4_pool, chain: 1, pools: [${POOL}]}` };
const below = { when: "{metric: tvl_usd, below: $1m}" };
const swaps = {
  watch: `{kind: v4_swaps, chain: 1, pools: [${POOL}]}`,
  when: "{metric: amount_usd, above: 500_000}",
};

/** The warnings of a rule that looks every 5 minutes, without the file. */
const warnings = (keys: Readonly<Record<string, string>>): readonly string[] =>
  warned(ruleText({ ...pool, ...below, schedule: "5m", ...keys })).map((line) =>
    line.replace(/^rules.yaml:/, ""),
  );

describe("what a schedule cannot give", () => {
  it.each([
    [
      { for: "4m" },
      "6:10: for is shorter than the schedule: the next round is 5m later, expected at least 5m, or a shorter schedule [below-schedule]",
      { for: "5m" },
    ],
    [
      { resolve_after: "90s" },
      "6:20: resolve_after is shorter than the schedule: the next round is 5m later, expected at least 5m, or a shorter schedule [below-schedule]",
      { resolve_after: "5m" },
    ],
    [
      { remind: "[1h, 1m]" },
      "6:18: this gap is shorter than the schedule: reminders come with a round, every 5m, expected at least 5m, or a shorter schedule [below-schedule]",
      { remind: "[1h, 5m]" },
    ],
    [
      { cooldown: "5m" },
      "6:15: cooldown has no effect: rounds are 5m apart, expected more than 5m [below-schedule]",
      { cooldown: "301s" },
    ],
    [
      { missing_after: "1m" },
      "6:20: missing_after is shorter than the schedule: missing data is reported after 3 rounds at the earliest, expected at least 15m, or a shorter schedule [below-schedule]",
      { missing_after: "5m" },
    ],
  ])("%o is doubted at its place, and %3$o is not", (wrong, message, right) => {
    expect(warnings(wrong)).toEqual([message]);
    expect(warnings(right)).toEqual([]);
  });

  it("is not asked of defaults, nor of entries, of which a round may bring many", () => {
    expect(warnings({ schedule: "6h" })).toEqual([]);
    expect(warnings({ ...swaps, cooldown: "1m" })).toEqual([]);
    expect(warnings({ cooldown: "1m" })).toHaveLength(1);
  });

  it("is measured on the shortest distance of a cron's rounds", () => {
    const schedule = '"0 8,9,20 * * *"';
    expect(warnings({ schedule, for: "59m" })).toHaveLength(1);
    expect(warnings({ schedule, for: "1h" })).toEqual([]);
  });
});

it("doubts a for that is no longer than one bucket, which counts already", () => {
  const gas = (keys: Readonly<Record<string, string>>) => warned(ruleText(keys));
  expect(gas({ for: "1h" })).toEqual([
    "rules.yaml:5:10: for counts buckets of 1h here, the newest included: this adds nothing, expected more than 1h, or no for [no-effect]",
  ]);
  expect(gas({ resolve_after: "5m" })).toHaveLength(1);
  expect(gas({ for: "61m", resolve_after: "2h" })).toEqual([]);
});

describe("a worse_by that can never be reached", () => {
  const message =
    "worse_by can never be reached: tvl_usd cannot go so far beyond its limit, expected a smaller distance [never-true]";

  it.each([
    [{ worse_by: "$1m" }, { worse_by: "$999_999" }],
    [{ worse_by: "100%" }, { worse_by: "99%" }],
    [
      { when: "{metric: tvl_usd, falls: 60%, within: 1h}", worse_by: "41%" },
      { when: "{metric: tvl_usd, falls: 60%, within: 1h}", worse_by: "40%" },
    ],
    [
      { when: "{metric: tvl_usd, at_most: $1m}", worse_by: "$1_000_001" },
      { when: "{metric: tvl_usd, at_most: $1m}", worse_by: "$1m" },
    ],
  ])("%o is, and %o is not", (wrong, right) => {
    expect(warnings(wrong).map((line) => line.replace(/^\d+:\d+: /, ""))).toContain(message);
    expect(warnings(right)).not.toContainEqual(expect.stringContaining("worse_by"));
  });

  it("knows the ends of ticks and shares, and says nothing where there is no end", () => {
    const position = {
      watch: "{kind: v4_position, chain: 1, protocol: dexa, positions: [42]}",
    };
    const share = { ...position, when: "{metric: token0_share, above: 95%}" };
    expect(warnings({ ...share, worse_by: "5%" })).toHaveLength(1);
    expect(warnings({ ...share, worse_by: "4%" })).toEqual([]);
    const tick = { ...position, when: "{metric: current_tick, outside: [-887000, 887000]}" };
    expect(warnings({ ...tick, worse_by: "273 ticks" })).toHaveLength(1);
    expect(warnings({ ...tick, worse_by: "270 ticks" })).toEqual([]);
    expect(warnings({ when: "{metric: tvl_usd, above: $1m}", worse_by: "$900b" })).toEqual([]);
  });
});
