import { describe, expect, it } from "vitest";
import { readField, readNumber, readTick } from "../../src/contract/fields.ts";

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
});
