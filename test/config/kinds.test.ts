import { describe, expect, it } from "vitest";
import { SPECIFIED } from "../../src/api/endpoints.ts";
import type { RulesContext } from "../../src/config/rules/rule.ts";
import { KINDS } from "../../src/kinds/index.ts";
import { one, POOL, ruleText, said } from "./rules-text.ts";

const V3 = "0x88e6A0c2dDD26FEEb64F039a2c41296FcB3f5640";
const TOKEN = "0x00000000eFE302BEAA2b3e6e1b18d08D69a9012a";
const DAY = 86_400_000;

const at = (...bases: ("base_url" | "legacy_base_url")[]): RulesContext => ({
  watches: KINDS,
  channels: ["console"],
  addresses: new Set(bases),
});

const BOTH = at("base_url", "legacy_base_url");
const rule = (watch: string, when: string, more: Record<string, string> = {}) =>
  ruleText({ watch: `{kind: ${watch}}`, when: `{metric: ${when}}`, ...more });

describe("the pools of a rule", () => {
  const history = (targets: string, more = {}) =>
    rule(`pool_history, chain: 1, ${targets}`, "volume_usd, above: $1m", more);

  it("are addresses where the kind is about version 3, and say so", () => {
    const v3 = (pools: string) => rule(`v3_pool, chain: 1, pools: ${pools}`, "tick, above: 5");
    expect(one(v3(`[${V3}]`)).subjects[0]?.key).toBe(`v3_pool:1:${V3.toLowerCase()}`);
    expect(said(v3(`[${POOL}]`))[0]).toContain(
      "has 64 hex digits, and a V3 pool's address has 40; it looks like a pool id",
    );
    expect(said(v3("[0x12]"))[0]).toContain("has 2 hex digits, and a V3 pool's address has 40");
  });

  it("are of either version in a history", () => {
    const { kind, subjects } = one(history(`pools: [${POOL}, ${V3}]`));
    expect(kind).toBe("pool_history");
    expect(subjects.map(({ key }) => key)).toEqual([
      `pool_history:1:${POOL}`,
      `pool_history:1:${V3.toLowerCase()}`,
    ]);
    expect(said(history("pools: [0x12]"))[0]).toContain('"0x12" is not an id');
    expect(said(history(`pools: [${POOL.slice(2)}]`))[0]).toContain("is not an id");
  });

  it("are of hours or days, which are kinds of their own with the age of two of them", () => {
    const hourly = one(history(`pools: [${V3}]`));
    const daily = one(history(`pools: [${V3}], period: d`));
    expect([hourly.kind, hourly.maxAgeMs]).toEqual(["pool_history", DAY / 12]);
    expect([daily.kind, daily.maxAgeMs]).toEqual(["pool_history_daily", 2 * DAY]);
    expect(daily.subjects[0]?.key).toBe(`pool_history_daily:1:${V3.toLowerCase()}`);
    expect(daily.source).not.toBe(hourly.source);
    expect(one(history(`pools: [${V3}], period: d`, { max_age: "1h" })).maxAgeMs).toBe(DAY / 24);
    const gas = one(rule("gas, chain: 1", "tip_top10, above: 5 gwei"));
    expect(gas.maxAgeMs).toBe(DAY / 12);
    expect(said(history(`pools: [${V3}], period: w`))[0]).toContain("expected h or d");
  });

  it("are never of a kind that only an option chooses", () => {
    const hidden = said(rule(`pool_history_daily, chain: 1, pools: [${V3}]`, "tick, above: 5"));
    expect(hidden[0]).toMatch(/unknown kind/);
    expect(hidden[0]?.replace('"pool_history_daily"', "")).not.toContain("_daily");
    const metric = said(
      rule(`pool_history, chain: 1, pools: [${V3}], period: d`, "volum, above: 5"),
    );
    expect(metric.join("\n")).not.toContain("_daily");
  });

  it("need the address at which their own version is asked", () => {
    const v4 = history(`pools: [${POOL}]`);
    const v3 = history(`pools: [${V3}], period: d`);
    expect(said(v4, at("base_url"))).toEqual([
      expect.stringContaining("the kind pool_history needs legacy_base_url"),
    ]);
    expect(said(v3, at("base_url"))).toEqual([]);
    expect(said(v4, at("legacy_base_url"))).toEqual([]);
    expect(said(v3, at("legacy_base_url"))).toEqual([
      expect.stringContaining("the kind pool_history needs base_url"),
    ]);
  });
});

describe("limits of the new kinds", () => {
  it("are below zero where changes are meant", () => {
    const price = (when: string) => rule(`token_price, chain: 1, token: ${TOKEN}`, when);
    expect(said(price("price_change_24h, below: -5 usd"), BOTH)).toEqual([]);
    expect(said(price("price_change_percentage_24h, below: -5%"), BOTH)).toEqual([]);
    expect(said(price("price_usd, below: -5 usd"), BOTH)[0]).toContain("never below zero");
  });

  it("are in tokens where the service is asked for their decimals", () => {
    const supply = rule(
      `token_supply, chain: 1, token: ${TOKEN}`,
      "total_supply, above: 5M tokens",
    );
    const info = rule(`token_info, chain: 1, token: ${TOKEN}`, "total_supply, above: 5M tokens");
    expect(said(supply, BOTH)).toEqual([]);
    expect(said(info, BOTH)).toEqual([]);
    expect(said(supply, at("base_url"))).toHaveLength(1);
  });
});

describe("the endpoints of a rule", () => {
  const source = (targets: string) => rule(`source${targets}`, "failures, above: 5");
  const names = (text: string, context?: RulesContext) =>
    one(text, context).subjects.map(({ ids }) => ids.endpoint);

  it("are those that it lists, or all that can be asked", () => {
    expect(names(source(", endpoints: [v4_pool, gas_hourly]"))).toEqual(["v4_pool", "gas_hourly"]);
    expect(names(source(""), BOTH)).toEqual(Object.keys(SPECIFIED));
    const current = names(source(""), at("base_url"));
    expect(current).toContain("v3_pool");
    expect(current).not.toContain("legacy_token_info");
    expect(names(source(""), at("legacy_base_url"))).toContain("legacy_token_info");
  });

  it.each([
    [", endpoints: [v4_pol]", 'unknown endpoint "v4_pol"', "did you mean `v4_pool`?"],
    [", endpoints: []", "is empty", ""],
    [", endpoints: v4_pool", "endpoints is text", ""],
    [", endpoints: [{id: v4_pool}]", "unknown endpoint a map", ""],
    [", endpoints: [legacy_balances]", "the endpoint legacy_balances needs legacy_base_url", ""],
    [", chain: 1", "unknown key `chain` in a source watch", ""],
  ])("are refused as %s", (targets, message, hint) => {
    const problems = said(source(targets), at("base_url")).join("\n");
    expect(problems).toContain(message);
    expect(problems).toContain(hint);
  });

  it("are watched once", () => {
    expect(names(source(", endpoints: [v4_pool, v4_pool]"))).toEqual(["v4_pool"]);
  });
});
