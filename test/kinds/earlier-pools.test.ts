import { describe, expect, it } from "vitest";
import { descriptionOf } from "../../src/decide/event.ts";
import type { Answers, Reading, WatchKind } from "../../src/kinds/kind.ts";
import { v3Pool } from "../../src/kinds/v3-pool.ts";
import { v4Pool24h } from "../../src/kinds/v4-pool-24h.ts";
import type { Answer, Ask, RawRecord } from "../../src/model/index.ts";
import {
  ETHER,
  ETHER_INFO,
  earlierPoolRecord,
  pool24hRecord,
  USDC_INFO,
  USDC_KEY,
  V3_KEY,
  V3_POOL,
} from "./pool-records.ts";
import { answersOf, failed, NATIVE, ok, POOL_ID } from "./records.ts";

const NOW = Date.UTC(2026, 10, 27, 14, 20);
const INFOS: Readonly<Record<string, Answer>> = {
  [ETHER.toLowerCase()]: ok(ETHER_INFO),
  [USDC_KEY]: ok(USDC_INFO),
};

function answering(pool: Answer, infos = INFOS): Answers {
  return (ask: Ask) => (ask.record === "token_info" ? infos[ask.id] : pool);
}

interface Case {
  readonly kind: WatchKind;
  readonly id: string;
  readonly record: (changes?: RawRecord) => RawRecord;
}

const CASES: readonly (readonly [string, Case])[] = [
  ["v3_pool", { kind: v3Pool, id: V3_POOL, record: earlierPoolRecord }],
  ["v4_pool_24h", { kind: v4Pool24h, id: POOL_ID, record: pool24hRecord }],
];

