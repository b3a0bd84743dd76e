import { describe, expect, it } from "vitest";
import { POOL, ruleText, warned } from "../rules-text.ts";

const pool = { watch: `{kind: v4_pool, chain: 1, pools: [${POOL}]}` };
const position = { watch: "{kind: v4_position, chain: 1, protocol: dexa, positions: [42]}" };
const falls = "{metric: tvl_usd, falls: 10%, within: 1h}";

/** What is warned of a rule, without file, line and column. */
const warnings = (keys: Readonly<Record<string, string>>): readonly string[] =>
  warned(ruleText(keys)).map((line) => line.replace(/^rules.yaml:\d+:\d+: /, ""));

describe("a for that one change cannot reach", () => {
  const message = (window: string, text = window): string =>
    `a single change stays in the window for less than ${window}, so it never lasts this long, expected less than ${text}, or a longer window [for-too-long]`;

  it("is doubted from the length of the window on, at its place", () => {
    expect(warned(ruleText({ ...pool, when: falls, for: "1h" }))).toEqual([
      `rules.yaml:5:10: ${message("1h")}`,
    ]);
    expect(warnings({ ...pool, when: falls, for: "59m" })).toEqual([]);
    expect(warnings({ ...pool, when: falls, for: "2d" })).toEqual([message("1h")]);
    expect(warnings({ ...pool, when: falls })).toEqual([]);
  });

  it("counts the shortest window of all, and none of any or not", () => {
    const longer = "{metric: tvl_usd, rises: 10%, since: 2h}";
    expect(warnings({ ...pool, when: `{all: [${longer}, ${falls}]}`, for: "90m" })).toEqual([
      message("1h"),
    ]);
    expect(warnings({ ...pool, when: `{any: [${longer}, ${falls}]}`, for: "3h" })).toEqual([]);
    expect(warnings({ ...pool, when: `{not: ${falls}}`, for: "3h" })).toEqual([]);
  });

  it("has nothing to say of what may last, or has no window", () => {
    for (const when of [
      "{metric: tvl_usd, below: 10}",
      "{metric: tvl_usd, below: p10, within: 7d}",
      "{metric: tvl_usd, unchanged: 2h}",
    ]) {
      expect(warnings({ ...pool, when, for: "30d" })).toEqual([]);
    }
  });

  it("is any beside since: last, which is over in the next round", () => {
    const last = "{metric: tvl_usd, falls: 10%, since: last}";
    const said =
      "a single change counts for one round, so it never lasts this long, expected no for, or a window such as within: 1h in place of since: last [for-too-long]";
    for (const when of [last, `{all: [${falls}, ${last}]}`, `{all: [{all: [${last}]}]}`]) {
      expect([when, warnings({ ...pool, when, for: "1m" })]).toEqual([when, [said]]);
      expect([when, warnings({ ...pool, when })]).toEqual([when, []]);
    }
    expect(warnings({ ...pool, when: `{any: [${falls}, ${last}]}`, for: "5m" })).toEqual([]);
    expect(warnings({ ...pool, when: `{not: ${last}}`, for: "5m" })).toEqual([]);
  });
});

describe("a cron expression with two kinds of days", () => {
  const message =
    "the day of the month and the day of the week must both match, unlike in crontab, expected * for one of them, or a rule for each [odd-cron]";

  it("is said loudly, at its place", () => {
    expect(warned(ruleText({ schedule: '"0 0 13 * 5"' }))).toEqual([`rules.yaml:5:15: ${message}`]);
    expect(warnings({ schedule: '"0 0 0 1-7 * mon"' })).toEqual([message]);
  });

  it.each(["0 0 13 * *", "0 0 * * 5", "0 0 */2 * 5", "0 0 L * *", "*/5 * * * *", "5m"])(
    "%s says one of them at most, as crontab has it",
    (schedule) => {
      expect(warnings({ schedule: `"${schedule}"` })).toEqual([]);
    },
  );
});

