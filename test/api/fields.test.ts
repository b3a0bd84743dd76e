import { describe, expect, it } from "vitest";
import { ENDPOINTS } from "../../src/api/endpoints.ts";
import { readField, readNumber, readTick } from "../../src/api/fields.ts";
import type { Quantity } from "../../src/model/index.ts";

const read = (raw: unknown, quantity: Parameters<typeof readNumber>[1]): string | null =>
  readNumber(raw, quantity)?.toString() ?? null;

describe("reading a field", () => {
  it("takes exact numbers from strings and numbers alike", () => {
    const huge = "115792089237316195423570985008687907853269984665640564039457584007913129639935";
    expect(read(huge, "integer")).toBe(huge);
    expect(read("0.000001", "tokens")).toBe("0.000001");
    expect(read(1e-18, "price")).toBe("0.000000000000000001");
    expect(read(0, "usd")).toBe("0");
    expect(read("0", "usd")).toBe("0");
  });

  it.each([null, undefined, "", " 5", "5 ", "0x10", "1,000", "five", true, [], {}, Number.NaN])(
    "has no number in %j, least of all a zero",
    (raw) => {
      expect(read(raw, "usd")).toBeNull();
      expect(readField({ a: raw }, "a", { type: "number", quantity: "usd" })).toBeNull();
    },
  );

  it("has no data where a reserve, value, supply or count is negative", () => {
    for (const quantity of ["raw(token0)", "usd", "count", "wei", "ratio", "price"] as const) {
      expect(read("-1", quantity)).toBeNull();
    }
    expect(read("-199890", "tick")).toBe("-199890");
  });

  it("has no data where an amount of raw units is no whole number of them", () => {
    for (const quantity of ["raw", "raw(token0)", "raw(token1)"] as const) {
      expect(read("9412508331274519.5", quantity)).toBeNull();
      expect(read("9412508331274519.0", quantity)).toBe("9412508331274519");
      expect(read("-1", quantity)).toBeNull();
      expect(read("0", quantity)).toBe("0");
    }
  });

  it("takes whole ticks up to ±887272 only", () => {
    expect(readTick(887_272)).toBe(887_272);
    expect(readTick("-887272")).toBe(-887_272);
    expect(readTick("100.0")).toBe(100);
    for (const bad of [887_273, -887_273, 0.5, "0.5", "", null, "x", Infinity]) {
      expect(readTick(bad)).toBeNull();
    }
  });

  it("lowers addresses and refuses what is none", () => {
    const spec = { type: "string", quantity: "address" } as const;
    const address = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48";
    expect(readField({ a: address }, "a", spec)).toBe(address.toLowerCase());
    expect(readField({ a: "0x12" }, "a", spec)).toBeNull();
  });

  it("reads signed amounts exactly, with a plus, a minus or nothing before them", () => {
    const field = (raw: unknown, quantity: Quantity, signed: boolean): string | undefined =>
      readField({ a: raw }, "a", {
        type: "string",
        quantity,
        ...(signed ? { signed: true } : {}),
      })?.toString();
    const least = `-${(1n << 255n).toString()}`;
    expect(field(least, "raw(token0)", true)).toBe(least);
    expect(field("+1500000", "raw", true)).toBe("1500000");
    expect(field("1500000", "raw", true)).toBe("1500000");
    expect(field("-0.000001", "tokens", true)).toBe("-0.000001");
    expect(field("+0", "raw", true)).toBe("0");
    expect(field("-5", "integer", true)).toBe("-5");
    for (const bad of ["+-5", "--5", "+", "-", "+ 5", "5-", "-0.5"]) {
      expect(field(bad, "raw", true)).toBeUndefined();
    }
    expect(field("-1500000", "raw", false)).toBeUndefined();
    expect(field("+1500000", "raw", false)).toBe("1500000");
  });

  it("reads a field by what the contract says of it, in lists and objects too", () => {
    const swap = ENDPOINTS.v4_swaps.fields.swaps?.fields ?? {};
    const swapField = (name: string, raw: unknown): string | undefined =>
      readField({ [name]: raw }, name, swap[name]!)?.toString();
    expect(swapField("amount0", "-1000000000000000000")).toBe("-1000000000000000000");
    expect(swapField("liquidity", "-1")).toBeUndefined();
    expect(swapField("tick", -199_890)).toBe("-199890");
    expect(swapField("timestamp", "2026-11-27T14:05:06Z")).toBe("1795788306");
    expect(swapField("timestamp", 1_795_788_306)).toBeUndefined();
    const { initial_sqrt_price_x96: root } = ENDPOINTS.v3_pool.fields;
    expect(readField({ a: 1.2345e27 }, "a", root!)?.toString()).toBe(`12345${"0".repeat(23)}`);
  });

  it("has no value for objects and lists as a whole", () => {
    expect(readField({ token0: {} }, "token0", ENDPOINTS.v4_pool.fields.token0!)).toBeNull();
    expect(readField({ swaps: [] }, "swaps", ENDPOINTS.v4_swaps.fields.swaps!)).toBeNull();
  });
});
