import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { POOL, printed, ruleText, warned } from "../../config/rules-text.ts";
import { propertyRuns } from "../../support/tier.ts";

const pool = { watch: `{kind: v4_pool, chain: 1, pools: [${POOL}]}` };
const position = { watch: "{kind: v4_position, chain: 1, protocol: dexa, positions: [42]}" };

const group = (op: "all" | "any", ...terms: readonly string[]): string =>
  `{${op}: [${terms.map((term) => `{metric: ${term}}`).join(", ")}]}`;
const errors = (keys: Readonly<Record<string, string>>): readonly string[] =>
  printed(ruleText(keys)).map((text) => text.split("\n")[0] ?? "");

describe("terms of one all", () => {
  it("that exclude each other are refused at the one too many", () => {
    expect(
      errors({ ...pool, when: group("all", "tvl_usd, below: $1m", "tvl_usd, above: $2m") }),
    ).toEqual([
      'rules.yaml:4:49: this is never true together with "tvl_usd below $1m": the rule could never fire, expected limits that meet, or any [never-true]',
    ]);
  });

  it.each([
    [pool, ["price, below: 5", "price, at_least: 5"], ["price, at_most: 5", "price, at_least: 5"]],
    [
      pool,
      ["price, equals: 5", "price, not_equals: 5"],
      ["price, equals: 5", "price, not_equals: 6"],
    ],
    [
      pool,
      ["price, inside: [1, 2]", "price, above: 2"],
      ["price, inside: [1, 2]", "price, at_least: 2"],
    ],
    [
      pool,
      ["price, outside: [1, 9]", "price, inside: [1, 9]"],
      ["price, outside: [1, 9]", "price, inside: [1, 9.1]"],
    ],
    [
      position,
      ["in_range, equals: true", "in_range, equals: false"],
      ["in_range, equals: true", "closed, equals: false"],
    ],
    [
      position,
      ["side, equals: below", "side, equals: above"],
      ["side, not_equals: below", "side, not_equals: above"],
    ],
    [
      position,
      ["in_range, not_equals: true", "in_range, not_equals: false"],
      ["in_range, not_equals: true"],
    ],
    [
      position,
      ["side, equals: above", "in_range, equals: true"],
      ["side, equals: above", "in_range, equals: false"],
    ],
    [
      position,
      ["side, not_equals: in", "in_range, not_equals: false"],
      ["side, equals: in", "in_range, not_equals: false"],
    ],
    [
      position,
      ["in_range, equals: true", "ticks_to_edge, below: 0"],
      ["in_range, equals: true", "ticks_to_edge, below: 10"],
    ],
    [
      position,
      ["value_usd, above: 1", "pct_to_edge, above: 1%", "side, equals: below"],
      ["value_usd, above: 1", "pct_to_edge, above: -1%", "side, equals: below"],
    ],
    [
      position,
      ["range_position, above: 110%", "side, equals: below"],
      ["range_position, above: 110%", "side, equals: above"],
    ],
    [
      position,
      ["range_position, at_least: 1", "range_position, at_most: 1", "side, equals: below"],
      ["range_position, at_least: 1", "range_position, at_most: 1", "side, equals: in"],
    ],
    [
      position,
      ["closed, equals: true", "in_range, equals: false"],
      ["closed, equals: false", "in_range, equals: false"],
    ],
    [
      position,
      ["ticks_to_edge, above: -1", "ticks_to_edge, below: 1"],
      ["ticks_to_edge, above: -1", "ticks_to_edge, below: 2"],
    ],
  ])("case %#: exclude each other, and with other limits do not", (watch, wrong, right) => {
    expect(errors({ ...watch, when: group("all", ...wrong) })).toHaveLength(1);
    expect(errors({ ...watch, when: group("all", ...right) })).toEqual([]);
  });

  it("are seen through all in all, and not compared where limits move", () => {
    const inner = group("all", "price, below: 5", "tvl_usd, above: 1");
    expect(errors({ ...pool, when: `{all: [${inner}, {metric: price, above: 6}]}` })).toHaveLength(
      1,
    );
    expect(
      errors({
        ...pool,
        when: `{all: [{any: [{metric: price, below: 5}]}, {metric: price, above: 6}]}`,
      }),
    ).toEqual([]);
    expect(
      errors({ ...pool, when: group("all", "price, below: p10, within: 7d", "price, above: 6") }),
    ).toEqual([]);
  });
});

describe("terms about a range of a position", () => {
  it("that exclude each other are told with the others, through groups as well", () => {
    const inner = group("all", "in_range, equals: true", "value_usd, above: 1");
    expect(
      errors({ ...position, when: `{all: [${inner}, {metric: side, equals: above}]}` }),
    ).toEqual([
      'rules.yaml:4:92: this is never true together with "in_range equals true": the rule could never fire, expected limits that meet, or any [never-true]',
    ]);
    expect(
      errors({
        ...position,
        when: group("any", "in_range, equals: true", "side, equals: above"),
        for: "5m",
      }),
    ).toEqual([]);
  });
});

