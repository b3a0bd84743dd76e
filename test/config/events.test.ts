import { describe, expect, it } from "vitest";
import { one, POOL, ruleText, said, warned } from "./rules-text.ts";

const LEVEL = "{metric: tvl_usd, above: 1M usd}";
const EVENT = "{metric: tvl_usd, crosses: 1M usd}";
const pool = (when: string, keys: Readonly<Record<string, string>> = {}) =>
  ruleText({ watch: `{kind: v4_pool, chain: 1, pools: [${POOL}]}`, when, ...keys });

describe("an event", () => {
  it("is changes of anything, or crosses of a number", () => {
    expect(one(pool("{metric: fee, changes: true}"))).toMatchObject({
      event: true,
      when: { op: "changes", metric: "fee" },
    });
    expect(one(pool("{metric: pool_id, changes: true}")).event).toBe(true);
    expect(one(pool(EVENT))).toMatchObject({
      event: true,
      when: { op: "crosses", limit: { text: "1M usd" } },
    });
    expect(one(pool(LEVEL)).event).toBe(false);
  });

  it("is filtered by what holds beside it, and may be one of several events", () => {
    expect(one(pool(`{all: [${EVENT}, ${LEVEL}]}`)).event).toBe(true);
    expect(one(pool(`{any: [${EVENT}, {metric: fee, changes: true}]}`)).event).toBe(true);
    expect(one(pool(`{any: [${EVENT}, {all: [${LEVEL}, ${EVENT}]}]}`)).event).toBe(true);
    expect(one(pool(`{all: [${EVENT}, {any: [${LEVEL}, {not: ${LEVEL}}]}]}`)).event).toBe(true);
  });

  it.each([
    [
      "{metric: tvl_usd, changes: false}",
      "rules.yaml:4:38: changes is false, expected changes: true; how far is said by rises, falls or moves",
    ],
    ["{metric: tvl_usd, changes: 10%}", 'changes is "10%", expected changes: true'],
    ["{metric: pool_id, crosses: 5}", "pool_id is not a number: crosses does not fit it"],
    ["{metric: tvl_usd, crosses: 5 gwei}", '"5 gwei" does not fit tvl_usd'],
    ["{metric: tvl_usd, crosses: 5, within: 1h}", "within does not belong to crosses"],
    [`{not: ${EVENT}}`, "rules.yaml:4:12: not cannot hold an event (changes or crosses)"],
    [
      `{any: [${EVENT}, ${LEVEL}]}`,
      "rules.yaml:4:54: any cannot mix events (changes, crosses) with lasting conditions, expected two rules",
    ],
    [`{all: [${LEVEL}, {any: [${LEVEL}, ${EVENT}]}]}`, "any cannot mix events"],
  ])("as %s is refused", (when, message) => {
    const problems = said(pool(when));
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(message);
  });

  it.each(["for", "resolve_after"])("has no %s", (key) => {
    expect(said(pool(EVENT, { [key]: "5m" }))).toEqual([
      `rules.yaml:5:5: ${key} does not belong to a rule with changes or crosses: an event is over at once [not-for-events]`,
    ]);
  });

  it("has no resolve_when and resolves nothing", () => {
    expect(said(pool(EVENT, { resolve_when: "{below: 5 usd}" }))).toEqual([
      "rules.yaml:5:5: resolve_when does not belong to a rule with changes or crosses: an event is over at once [not-for-events]",
    ]);
    expect(said(pool(LEVEL, { resolve_when: "{crosses: 5 usd}" }))).toEqual([
      "rules.yaml:5:19: resolve_when cannot hold an event (changes or crosses), expected a condition that holds for a while, such as below: 4 gwei [not-for-events]",
    ]);
  });

  it("warns of send_resolved", () => {
    expect(warned(pool(EVENT, { send_resolved: "false" }))).toEqual([
      "rules.yaml:5:5: send_resolved has no effect with changes or crosses: an event never resolves [not-for-events]",
    ]);
  });

  it("of a range does not dance on the edge", () => {
    const watch = "{kind: v4_position, chain: 1, protocol: dexa, positions: [42]}";
    expect(warned(ruleText({ watch, when: "{metric: in_range, changes: true}" }))).toEqual([]);
  });
});