describe("a rule on the edge of a range", () => {
  const message =
    "a price at the edge of the range would fire and resolve again and again, expected for: 5m and resolve_after: 5m beside it [edge-of-range]";

  it.each([
    "{metric: in_range, equals: false}",
    "{metric: side, not_equals: in}",
    "{metric: ticks_to_edge, below: 0}",
    "{metric: pct_to_edge, at_most: 0%}",
    "{metric: range_position, outside: [0, 1]}",
    "{metric: range_position, at_least: 1}",
    "{any: [{metric: range_position, below: 0}, {metric: closed, equals: true}]}",
  ])("%s is doubted without for and resolve_after", (when) => {
    expect(warnings({ ...position, when })).toEqual([message]);
    for (const key of ["for", "resolve_after"]) {
      expect(warnings({ ...position, when, [key]: "5m" })).toEqual([]);
    }
  });

  it.each([
    "{metric: pct_to_edge, below: 3%}",
    "{metric: ticks_to_edge, below: 1}",
    "{metric: range_position, outside: [0.1, 0.9]}",
    "{metric: token0_share, at_least: 1%}",
    "{metric: in_range, changes: true}",
  ])("%s is none", (when) => {
    expect(warnings({ ...position, when })).toEqual([]);
  });
});

describe("resolve_when that contradicts when", () => {
  const message =
    "some values make both when and resolve_when true; they count as when, expected limits that leave a gap [overlap]";

  it("is doubted for changes in one direction over one span", () => {
    expect(warnings({ ...pool, when: falls, resolve_when: "{falls: 20%}" })).toEqual([message]);
    expect(warnings({ ...pool, when: falls, resolve_when: "{rises: 5%}" })).toEqual([]);
    expect(warnings({ ...pool, when: falls, resolve_when: "{falls: 20%, within: 2h}" })).toEqual(
      [],
    );
    expect(warnings({ ...pool, when: falls, resolve_when: "{falls: 20%, since: 1h}" })).toEqual([]);
  });

  it("is doubted when it meets one of any or one of all", () => {
    const terms = "[{metric: tip_top5, above: 9 gwei}, {metric: tip_top10, above: 5 gwei}]";
    const meets = { resolve_when: "{metric: tip_top10, above: 6 gwei}" };
    expect(warnings({ when: `{any: ${terms}}`, ...meets })).toEqual([message]);
    expect(warnings({ when: `{all: ${terms}}`, ...meets })).toEqual([message]);
    const leaves = { resolve_when: "{metric: tip_top10, below: 4 gwei}" };
    expect(warnings({ when: `{any: ${terms}}`, ...leaves })).toEqual([]);
    expect(warnings({ when: `{all: ${terms}}`, ...leaves })).toEqual([]);
  });

  it("is doubted of any and all in resolve_when, and not of a metric that when does not name", () => {
    const when = "{all: [{metric: tip_top10, above: 5 gwei}, {metric: tip_top10, below: 9 gwei}]}";
    const both = (low: string, high: string): string =>
      `{all: [{metric: tip_top10, above: ${low} gwei}, {metric: tip_top10, below: ${high} gwei}]}`;
    expect(warnings({ when, resolve_when: both("8", "20") })).toEqual([message]);
    expect(warnings({ when, resolve_when: both("9", "20") })).toEqual([]);
    expect(
      warnings({
        when,
        resolve_when:
          "{any: [{metric: tip_top10, below: 6 gwei}, {metric: tip_top10, above: 9 gwei}]}",
      }),
    ).toEqual([message]);
    expect(warnings({ when, resolve_when: "{metric: tip_top5, below: 6 gwei}" })).toEqual([]);
  });
});

describe("a change of dollars without a sign", () => {
  const changes = (change: string): readonly string[] =>
    warnings({ ...pool, when: `{metric: tvl_usd, ${change}, within: 1h}` });

  it("is doubted where a percentage may have been meant", () => {
    expect(changes("falls: 10")).toEqual([
      '"falls: 10" is a change of $10, not of 10%, expected the sign that says which; did you mean $10 or 10%? [wrong-unit]',
    ]);
    expect(changes("moves: 0.1")).toHaveLength(1);
  });

  it("is what it says with a unit, or where no percentage is that large", () => {
    for (const right of [
      "falls: 10%",
      "falls: $10",
      "falls: 10 usd",
      "rises: 50_000",
      "moves: 101",
    ])
      expect([right, changes(right)]).toEqual([right, []]);
  });
});

describe("wei where gwei were meant", () => {
  it("is asked of worse_by as well", () => {
    expect(warnings({ worse_by: "4" })).toEqual([
      "4 wei is almost nothing, expected an amount such as 5 gwei; did you mean `4 gwei`? [wrong-unit]",
    ]);
    for (const right of ["4 gwei", "1000 wei", "10%"]) {
      expect(warnings({ worse_by: right })).toEqual([]);
    }
  });
});
