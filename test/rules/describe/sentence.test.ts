import { describe, expect, it } from "vitest";
import { KINDS } from "../../../src/kinds/index.ts";
import type { Description } from "../../../src/kinds/kind.ts";
import { describeRule } from "../../../src/rules/describe/sentence.ts";
import { one, POOL, read, ruleText } from "../../config/rules-text.ts";

const metricsOf = (kind: string) => KINDS.get(kind)?.metrics ?? new Map();

/** What is said of the rule with these keys beside `notify: lp-slack`. */
function sentence(
  keys: Readonly<Record<string, string>>,
  description: Description | null = null,
): string {
  const rule = one(ruleText({ notify: "lp-slack", ...keys }));
  const bucketMs = KINDS.get(rule.kind)?.bucketMs ?? null;
  return describeRule(rule, { metrics: metricsOf(rule.kind), description, bucketMs });
}

const POSITION =
  "{kind: v4_position, chain: 1, protocol: dexa, positions: [{id: 42, name: Treasury ETH/USDC}]}";
const NAMED_POOL = `{kind: v4_pool, chain: 1, pools: [{id: ${POOL}, name: ETH/USDC 0.05%}]}`;
const TOKEN = "0x00000000eFE302BEAA2b3e6e1b18d08D69a9012a";
const AUSD = `{id: ${TOKEN}, name: AUSD, decimals: 6}`;
const SIX = `{kind: token_supply, chain: [1, 137, 143, 13371, 43114, 747474], token: ${AUSD}}`;

