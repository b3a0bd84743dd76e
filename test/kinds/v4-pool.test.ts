import { describe, expect, it } from "vitest";
import { descriptionOf } from "../../src/decide/event.ts";
import type { Reading } from "../../src/kinds/kind.ts";
import { v4Pool } from "../../src/kinds/v4-pool.ts";
import type { RawRecord } from "../../src/model/index.ts";
import { answersOf, ETH, failed, NATIVE, ok, POOL_ID, poolRecord, USDC } from "./records.ts";

const target = { chainId: 1, id: POOL_ID.toUpperCase().replace("0X", "0x"), protocol: null };
const subject = v4Pool.subject({ ...target, name: null });
const NOW = Date.UTC(2026, 10, 27, 14, 20);

function read(changes: RawRecord = {}, of = subject): Reading {
  return v4Pool.read(of, answersOf({ v4_pool: ok(poolRecord(changes)) }), NOW);
}

function value(name: string, changes: RawRecord = {}): string | null {
  return read(changes).rows[0]?.value(name)?.toString() ?? null;
}

describe("a V4 pool", () => {
  it("is known by chain and id in lower case", () => {
    expect(subject.key).toBe(`v4_pool:1:${POOL_ID}`);
    expect(v4Pool.asks(subject, NOW)).toEqual([
      { key: `v4_pool:1:${POOL_ID}`, record: "v4_pool", chainId: 1, id: POOL_ID },
    ]);
    expect(v4Pool.follow(subject, answersOf({}))).toEqual([]);
  });

  it("has one row dated by the round, with its fields and its price", () => {
    expect(read().rows.map((row) => row.date)).toEqual([null]);
    expect(value("price")).toBe("2086.0412345");
    expect(value("tvl_usd")).toBe("17310098.44");
    expect(value("sqrt_price_x96")).toBe("3618602270101715334278112");
    expect(value("current_tick")).toBe("-199890");
    expect(value("pool_id")).toBe(POOL_ID);
    expect(value("token0")).toBeNull();
    expect(read().trouble).toBeNull();
    expect(read().closed).toBe(false);
  });

  it("has no TVL while a pool with reserves is said to be worth nothing", () => {
    expect(value("tvl_usd", { tvl_usd: 0 })).toBeNull();
    expect(value("tvl_usd", { tvl_usd: 0, amount0: "0" })).toBeNull();
    expect(read({ tvl_usd: 0 }).trouble).toBe("tvl_usd is 0 with reserves");
    expect(value("tvl_usd", { tvl_usd: 0, amount0: "0", amount1: "0" })).toBe("0");
  });

  it.each([
    ["tvl_usd", -1, "negative"],
    ["amount0", "-5", "negative"],
    ["tvl_usd", null, "null"],
    ["tvl_usd", undefined, "missing"],
    ["liquidity", "", "empty"],
    ["price0", {}, "malformed"],
    ["current_tick", 0.5, "malformed"],
    ["current_tick", 900_000, "malformed"],
    ["swap_count", "many", "malformed"],
  ])("has no value for %s of %j and leaves the others alone", (name, raw, word) => {
    const reading = read({ [name]: raw });
    expect(reading.rows[0]?.value(name)).toBeNull();
    expect(reading.rows[0]?.value("volume_usd")?.toString()).toBe("469123456.78");
    expect(reading.trouble).toBe(`${name} is ${word}`);
  });

  it("counts what is wrong beyond three fields", () => {
    const broken = { fee: null, price0: null, price1: null, tvl_usd: null, volume_usd: null };
    expect(read(broken).trouble).toBe("fee is null, price0 is null, price1 is null and 2 more");
  });

  it("knows the decimals behind raw units from the record", () => {
    expect(read().decimals("amount0")).toBe(18);
    expect(read().decimals("collected_fees_token1")).toBe(6);
    expect(read().decimals("tvl_usd")).toBeNull();
    expect(read({ token1: { ...USDC, decimals: 0 } }).decimals("amount1")).toBe(0);
    expect(read({ token1: { ...USDC, decimals: "8" } }).decimals("amount1")).toBe(8);
    for (const decimals of [256, -1, 1.5, null, "x"]) {
      expect(read({ token1: { ...USDC, decimals } }).decimals("amount1")).toBeNull();
    }
    expect(read({ token1: null }).decimals("amount1")).toBeNull();
    expect(read({ token0: { address: NATIVE } }).decimals("amount0")).toBe(18);
  });

  it("is called as the rule says, else by symbols and fee, else by its id", () => {
    const named = v4Pool.subject({ ...target, name: "Main pool" });
    expect(descriptionOf(read({}, named), named.name)?.label).toBe("Main pool");
    expect(read().describe()).toMatchObject({
      label: "ETH/USDC 0.05%",
      chain: "Ethereum",
      link: null,
      range: null,
    });
    expect(read({ fee: 8_388_608 }).describe().label).toBe("ETH/USDC dynamic");
    expect(read({ fee: 1 }).describe().label).toBe("ETH/USDC 0.0001%");
    expect(read({ fee: null }).describe().label).toBe("ETH/USDC");
    expect(read({ token1: null }).describe().label).toBe("0x21c67e…ca27");
    const nothing = v4Pool.read(subject, answersOf({}), NOW);
    expect(nothing.describe().label).toBe("0x21c67e…ca27");
  });

  it("names native and nameless tokens", () => {
    const label = (token0: RawRecord, of = subject): string =>
      read({ token0 }, of).describe().label;
    expect(label({ address: NATIVE, symbol: "" })).toBe("ETH/USDC 0.05%");
    const onPolygon = v4Pool.subject({ ...target, chainId: 137, name: null });
    expect(label({ address: NATIVE }, onPolygon)).toBe("POL/USDC 0.05%");
    const odd = v4Pool.subject({ ...target, chainId: 4663, name: null });
    expect(label({ address: NATIVE }, odd)).toBe("native/USDC 0.05%");
    const nameless = { address: "0xABCDEFabcdef0000000000000000000000001234", symbol: null };
    expect(label(nameless)).toBe("0xabcdef…1234/USDC 0.05%");
  });

  it("cleans hostile symbols", () => {
    const symbol = `\u202eE\u200bVIL\n${"x".repeat(5_000)}`;
    const { label } = read({ token0: { ...ETH, symbol } }).describe();
    expect(label).toMatch(/^EVIL x{14}…\/USDC 0\.05%$/);
  });

  it("says what follows a number", () => {
    const described = read().describe();
    const unit = (name: string): string => described.unit(name);
    expect(unit("price")).toBe("USDC per ETH");
    expect(unit("price0")).toBe("USDC per ETH");
    expect(unit("price1")).toBe("ETH per USDC");
    expect(unit("amount0")).toBe("ETH");
    expect(unit("volume_token1_d")).toBe("USDC");
    expect(unit("tvl_usd")).toBe("");
    expect(v4Pool.read(subject, answersOf({}), NOW).describe().unit("price")).toBe("");
  });

  it("says why there is no value", () => {
    const trouble = (answers: Parameters<typeof answersOf>[0]): string | null =>
      v4Pool.read(subject, answersOf(answers), NOW).trouble;
    expect(trouble({})).toBe("not asked yet");
    expect(trouble({ v4_pool: { status: "absent" } })).toBe("not in the answer");
    expect(trouble({ v4_pool: failed("timed out after 10 s") })).toBe("timed out after 10 s");
  });
});