describe.each(CASES)("a pool of the kind %s", (name, { kind, id, record }) => {
  const target = { chainId: 1, id, protocol: null };
  const subject = kind.subject({ ...target, name: null });
  const turned = kind.subject({ ...target, name: null, options: { invert: "true" } });
  const read = (changes: RawRecord = {}, of = subject): Reading =>
    kind.read(of, answering(ok(record(changes))), NOW);
  const value = (metric: string, changes: RawRecord = {}, of = subject): string | null =>
    read(changes, of).rows[0]?.value(metric)?.toString() ?? null;

  it("is known by chain and id in lower case", () => {
    expect(subject.key).toBe(`${name}:1:${id.toLowerCase()}`);
    expect(kind.asks(subject, NOW)).toEqual([
      { key: subject.key, record: name, chainId: 1, id: id.toLowerCase() },
    ]);
    expect(kind.asks(turned, NOW)).toEqual(kind.asks(subject, NOW));
    expect(turned.key).toBe(`${subject.key}:inverted`);
  });

  it("has its fields, exact", () => {
    expect(value("volume_24h")).toBe("4123456.78");
    expect(value("fees_24h")).toBe("2061.73");
    expect(value("total_value_locked_usd")).toBe("17310098.44");
    expect(value("tick")).toBe("-199890");
    expect(value("sqrt_price_x96")).toBe("3618602270101715334278112");
    expect(value("created_at_timestamp")).toBe("1754201600");
    expect(value("fee_tier")).toBe("500");
    expect(value("constructor")).toBeNull();
    expect(read()).toMatchObject({ trouble: null, absent: false, closed: false });
    expect(read().marks()).toEqual([]);
    expect(kind.ownTime).toBeUndefined();
    expect(kind.metrics.get("volume_24h")).toMatchObject({ quantity: "usd" });
  });

  it("has one price, token1 per token0, whatever the record calls it", () => {
    const swapped = { token0_price: "0.000479377", token1_price: "2086.0412345" };
    expect(value("price")).toBe("2086.0412345");
    expect(value("price", swapped)).toBe("2086.0412345");
    expect(value("price", {}, turned)).toBe("0.000479377");
    expect(value("price", swapped, turned)).toBe("0.000479377");
    expect(read().describe().unit("price")).toBe("USDC per WETH");
    expect(read({}, turned).describe().unit("price")).toBe("WETH per USDC");
    expect(read().describe().unit("token0_price")).toBe("USDC per WETH");
    expect(read(swapped).describe().unit("token0_price")).toBe("WETH per USDC");
    expect(read(swapped).describe().unit("token1_price")).toBe("USDC per WETH");
  });

  it("has no price while its prices do not fit its state", () => {
    const odd = { token0_price: "3000", token1_price: "0.0003333" };
    expect(value("price", odd)).toBeNull();
    expect(value("token0_price", odd)).toBe("3000");
    expect(value("volume_24h", odd)).toBe("4123456.78");
    expect(read(odd).trouble).toBe("its prices do not fit its sqrt_price_x96");
    expect(read(odd).describe().unit("token0_price")).toBe("");
    expect(value("price", { token0_price: null })).toBeNull();
    expect(value("price", { token0_price: null }, turned)).toBe("0.000479377");
    expect(value("price", { sqrt_price_x96: null, tick: null })).toBeNull();
    expect(value("price", { token0_price: "0", token1_price: "0" })).toBeNull();
  });

  it("has no TVL while a pool with liquidity is said to be worth nothing", () => {
    expect(value("total_value_locked_usd", { total_value_locked_usd: "0" })).toBeNull();
    expect(read({ total_value_locked_usd: "0" }).trouble).toBe(
      "total_value_locked_usd is 0 with liquidity",
    );
    const empty = { total_value_locked_usd: "0.000000", liquidity: "0" };
    expect(value("total_value_locked_usd", empty)).toBe("0");
    const unsure = { total_value_locked_usd: "0", liquidity: null };
    expect(value("total_value_locked_usd", unsure)).toBe("0");
  });

  it.each([
    ["total_value_locked_usd", "-1", "negative"],
    ["volume_24h", null, "null"],
    ["fees_24h", undefined, "missing"],
    ["liquidity", "", "empty"],
    ["swap_count", "many", "malformed"],
    ["tick", 900_000, "malformed"],
    ["fee_tier", {}, "malformed"],
    ["created_at_timestamp", "2025-02-30T00:00:00Z", "malformed"],
  ])("has no value for %s of %j and leaves the others alone", (metric, raw, word) => {
    expect(value(metric, { [metric]: raw })).toBeNull();
    expect(value("token0_price", { [metric]: raw })).toBe("2086.0412345");
    expect(read({ [metric]: raw }).trouble).toBe(`${metric} is ${word}`);
  });

  it("asks once for its tokens, as soon as it knows them", () => {
    const facts = (answers: Answers) => kind.facts?.(subject, answers).map(({ key }) => key);
    const infos = [`token_info:1:${ETHER.toLowerCase()}`, `token_info:1:${USDC_KEY}`];
    expect(facts(answersOf({}))).toEqual([subject.key]);
    expect(facts(answersOf({ [name]: failed("no") }))).toEqual([subject.key]);
    const pool = answersOf({ [name]: ok(record()) });
    expect(facts(pool)).toEqual([subject.key, ...infos]);
    expect(kind.follow(subject, pool).map(({ key }) => key)).toEqual(infos);
    expect(kind.follow(subject, answering(ok(record())))).toEqual([]);
    expect(facts(answersOf({ [name]: ok(record({ token0: NATIVE })) }))).toEqual([
      subject.key,
      infos[1],
    ]);
    expect(facts(answersOf({ [name]: ok(record({ token0: "0x1", token1: null })) }))).toEqual([
      subject.key,
    ]);
  });

  it("is called by its tokens' symbols, clean, else by what is known of them", () => {
    expect(read().describe().label).toBe("WETH/USDC 0.05%");
    const hostile = { ...INFOS, [USDC_KEY]: ok({ symbol: "\u202eUS\nDC\u200b" }) };
    const label = (changes: RawRecord, infos: typeof INFOS): string =>
      kind.read(subject, answering(ok(record(changes)), infos), NOW).describe().label;
    expect(label({}, hostile)).toBe("WETH/US DC 0.05%");
    expect(label({}, {})).toBe("0xc02aaa…6cc2/0xa0b869…eb48 0.05%");
    expect(label({ token0: NATIVE }, INFOS)).toBe("ETH/USDC 0.05%");
    expect(label({ fee_tier: 8_388_608 }, INFOS)).toBe("WETH/USDC dynamic");
    expect(label({ token0: 7 }, INFOS)).toBe(
      `${id.slice(0, 8).toLowerCase()}…${id.slice(-4).toLowerCase()}`,
    );
    const named = kind.subject({ ...target, name: "Our\u200b pool" });
    expect(descriptionOf(read({}, named), named.name)?.label).toBe("Our pool");
  });

  it("is no data without an answer, and says why", () => {
    const none = (answer: Answer): Reading => kind.read(subject, answering(answer), NOW);
    expect(none({ status: "absent" })).toMatchObject({ rows: [], absent: true });
    expect(none(failed("timed out"))).toMatchObject({
      rows: [],
      trouble: "timed out",
      unanswered: name,
    });
  });
});

describe("the page of a pool", () => {
  it("is that of a V3 pool's contract; a V4 pool has none", () => {
    const v3 = v3Pool.subject({ chainId: 1, id: V3_POOL, protocol: null, name: null });
    expect(v3Pool.read(v3, answersOf({}), NOW).describe().link).toBe(
      `https://etherscan.io/address/${V3_KEY}`,
    );
    const v4 = v4Pool24h.subject({ chainId: 1, id: POOL_ID, protocol: null, name: null });
    expect(v4Pool24h.read(v4, answersOf({}), NOW).describe().link).toBeNull();
  });
});
