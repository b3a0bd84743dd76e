import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { CHANNELS } from "../../src/channels/index.ts";
import { configSchema, rulesSchema } from "../../src/config/json-schema.ts";
import { RULE } from "../../src/config/rules/rule-keys.ts";
import { CONFIG } from "../../src/config/settings/config-keys.ts";
import { KINDS } from "../../src/kinds/index.ts";
import { OPS } from "../../src/rules/parse/comparison-keys.ts";
import { faultsOf, mapOf } from "../support/json-schema.ts";
import { POOL, problemsOf, ruleText } from "./rules-text.ts";

const RULES = rulesSchema(KINDS);
const SETTINGS = configSchema(CHANNELS);
const OFFERED = [...KINDS.values()].filter(({ variantOf }) => variantOf === undefined);

/** As editors read it: numbers are numbers. */
const ofRules = (text: string): string[] => faultsOf(RULES, parse(text, { logLevel: "error" }));
const ofConfig = (text: string): string[] => faultsOf(SETTINGS, parse(text));

const defOf = (name: string): Readonly<Record<string, unknown>> => mapOf(mapOf(RULES.$defs)[name]);
const keysOf = (schema: unknown): string[] => Object.keys(mapOf(mapOf(schema).properties));

describe("the schema of rules files", () => {
  it("takes every rules file that comes with the program", () => {
    const files = readdirSync("rules").filter((name) => !name.endsWith(".test.yaml"));
    expect(files.length).toBeGreaterThan(3);
    for (const file of files) {
      expect([file, ofRules(readFileSync(`rules/${file}`, "utf8"))]).toEqual([file, []]);
    }
  });

  it("takes every whole rules file of the docs", () => {
    const text = readFileSync("docs/rules.md", "utf8");
    const blocks = Array.from(text.matchAll(/^```yaml\n([^]*?)^```$/gm), ([, block]) => block ?? "")
      // Some show rule tests, whose other keys are no matter of rules.
      .filter((block) => /^(?:rules|lists|references):/m.test(block) && !/^tests:/m.test(block));
    expect(blocks.length).toBeGreaterThan(3);
    for (const block of blocks) {
      // Cases below the rules are for tickwatch test.
      const [rules = ""] = block.split(/^cases:/m);
      expect([rules, ofRules(rules)]).toEqual([rules, []]);
    }
  });

  it("has the keys, the kinds, their metrics and what compares, and no other", () => {
    expect(keysOf(defOf("rule"))).toEqual(Object.keys(RULE.shape));
    for (const { kind, metrics } of OFFERED) {
      const condition = mapOf(defOf(`condition_${kind}`).properties);
      const { enum: names } = mapOf(condition.metric);
      expect(names).toEqual(expect.arrayContaining([...metrics.keys()]));
      for (const op of OPS) expect(condition).toHaveProperty(op);
      expect(Object.keys(condition)).toHaveLength(OPS.length + 6);
      expect(mapOf(mapOf(defOf(`watch_${kind}`).properties).kind)).toEqual({ const: kind });
    }
  });

  it("says what belongs under every key of a rule", () => {
    for (const [key, schema] of Object.entries(mapOf(defOf("rule").properties))) {
      expect([key, Object.keys(mapOf(schema)).length > 0]).toEqual([key, true]);
    }
  });

  const pool = { watch: `{kind: v4_pool, chain: 1, pools: [${POOL}]}` };
  const token = `0x${"aB".repeat(20)}`;

  it.each([
    ruleText(),
    ruleText({ watch: "{kind: gas, chain: [ethereum, 137]}", for: "1h30m", remind: "[1h, 6h]" }),
    ruleText({ remind: "1h", notify: "console", severity: "critical", labels: "{team: 5}" }),
    ruleText({ notify: "[]", name: "5", note: "7", schedule: '"*/2 * * * *"', once: "true" }),
    ruleText({ watch: "{kind: gas, chain: Ethereum}" }),
    ruleText({ when: "{not: {all: [{metric: tip_top10, inside: [1 gwei, 2 gwei]}]}}" }),
    ruleText({ ...pool, when: "{metric: tvl_usd, falls: 10%, since: last}", worse_by: "5" }),
    ruleText({
      watch: `{kind: token_balance, chain: 1, token: {id: ${token}, decimals: 6}, wallet: [${token}]}`,
      when: "{metric: balance, below: 5M tokens}",
    }),
    ruleText({
      watch: `{kind: v4_position, protocol: DEXA, positions: [{id: ${"9".repeat(77)}, chain: 1}]}`,
      when: "{metric: in_range, equals: false}",
      for: "5m",
    }),
    ruleText({
      watch: "{kind: source, endpoints: [v4_pool]}",
      when: "{metric: up, equals: false}",
    }),
    ruleText({
      watch: `{kind: holders, chain: 1, token: ${token}, top: 5}`,
      when: "{metric: top_share, above: 50%}",
    }),
  ])("takes what the program takes: %s", (text) => {
    expect(problemsOf(text)).toEqual([]);
    expect(ofRules(text)).toEqual([]);
  });

  it.each([
    [{ nmae: "x" }, "/rules/0/nmae: no such key"],
    [{ watch: "{kind: gaz, chain: 1}" }, "/rules/0/watch/kind: enum"],
    [{ watch: "{kind: gas, chains: 1}" }, "/rules/0/watch/chains: no such key"],
    [{ watch: "{kind: gas}" }, "/rules/0/watch: required"],
    [{ when: "{metric: tvl_usd, above: 5}" }, "/rules/0/when/metric: enum"],
    [{ when: "{metric: tip_top10, over: 5}" }, "/rules/0/when/over: no such key"],
    [{ resolve_when: "{metric: tip_top1, above: 5}" }, "/rules/0/resolve_when/metric: enum"],
    [{ when: "{any: [{not: {metric: tip, above: 5}}]}" }, "/rules/0/when/any/0/not/metric: enum"],
    [{ for: "5 minutes" }, "/rules/0/for: pattern"],
    [{ for: '""' }, "/rules/0/for: pattern"],
    [{ for: "5" }, "/rules/0/for: type"],
    [{ severity: "high" }, "/rules/0/severity: enum"],
    [{ enabled: '"no"' }, "/rules/0/enabled: enum"],
    [{ remind: "[]" }, "/rules/0/remind: anyOf"],
    [{ ...pool, when: "{metric: tvl_usd, inside: [1]}" }, "/rules/0/when/inside: minItems"],
    [
      { watch: "{kind: v4_pool, chain: 1, pools: [x]}", when: "{metric: tvl_usd, below: 1}" },
      "/rules/0/watch/pools: anyOf",
    ],
  ] as const)("refuses %j, as the program does", (keys, fault) => {
    const text = ruleText(keys);
    expect(problemsOf(text)).not.toEqual([]);
    expect(ofRules(text)).toContain(fault);
  });

  it("takes lists and references, and no other key of a file", () => {
    const text = `lists: {mine: [{id: 42, chain: 1}, 77]}
references: {held: {watch: {kind: token_balance, chain: [1, 137], token: ${token}, wallet: ${token}}, across: sum, metric: balance}}
rules: []
`;
    expect(ofRules(text)).toEqual([]);
    expect(ofRules("rule: []")).toEqual(["/rule: no such key"]);
  });
});

