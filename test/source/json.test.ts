import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compare, parseDecimal } from "../../src/base/decimal.ts";
import { readNumber } from "../../src/contract/fields.ts";
import { parseJson } from "../../src/source/json.ts";

describe("reading JSON without losing a digit", () => {
  it("leaves numbers that a double keeps as they are", () => {
    const text = '[{"a":1,"b":-2.5,"c":2086.0412345678901,"d":1e-7,"e":9007199254740991}]';
    expect(parseJson(text.replace("678901", "67890"))).toEqual([
      { a: 1, b: -2.5, c: 2086.04123456789, d: 1e-7, e: 9_007_199_254_740_991 },
    ]);
  });

  it.each([
    ["9007199254740993", "9007199254740993"],
    ["-9007199254740993", "-9007199254740993"],
    ["115792089237316195423570985008687907853269984665640564039457584007913129639935", null],
    ["0.12345678901234567891", null],
    ["-0.12345678901234567891", null],
    ["123456789012345680000", null],
    ["1234567890.12345678901", null],
    ["1.23456789012345678901e-5", null],
  ])("gives %s as its text", (text, expected) => {
    for (const json of [`{"a":${text}}`, `{"a": ${text} }`, `[1,${text}]`, `[${text}]`]) {
      const parsed = parseJson(json);
      expect(Object.values(parsed as object).at(-1)).toBe(expected ?? text);
    }
  });

  it("keeps numbers that are long only by zeros", () => {
    expect(parseJson('{"a":1.50000000000000000000}')).toEqual({ a: 1.5 });
  });

  it("is not misled by digits in strings", () => {
    const value = { a: "9007199254740993", b: "x:9007199254740993", c: "[ 0.12345678901234567891" };
    expect(parseJson(JSON.stringify(value))).toEqual(value);
  });

  it.each(["", "{", "[1,]", "<html>", "nul", '{"a":1}}', "[NaN]"])("refuses %j", (text) => {
    expect(() => parseJson(text)).toThrow(SyntaxError);
  });

  it("keeps the exact value of any decimal that can be written", () => {
    const digits = fc.stringMatching(/^(?:0|[1-9]\d{0,40})$/);
    const fraction = fc.stringMatching(/^(?:\.\d{1,40})?$/);
    const sign = fc.constantFrom("", "-");
    fc.assert(
      fc.property(sign, digits, fraction, (minus, whole, rest) => {
        const text = `${minus}${whole}${rest}`;
        const [{ a }] = parseJson(`[{"a":${text},"b":"x"}]`) as [{ a: unknown }];
        const read = readNumber(a, "percent");
        expect(read && compare(read, parseDecimal(text)!)).toBe(0);
      }),
    );
  });
});
