import { describe, expect, it } from "vitest";
import { suggestDuration } from "../../src/base/duration.ts";
import { printed, read, ruleText } from "./rules-text.ts";

const TOKEN = "0x00000000efe302beaa2b3e6e1b18d08d69a9012a";
const POOL = `0x${"ab".repeat(32)}`;
const pool = { watch: `{kind: v4_pool, chain: 1, pools: [${POOL}]}` };
const supply = { watch: `{kind: token_supply, chain: 1, token: ${TOKEN}, decimals: 6}` };
const position = { watch: "{kind: v4_position, chain: 1, protocol: dexa, positions: [42]}" };

/** What is wrong with a rule: place and suggestion of each problem, `-` without one. */
function suggested(text: string): readonly string[] {
  return printed(text).map((problem) => {
    const [first = ""] = problem.split("\n");
    const [, place = "", rest = ""] = /^rules\.yaml:(\d+:\d+): (.*)$/.exec(first) ?? [];
    return `${place} ${/did you mean `?(.*?)`?\? \[/.exec(rest)?.[1] ?? "-"}`;
  });
}

type Keys = Readonly<Record<string, string | null>>;

describe("what a newcomer writes", () => {
  it.each<[string, Keys, readonly string[]]>([
    ["mainnet", { watch: "{kind: gas, chain: mainnet}" }, ["3:31 ethereum"]],
    [
      "short chains",
      { watch: "{kind: gas, chain: [eth, matic, avax, OP, bsc]}" },
      ["3:32 ethereum", "3:37 polygon", "3:44 avalanche", "3:50 optimism", "3:54 bnb"],
    ],
    ["chains", { watch: "{kind: gas, chains: [ethereum]}" }, ["3:24 chain"]],
    ["chain_id", { watch: "{kind: gas, chain_id: 1}" }, ["3:24 chain"]],
    ["network", { watch: "{kind: gas, network: ethereum}" }, ["3:24 chain"]],
    ["type", { watch: "{type: gas, chain: ethereum}" }, ["3:13 kind"]],
    [
      "a pool",
      { watch: `{kind: v4_pool, chain: 1, pool: ${POOL}}`, when: "{metric: tvl_usd, below: 1}" },
      ["3:38 pools"],
    ],
    [
      "the TVL of another kind",
      {
        watch: `{kind: v3_pool, chain: 1, pools: ["0x${"ab".repeat(20)}"]}`,
        when: "{metric: tvl_usd, below: 1}",
      },
      ["4:20 total_value_locked_usd"],
    ],
    [
      "the TVL of the other one",
      { ...pool, when: "{metric: total_value_locked_usd, below: 1}" },
      ["4:20 tvl_usd"],
    ],
    [
      "an address",
      {
        watch: `{kind: token_supply, chain: 1, address: ${TOKEN}}`,
        when: "{metric: total_supply, above: 5 raw}",
      },
      ["3:43 token"],
    ],
    ["the kind pool", { watch: "{kind: pool}" }, ["3:19 v4_pool"]],
    ["the kind position", { watch: "{kind: position}" }, ["3:19 v4_position"]],
    ["the kind balance", { watch: "{kind: balance}" }, ["3:19 token_balance"]],
    ["if", { when: null, if: "{metric: tip_top10, above: 5 gwei}" }, ["4:5 when"]],
    ["condition", { when: null, condition: "{metric: tip_top10, above: 5 gwei}" }, ["4:5 when"]],
    ["alert", { when: null, alert: "{metric: tip_top10, above: 5 gwei}" }, ["4:5 when"]],
    ["expr", { when: null, expr: "tip_top10 > 5 gwei" }, ["4:5 when"]],
    [
      "target",
      { watch: null, when: null, target: "{kind: gas}", trigger: "{}" },
      ["3:5 watch", "4:5 when"],
    ],
    ["channel", { channel: "console" }, ["5:5 notify"]],
    ["channels", { channels: "[console]" }, ["5:5 notify"]],
    ["send_to", { send_to: "console" }, ["5:5 notify"]],
    ["every", { every: "5m" }, ["5:5 schedule"]],
    ["interval", { interval: "5m" }, ["5:5 schedule"]],
    ["message", { message: "hi" }, ["5:5 note or title"]],
    ["disabled", { disabled: "true" }, ["5:5 enabled: false"]],
    ["resolve", { resolve: "{below: 4 gwei}" }, ["5:5 resolve_when"]],
    ["repeat", { repeat: "1h" }, ["5:5 remind"]],
    ["throttle", { throttle: "1h" }, ["5:5 cooldown"]],
    ["severity high", { severity: "high" }, ["5:15 critical"]],
    ["severity error", { severity: "error" }, ["5:15 critical"]],
    ["severity Info", { severity: "Info" }, ["5:15 info"]],
    ["severity low", { severity: "low" }, ["5:15 info"]],
    ["severity warn", { severity: "warn" }, ["5:15 warning"]],
    [">", { when: "{metric: tip_top10, '>': 5 gwei}" }, ["4:31 above"]],
    ["> without quotes", { when: "{metric: tip_top10, >: 5 gwei}" }, ["4:31 above"]],
    [">= without quotes", { when: "{metric: tip_top10, >=: 5 gwei}" }, ["4:31 at_least"]],
    ["<", { when: "{metric: tip_top10, <: 5 gwei}" }, ["4:31 below"]],
    ["gt", { when: "{metric: tip_top10, gt: 5 gwei}" }, ["4:31 above"]],
    ["less_than", { when: "{metric: tip_top10, less_than: 5 gwei}" }, ["4:31 below"]],
    ["==", { when: "{metric: tip_top10, ==: 5 gwei}" }, ["4:31 equals"]],
    ["!=", { ...position, when: "{metric: in_range, '!=': true}" }, ["4:30 not_equals"]],
    [
      "op and value",
      { when: "{metric: tip_top10, op: '>', value: 5 gwei}" },
      ["4:31 above: 5 gwei"],
    ],
    ["a text", { when: "tip_top10 > 5 gwei" }, ["4:11 {metric: tip_top10, above: 5 gwei}"]],
    ["a list", { when: "[{metric: tip_top10, above: 5 gwei}]" }, ["4:11 all: […] or any: […]"]],
    ["and", { when: "{and: [{metric: tip_top10, above: 5 gwei}]}" }, ["4:12 all"]],
    ["the metric as a key", { when: "{tip_top10: {above: 5 gwei}}" }, ["4:12 metric: tip_top10"]],
    ["field", { when: "{field: tip_top10, above: 5 gwei}" }, ["4:12 metric"]],
    [
      "drops in",
      { ...pool, when: "{metric: tvl_usd, drops: 10%, in: 1h}" },
      ["4:29 falls", "4:41 within"],
    ],
    [
      "over of a change",
      { ...pool, when: "{metric: tvl_usd, falls: 10%, over: 1h}" },
      ["4:41 within"],
    ],
    ["over of a value", { ...pool, when: "{metric: tvl_usd, over: 1h}" }, ["4:29 above"]],
    [
      "changes by",
      { ...pool, when: "{metric: tvl_usd, changes: 10%, within: 1h}" },
      ["4:29 moves: 10%"],
    ],
    ["tvl", { ...pool, when: "{metric: tvl, below: 5}" }, ["4:20 tvl_usd"]],
    ["tick", { ...pool, when: "{metric: tick, below: 5}" }, ["4:20 current_tick"]],
    ["base fee", { when: "{metric: base_fee, below: 5 gwei}" }, ["4:20 avg_base_fee"]],
    [
      "out of range",
      { ...position, when: "{metric: out_of_range, equals: true}" },
      ["4:20 in_range"],
    ],
    [
      "a symbol of a supply",
      { ...supply, when: "{metric: total_supply, above: 5 USDC}" },
      ["4:41 5 tokens"],
    ],
    [
      "a multiple and a symbol",
      { ...supply, when: "{metric: total_supply, moves: 5M AUSD, since: 24h}" },
      ["4:41 5M tokens"],
    ],
    [
      "million tokens",
      { ...supply, when: "{metric: total_supply, above: 5 million tokens}" },
      ["4:41 5M tokens"],
    ],
    [
      "dollars of a supply",
      { ...supply, when: "{metric: total_supply, above: 5 usd}" },
      ["4:41 -"],
    ],
    [
      "a stablecoin of dollars",
      { ...pool, when: "{metric: tvl_usd, above: 5 USDC}" },
      ["4:36 5 usd"],
    ],
    [
      "million dollars",
      { ...pool, when: "{metric: tvl_usd, above: 5 million dollars}" },
      ["4:36 5M usd"],
    ],
    ["gwei of dollars", { ...pool, when: "{metric: tvl_usd, above: 5 gwei}" }, ["4:36 -"]],
    ["euros", { ...pool, when: "{metric: tvl_usd, above: 5 EUR}" }, ["4:36 -"]],
    [
      "percent in a word",
      { ...pool, when: "{metric: tvl_usd, falls: 10 percent, within: 1h}" },
      ["4:36 10%"],
    ],
    ["a comma", { ...pool, when: '{metric: tvl_usd, below: "1,000"}' }, ["4:36 1.000 or 1_000"]],
    ["5min", { for: "5min" }, ["5:10 5m"]],
    ["5 minutes", { for: "5 minutes" }, ["5:10 5m"]],
    [
      "1 hour in a window",
      { ...pool, when: "{metric: tvl_usd, falls: 10%, within: 1 hour}" },
      ["4:49 1h"],
    ],
    ["every 5 minutes", { schedule: "every 5 minutes" }, ["5:15 5m"]],
    ["@hourly", { schedule: '"@hourly"' }, ["5:15 1h"]],
    ["every 7 minutes, which is no schedule", { schedule: "every 7 minutes" }, ["5:15 -"]],
    ["daily", { remind: "daily" }, ["5:13 1d"]],
    ["gaps without brackets", { remind: "1h, 6h,1d" }, ["5:13 [1h, 6h, 1d]"]],
    ["a gap in two parts", { remind: "1h, 30m" }, ["5:13 [1h, 30m]"]],
    ["no gaps", { remind: "1h, soon" }, ["5:13 -"]],
    [
      "everything at once",
      {
        watch: "{kind: gas, chain: mainnet}",
        when: "{metric: tip_top1, gt: 5 gwei}",
        severity: "high",
        for: "5min",
        channel: "x",
      },
      ["3:31 ethereum", "4:20 tip_top5", "4:30 above", "5:15 critical", "6:10 5m", "7:5 notify"],
    ],
  ])("%s: is told once, at its place, with what to write", (_name, keys, expected) => {
    expect(suggested(ruleText(keys))).toEqual(expected);
  });

  it("10 % and GWEI are understood as they stand", () => {
    expect(
      read(ruleText({ ...pool, when: "{metric: tvl_usd, falls: 10 %, within: 1h}" })).rules,
    ).toHaveLength(1);
    expect(read(ruleText({ when: "{metric: tip_top10, above: 5 GWEI}" })).rules).toHaveLength(1);
  });

  it("is never taken for a name that only objects of the program have", () => {
    for (const word of ["constructor", "toString", "hasOwnProperty"]) {
      expect(suggested(ruleText({ watch: `{kind: gas, chain: ${word}}` }))).toEqual(["3:31 -"]);
      expect(suggested(ruleText({ severity: word }))).toEqual(["5:15 -"]);
      expect(suggested(ruleText({ [word]: "1" }))).toEqual(["5:5 -"]);
    }
  });
});

describe("the duration that a text was meant to be", () => {
  it.each([
    ["5min", "5m"],
    ["5 minutes", "5m"],
    ["1 hour", "1h"],
    ["an hour", "1h"],
    ["1.5h", "1h30m"],
    ["30m1h", "1h30m"],
    ["1 hour and 30 minutes", "1h30m"],
    ["90 secs", "1m30s"],
    ["PT5M", "5m"],
    ["P1DT2H", "1d2h"],
    ["-5m", "5m"],
    ["2 weeks", "14d"],
    ["every 10s", "10s"],
    ["0.5s", null],
    ["500ms", null],
    ["00:05", null],
    ["5 months", null],
    ["soon", null],
    ["", null],
    ["5m or so", null],
    ["1h ".repeat(1_000), null],
  ])("%j is %j", (text, expected) => {
    expect(suggestDuration(text)).toBe(expected);
  });
});