describe("the schema of config.yaml", () => {
  const example = readFileSync("config.example.yaml", "utf8");

  it("takes the example, also with the keys that are comments there", () => {
    expect(ofConfig(example)).toEqual([]);
    expect(ofConfig(example.replaceAll(/^(\s+)# (\w+: .* # )/gm, "$1$2"))).toEqual([]);
  });

  it("has the keys of the configuration and its channels, and no other", () => {
    expect(keysOf(SETTINGS).toSorted()).toEqual(Object.keys(CONFIG.shape).toSorted());
    const names = Object.keys(mapOf(SETTINGS.$defs)).filter((name) => name.startsWith("channel_"));
    expect(names).toEqual([...CHANNELS.keys()].map((kind) => `channel_${kind}`));
  });

  it("takes any value from elsewhere", () => {
    const text = example
      .replace("retention: 90d", 'retention: "${env:RETENTION}"')
      .replace("level: info", 'level: "${env:LEVEL}"')
      .replace("concurrency: 8", 'concurrency: "${file:/etc/many}"');
    expect(text).not.toBe(example);
    expect(ofConfig(text)).toEqual([]);
  });

  it.each([
    ["retention: 90d", "retention: long", "/retention: anyOf"],
    ["retention: 90d", "retenion: 90d", "/retenion: no such key"],
    ["level: info", "level: loud", "/log/level: anyOf"],
    ["match: {severity: critical}", "match: {sev: critical}", "/routes/0/match/sev: no such key"],
    ["mute: [nights, weekends]", "mutes: nights", "/routes/1/mutes: no such key"],
    ['from: "22:00"', "from: 10pm", "/mutes/nights: anyOf"],
    ["concurrency: 8", "concurrency: 65", "/service/concurrency: anyOf"],
    ["{kind: console}", "{kind: consol}", "/channels/console/kind: enum"],
    ["{kind: console}", "{kind: console, url: x}", "/channels/console/url: no such key"],
    ['routing_key: "${env:PAGERDUTY_KEY}"', "# none", "/channels/on-call: required"],
  ])("refuses %s as %s", (from, to, fault) => {
    expect(example).toContain(from);
    expect(ofConfig(example.replace(from, to))).toContain(fault);
  });
});