describe("the sentence of a rule", () => {
  it.each<[Record<string, string>, string]>([
    [
      { resolve_when: "{below: 4 gwei}" },
      "Tells lp-slack when Ethereum's tip (top 10%) is above 5 gwei; over when below 4 gwei",
    ],
    [
      { notify: "[lp-slack, console]", for: "90m" },
      "Tells lp-slack and console when Ethereum's tip (top 10%) has been above 5 gwei for 1 hour 30 minutes",
    ],
    [
      { when: "{metric: tip_top10, below: 0.0001 gwei}" },
      "Tells lp-slack when Ethereum's tip (top 10%) is below 0.0001 gwei",
    ],
    [
      { watch: NAMED_POOL, when: "{metric: fee, above: 4bps}" },
      "Tells lp-slack when the fee of ETH/USDC 0.05% is above 4 bps",
    ],
    [
      { notify: "[]" },
      "Tells nobody: only watches whether Ethereum's tip (top 10%) is above 5 gwei",
    ],
    [
      { watch: POSITION, when: "{metric: in_range, equals: false}", for: "5m" },
      "Tells lp-slack when Treasury ETH/USDC has been out of range for 5 minutes",
    ],
    [
      { when: "{metric: tip_top10, below: 300% of p50, within: 7d}" },
      "Tells lp-slack when Ethereum's tip (top 10%) is below 300% of p50 of the last 7 days",
    ],
    [
      { watch: NAMED_POOL, when: "{metric: tvl_usd, outside: [p5, p95], within: 1d}" },
      "Tells lp-slack when TVL of ETH/USDC 0.05% is outside p5 to p95 of the last day",
    ],
    [
      { watch: NAMED_POOL, when: "{metric: tvl_usd, unchanged: 90m}" },
      "Tells lp-slack when TVL of ETH/USDC 0.05% stays the same for 1 hour 30 minutes",
    ],
    [
      { watch: NAMED_POOL, when: "{no_update_for: 1h}" },
      "Tells lp-slack when the last change of ETH/USDC 0.05% is older than 1 hour",
    ],
    [
      {
        watch: POSITION,
        when: "{metric: in_range, not_equals: true}",
        resolve_after: "1h",
        send_resolved: "false",
      },
      "Tells lp-slack when Treasury ETH/USDC is out of range; over after 1 hour without that; says nothing when it is over",
    ],
    [
      {
        watch: POSITION,
        when: "{all: [{metric: in_range, equals: true}, {metric: pct_to_edge, below: 1%}]}",
        resolve_when: "{metric: pct_to_edge, above: 1.5%}",
      },
      "Tells lp-slack when Treasury ETH/USDC is in range and its distance to the edge is below 1%; over when its distance to the edge is above 1.5%",
    ],
    [
      { watch: POSITION, when: "{not: {metric: closed, equals: false}}" },
      "Tells lp-slack when Treasury ETH/USDC is closed",
    ],
    [
      {
        watch: POSITION,
        when: "{all: [{metric: in_range, changes: true}, {metric: in_range, equals: true}]}",
      },
      "Tells lp-slack when it changes whether Treasury ETH/USDC is in range and it is in range",
    ],
    [
      { watch: POSITION, when: "{metric: owner_address, changes: true}" },
      "Tells lp-slack when the owner address of Treasury ETH/USDC changes",
    ],
    [
      { watch: POSITION, when: "{metric: side, equals: below}", for: "1m" },
      'Tells lp-slack when the side of Treasury ETH/USDC has been "below" for 1 minute',
    ],
    [
      { watch: POSITION, when: "{metric: current_tick, moves: 200, within: 1h}" },
      "Tells lp-slack when the tick of Treasury ETH/USDC moves 200 ticks within 1 h; again with each further 200 ticks",
    ],
    [
      {
        watch: NAMED_POOL,
        when: "{all: [{metric: tvl_usd, falls: 10%, within: 1h}, {metric: tvl_usd, falls: 50_000 usd, since: 3d}]}",
        for: "2m",
      },
      "Tells lp-slack when for 2 minutes TVL of ETH/USDC 0.05% falls 10% within 1 h and falls $50,000 against 3 d before; again with each further 10%",
    ],
    [
      {
        watch: NAMED_POOL,
        when: "{metric: price, outside: [2050, 2250.5]}",
        for: "3m",
        resolve_when: "{inside: [2060, 2240]}",
        resolve_after: "5m",
      },
      "Tells lp-slack when the price of ETH/USDC 0.05% has been outside 2,050 to 2,250.5 for 3 minutes; over when inside 2,060 to 2,240 for 5 minutes",
    ],
    [
      {
        watch: NAMED_POOL,
        when: "{any: [{not: {metric: tvl_usd, at_most: 1234567.89 usd}}, {all: [{metric: swap_count, rises: 5, since: last}, {not: {metric: price, falls: 25 bps, within: 1h}}]}]}",
      },
      "Tells lp-slack when TVL of ETH/USDC 0.05% is not at most $1,234,567.89 or (its number of swaps rises 5 against the last value and its price does not fall 25bps within 1 h)",
    ],
    [
      {
        watch: NAMED_POOL,
        when: "{not: {all: [{metric: fee, equals: 0.05%}, {metric: collected_fees_usd, above: 5 usd}]}}",
      },
      "Tells lp-slack when it is not so that (the fee of ETH/USDC 0.05% is 0.05% and its lifetime fees are above $5)",
    ],
    [
      {
        watch: `{kind: v4_pool, chain: 1, pools: [${POOL}]}`,
        when: "{metric: pool_id, not_equals: x}",
      },
      'Tells lp-slack when the pool id of pool 0x21c67e…ca27 on Ethereum is not "x"',
    ],
    [
      {
        watch: SIX,
        across: "sum",
        when: "{metric: total_supply, moves: 5M tokens, since: 24h}",
        send_resolved: "false",
      },
      "Tells lp-slack when the sum of the supply of AUSD on 6 chains (Ethereum, Polygon, Monad and 3 more) moves 5,000,000 AUSD against 24 h before; says nothing when it is over; again with each further 5,000,000 AUSD",
    ],
    [
      { watch: SIX, across: "min", when: "{metric: total_supply, below: 1 raw}", for: "1h" },
      "Tells lp-slack when the lowest supply of AUSD on 6 chains (Ethereum, Polygon, Monad and 3 more) has been below 0.000001 AUSD for 1 hour",
    ],
    [
      {
        watch: `{kind: token_balance, chain: 1, token: ${AUSD}, wallet: {id: ${TOKEN}, name: Treasury}}`,
        when: "{metric: balance, crosses: 4M tokens}",
      },
      "Tells lp-slack when the balance of Treasury (AUSD) on Ethereum crosses 4,000,000 tokens",
    ],
    [
      {
        watch: `{kind: token_balance, chain: 137, token: ${TOKEN}, wallet: ${TOKEN}}`,
        when: "{metric: balance, above: 7 raw}",
      },
      "Tells lp-slack when the balance of 0x000000…012a (token 0x000000…012a) on Polygon is above 7 raw units",
    ],
    [
      {
        watch: `{kind: holder_count, chain: 43114, token: ${AUSD}}`,
        when: "{metric: holder_count, falls: 1%, within: 1h}",
      },
      "Tells lp-slack when the number of holders of AUSD on Avalanche falls 1% within 1 h; again with each further 1%",
    ],
    [
      {
        watch: `{kind: holder_count, chain: 1, token: [${TOKEN}, ${AUSD.replace("00000000", "00000001")}]}`,
        when: "{metric: holder_count, below: 5}",
      },
      "Tells lp-slack when the number of holders of any of 2 tokens (token 0x000000…012a, AUSD) is below 5",
    ],
    [
      {
        watch: "{kind: gas, chain: [ethereum, polygon]}",
        when: "{metric: utilization, above: 95%}",
      },
      "Tells lp-slack when the utilization of any of 2 chains (Ethereum, Polygon) is above 95%",
    ],
    [
      {
        watch:
          "{kind: v4_position, protocol: dexa, positions: [{id: 1, chain: 1, name: A}, {id: 2, chain: base, name: B on Base}, {id: 3, chain: 1}, {id: 4, chain: 1}]}",
        when: "{metric: in_range, equals: false}",
        for: "30s",
      },
      "Tells lp-slack when any of 4 positions (A, B on Base, position #3 on Ethereum and 1 more) has been out of range for 30 seconds",
    ],
  ])("with %j", (keys, expected) => {
    expect(sentence(keys)).toBe(expected);
  });

  it.each<[Record<string, string>, string]>([
    [{ remind: "1h" }, "; reminds every hour while it lasts"],
    [{ remind: "90m" }, "; reminds every 1 hour 30 minutes while it lasts"],
    [
      { remind: "[1h, 6h, 1d]" },
      "; reminds after 1 hour, then 6 hours, then every day while it lasts",
    ],
    [{ cooldown: "2h" }, "; at most once in 2 hours"],
    [{ once: "true" }, "; only once, until it is rearmed or edited"],
    [{ worse_by: "2 gwei" }, "; again with each further 2 gwei"],
    [{ worse_by: "20%" }, "; again with each further 20% of the limit"],
    [{ on_missing: "fire" }, "; fires after 5 minutes without data as well"],
    [{ on_missing: "fire", missing_after: "2h" }, "; fires after 2 hours without data as well"],
    [{ missing_after: "2h" }, "; says so after 2 hours without data"],
    [{ missing_after: "5m", on_missing: "keep", send_resolved: "true" }, ""],
    [{ bucket: "complete" }, "; looks at each hour once it is over"],
    [{ min_age: "10m" }, "; counts the running hour once 10 minutes of it are over"],
    [{ min_age: "0s" }, "; counts the running hour from its beginning"],
    [{ max_age: "3h" }, "; has no data once the last hour is over for 3 hours"],
    [{ min_age: "5m", max_age: "2h", bucket: "newest" }, ""],
    [{ only_while: "g", any_chain: "true" }, "; only while g fires on any chain"],
    [{ only_while: "[g, h]", unless: "i" }, "; only while g and h fire; waits while i fires"],
    [{ send_resolved: "false" }, "; says nothing when it is over"],
  ])("says what %j does", (keys, expected) => {
    const gates = ["g", "h", "i"]
      .map((name) => ruleText({ name }).replace("rules:\n", ""))
      .join("");
    const text = ruleText({ notify: "lp-slack", ...keys });
    const [rule] = read(`${text}${"only_while" in keys ? gates : ""}`).rules;
    if (rule === undefined) throw new Error("no rule");
    const bucketMs = KINDS.get("gas")?.bucketMs ?? null;
    expect(describeRule(rule, { metrics: metricsOf("gas"), bucketMs })).toBe(
      `Tells lp-slack when Ethereum's tip (top 10%) is above 5 gwei${expected}`,
    );
  });

  it("speaks of a share that grows worse in points, and of its resolution in order", () => {
    expect(
      sentence({
        watch: "{kind: gas, chain: ethereum}",
        when: "{metric: utilization, above: 80%}",
        worse_by: "5%",
        resolve_when: "{below: 70%}",
        remind: "1d",
      }),
    ).toBe(
      "Tells lp-slack when Ethereum's utilization is above 80%; over when below 70%; again with each further 5 points; reminds every day while it lasts",
    );
  });

  it("leaves out what is told again where nobody is told", () => {
    expect(sentence({ notify: "[]", remind: "1h", cooldown: "2h", send_resolved: "false" })).toBe(
      "Tells nobody: only watches whether Ethereum's tip (top 10%) is above 5 gwei",
    );
  });

  const SWAPS = `{kind: v4_swaps, chain: 1, pools: [{id: ${POOL}, name: ETH/USDC}]}`;
  const TOP = `{kind: holders, chain: 1, token: ${AUSD}, top: 10}`;

  it.each<[Record<string, string>, string]>([
    [
      { watch: SWAPS, when: "{metric: amount_usd, above: 500_000}", cooldown: "10m" },
      "Tells lp-slack of each swap in ETH/USDC on Ethereum whose value is above $500,000; at most once in 10 minutes",
    ],
    [
      {
        watch: SWAPS,
        when: "{all: [{metric: amount_usd, above: 5}, {any: [{metric: direction, equals: token0_in}, {metric: amount0_abs, above: 7 raw}]}]}",
        notify: "[]",
      },
      'Tells nobody: only watches each swap in ETH/USDC on Ethereum whose value is above $5 and (whose direction is "token0_in" or whose amount of token0 is above 7 raw units)',
    ],
    [
      {
        watch: SWAPS.replace("v4_swaps", "v4_liquidity"),
        when: "{metric: removed_share, above: 20%}",
      },
      "Tells lp-slack of each change of liquidity in ETH/USDC on Ethereum whose removed share of the active liquidity is above 20%",
    ],
    [
      { watch: TOP, when: "{metric: entered, equals: true}" },
      "Tells lp-slack of each wallet that enters the top 10 holders of AUSD on Ethereum",
    ],
    [
      { watch: TOP, when: "{metric: balance, above: 5M tokens}" },
      "Tells lp-slack of each wallet among the top 10 holders of AUSD on Ethereum whose balance is above 5,000,000 AUSD",
    ],
    [
      {
        watch: TOP,
        when: "{any: [{metric: entered, equals: true}, {metric: left, equals: true}]}",
      },
      "Tells lp-slack of each wallet that enters the top 10 holders of AUSD on Ethereum or that leaves the top 10 holders of AUSD on Ethereum",
    ],
  ])("speaks of entries: %j", (keys, expected) => {
    expect(sentence(keys)).toBe(expected);
  });

  it("says of the daemon's own endpoints that they are down", () => {
    expect(
      sentence({
        watch: "{kind: source, endpoints: [supply, v4_pool]}",
        when: "{metric: up, equals: false}",
        for: "5m",
      }),
    ).toBe("Tells lp-slack when any of 2 endpoints (supply, v4_pool) has been down for 5 minutes");
  });

  it("counts channels and keeps hostile names harmless", () => {
    const channels = ["a", "b", "c", "d", "e", "f"];
    const rule = one(ruleText(), { watches: KINDS, channels });
    expect(describeRule(rule, { metrics: metricsOf("gas") })).toMatch(
      /^Tells a, b, c, d and 2 more when /,
    );
    const watch = `{kind: v4_pool, chain: 1, pools: [{id: ${POOL}, name: "a\\u202e\\u001b[31mb"}]}`;
    expect(sentence({ watch, when: "{metric: tvl_usd, above: 1 usd}" })).toBe(
      "Tells lp-slack when TVL of a[31mb is above $1",
    );
  });

  it("knows units and ranges once the chain was asked", () => {
    const description: Description = {
      label: "Treasury ETH/USDC",
      chain: "Ethereum",
      link: null,
      range: {
        lower: "2,050",
        upper: "2,250",
        price: "2,310",
        unit: "USDC per ETH",
        inverted: false,
        lowerTick: 0,
        upperTick: 1,
        tick: 0,
      },
      unit: () => "USDC per ETH",
    };
    const range = { watch: POSITION, when: "{metric: in_range, equals: false}", for: "5m" };
    expect(sentence(range, description)).toBe(
      "Tells lp-slack when Treasury ETH/USDC has been outside 2,050 to 2,250 USDC per ETH for 5 minutes",
    );
    const price = { watch: NAMED_POOL, when: "{metric: price, inside: [2050, 2250]}" };
    expect(sentence(price, { ...description, range: null })).toBe(
      "Tells lp-slack when the price of ETH/USDC 0.05% is inside 2,050 to 2,250 USDC per ETH",
    );
  });
});