describe("terms of one any", () => {
  const doubts = (watch: Readonly<Record<string, string>>, ...terms: readonly string[]) =>
    warned(ruleText({ ...watch, when: group("any", ...terms), for: "5m" }));

  it("of which one is always true are doubted at the list", () => {
    expect(doubts(pool, "price, below: 5", "price, at_least: 5")).toEqual([
      "rules.yaml:4:17: one of these is true for every value of price, expected limits that leave a gap, or all [always-true]",
    ]);
  });

  it.each([
    [
      pool,
      ["tvl_usd, at_most: 5", "tvl_usd, above: 4"],
      ["tvl_usd, below: 5", "tvl_usd, above: 5"],
    ],
    [
      pool,
      ["price, outside: [1, 9]", "price, inside: [1, 9]"],
      ["price, outside: [1, 9]", "price, inside: [1.1, 9]"],
    ],
    [
      position,
      ["token0_share, below: 40%", "token0_share, inside: [40%, 100%]"],
      ["token0_share, below: 40%", "token0_share, inside: [40%, 99%]"],
    ],
    [
      position,
      ["in_range, equals: true", "in_range, equals: false"],
      ["in_range, equals: true", "closed, equals: true"],
    ],
    [
      position,
      ["side, equals: in", "side, not_equals: in"],
      ["side, equals: in", "side, equals: above"],
    ],
    [
      position,
      ["ticks_to_edge, below: 0", "ticks_to_edge, above: 0"],
      ["ticks_to_edge, below: 0", "ticks_to_edge, above: 1"],
    ],
    [
      position,
      ["side, not_equals: in", "side, not_equals: above"],
      ["side, not_equals: in", "side, equals: above"],
    ],
  ])("case %#: one is always true, and with other limits is not", (watch, wrong, right) => {
    expect(doubts(watch, ...wrong)).toHaveLength(1);
    expect(doubts(watch, ...right)).toEqual([]);
  });

  it("agree with trying every number, as all does", () => {
    const op = fc.constantFrom("above", "below", "at_least", "at_most", "equals", "not_equals");
    const term = fc.record({ op, limit: fc.integer({ min: 1, max: 4 }) });
    const holds = (one: { op: string; limit: number }, value: number): boolean => {
      const { limit } = one;
      if (one.op === "above") return value > limit;
      if (one.op === "below") return value < limit;
      if (one.op === "at_least") return value >= limit;
      if (one.op === "at_most") return value <= limit;
      return (value === limit) === (one.op === "equals");
    };
    // Limits are whole, so that halves between them stand for everything between.
    const values = Array.from({ length: 12 }, (_, i) => i / 2);
    fc.assert(
      fc.property(fc.array(term, { minLength: 2, maxLength: 4 }), (terms) => {
        const texts = terms.map((one) => `tvl_usd, ${one.op}: ${one.limit}`);
        const never = values.every((value) => !terms.every((one) => holds(one, value)));
        const always = values.every((value) => terms.some((one) => holds(one, value)));
        expect(errors({ ...pool, when: group("all", ...texts) }).length > 0).toBe(never);
        const said = doubts(pool, ...texts).some((line) =>
          line.includes("for every value of tvl_usd"),
        );
        expect(said).toBe(always);
      }),
      { numRuns: propertyRuns(150) },
    );
  });
});

describe("limits that a metric never reaches", () => {
  const doubts = (when: string) =>
    warned(ruleText({ ...position, when })).map((line) => line.replace(/^.*?: /, ""));

  it.each([
    ["{metric: current_tick, above: 887272}", "never", "{metric: current_tick, at_least: 887272}"],
    ["{metric: current_tick, below: -887272}", "never", "{metric: current_tick, below: -887271}"],
    [
      "{metric: current_tick, at_most: 900000}",
      "always",
      "{metric: current_tick, at_most: 887271}",
    ],
    [
      "{metric: current_tick, inside: [900000, 900001]}",
      "never",
      "{metric: current_tick, inside: [887272, 900001]}",
    ],
    ["{metric: current_tick, equals: -887273}", "never", "{metric: current_tick, equals: -887272}"],
    [
      "{metric: token0_share, inside: [0%, 100%]}",
      "always",
      "{metric: token0_share, inside: [1%, 100%]}",
    ],
    ["{metric: value_usd, inside: [0, 0]}", null, "{metric: value_usd, outside: [0, 5]}"],
    ["{metric: ticks_to_edge, equals: 0}", "never", "{metric: ticks_to_edge, equals: 1}"],
    ["{metric: ticks_to_edge, not_equals: 0}", "always", "{metric: ticks_to_edge, not_equals: -1}"],
    ["{metric: ticks_to_edge, equals: 1.5}", "never", "{metric: ticks_to_edge, below: 1.5}"],
    ["{metric: pct_to_edge, equals: 0%}", "never", "{metric: pct_to_edge, equals: 0.01%}"],
    [
      "{metric: pct_to_edge, inside: [-0.009%, 0.009%]}",
      "never",
      "{metric: pct_to_edge, inside: [-0.01%, 0.009%]}",
    ],
    ["{metric: range_position, above: 1.5}", null, "{metric: range_position, below: -0.5}"],
  ])("%s is %s true, and %s may be", (wrong, outcome, right) => {
    const said = doubts(wrong).map((line) => /" is (always|never) true/.exec(line)?.[1]);
    expect(said).toEqual(outcome === null ? [] : [outcome]);
    expect(doubts(right)).toEqual([]);
  });

  it("are said of crossings and changes, with what there is", () => {
    expect(doubts("{metric: current_tick, crosses: 887273}")).toEqual([
      '"current_tick crosses 887273" is never true, expected a number from -887272 to 887272 [never-true]',
    ]);
    expect(doubts("{metric: ticks_to_edge, equals: 0}")).toEqual([
      '"ticks_to_edge equals 0" is never true, expected a number from -1774545 to 1774545, and never 0 [never-true]',
    ]);
    expect(doubts("{metric: current_tick, crosses: 887272}")).toEqual([]);
    expect(doubts("{metric: current_tick, moves: 1774545, within: 1h}")).toHaveLength(1);
    expect(doubts("{metric: current_tick, moves: 1774544, within: 1h}")).toEqual([]);
  });
});