const TWO = `{kind: v4_pool, chain: [1, 137], pools: [${POOL}]}`;
const across = (metric: string, how: string, watch = TWO) =>
  ruleText({ watch, when: `{metric: ${metric}, changes: true}`, across: how });

describe("across", () => {
  it("is sum, min or max", () => {
    for (const how of ["sum", "min", "max"]) {
      expect(one(across("tvl_usd", how)).across).toBe(how);
    }
    expect(one(pool(LEVEL)).across).toBeNull();
    expect(said(across("tvl_usd", "avg"))).toEqual([
      'rules.yaml:5:13: across "avg" is not known, expected sum, min or max [unknown-word]',
    ]);
  });

  it.each([
    ["price", "price has no sum: prices cannot be added, expected min or max"],
    ["current_tick", "ticks cannot be added"],
    ["fee", "fees cannot be added"],
    ["timestamp", "times cannot be added"],
  ])("adds up no %s", (metric, message) => {
    expect(said(across(metric, "sum"))[0]).toContain(message);
    expect(said(across(metric, "max"))).toEqual([]);
  });

  it("needs numbers, also those of the resolution", () => {
    expect(said(across("pool_id", "max"))).toEqual([
      "rules.yaml:5:13: max needs numbers, and pool_id is not one, expected no across here [bad-across]",
    ]);
    const resolve = "{metric: price, below: 5}";
    const text = ruleText({ watch: TWO, when: LEVEL, across: "sum", resolve_when: resolve });
    expect(said(text)[0]).toContain("price has no sum");
  });

  it("does not mix raw units of different tokens", () => {
    expect(said(across("amount0", "min"))).toEqual([
      "rules.yaml:5:13: min would mix the raw units of different tokens in amount0, expected amount0_d, which counts whole tokens [bad-across]",
    ]);
    const id = (byte: string) => `0x${byte.repeat(20)}`;
    const supply = (decimals: string) =>
      across(
        "total_supply",
        "sum",
        `{kind: token_supply, chain: 1, decimals: 6, token: [${id("aa")}, {id: ${id("bb")}${decimals}}]}`,
      );
    expect(said(supply(", decimals: 18"))).toEqual([
      "rules.yaml:5:13: sum would mix raw units of tokens with different decimals, expected subjects whose decimals: are the same [bad-across]",
    ]);
    expect(said(supply(""))).toEqual([]);
  });

  it("of a single subject is a warning", () => {
    expect(warned(pool(LEVEL, { across: "sum" }))).toEqual([
      "rules.yaml:5:13: sum of a single subject is its value [no-effect]",
    ]);
  });
});

describe("the canonical text", () => {
  it("changes with across, decimals and events", () => {
    const token = "0x00000000eFE302BEAA2b3e6e1b18d08D69a9012a";
    const supply = (watch: string, keys: Readonly<Record<string, string>> = {}) =>
      one(
        ruleText({
          watch: `{kind: token_supply, chain: [1, 137], token: ${token}${watch}}`,
          when: "{metric: total_supply, crosses: 5000000 raw}",
          ...keys,
        }),
      ).source;
    const variants = [
      supply(""),
      supply("", { across: "sum" }),
      supply("", { across: "max" }),
      supply(", decimals: 6"),
      supply(", decimals: 18"),
      supply("", { when: "{metric: total_supply, crosses: 5000001 raw}" }),
      supply("", { when: "{metric: total_supply, above: 5000000 raw}" }),
      supply("", { when: "{metric: total_supply, changes: true}" }),
    ];
    expect(new Set(variants).size).toBe(variants.length);
  });
});
