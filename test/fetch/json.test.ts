import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readNumber } from "../../src/api/fields.ts";
import { compare, parseDecimal } from "../../src/base/decimal.ts";
import { parseJson } from "../../src/fetch/json.ts";
import { cpuMsSince } from "../support/cpu.ts";
import { propertyRuns } from "../support/tier.ts";

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

  it("leaves an answer to the plain parser whose long numbers are in quotes, signed or not", () => {
    for (const sign of ["", "-", "+"]) {
      const text = `[{"id":1,"amount0":"${sign}1234567890123456789","b":"${sign}0.12345678901234567891","id":2}]`;
      expect(parseJson(text)).toEqual(JSON.parse(text));
    }
  });

  it("takes the last of a key that comes twice, whether digits have to be kept or not", () => {
    for (const long of ["1", "9007199254740993", "1e-400"]) {
      const text = `{"long":${long},"id":1,"id":2,"__proto__":{"id":3}}`;
      const parsed = parseJson(text) as Record<string, unknown>;
      expect(parsed.id).toBe(2);
      expect(Object.keys(parsed)).toEqual(["long", "id", "__proto__"]);
      expect(Object.getPrototypeOf(parsed)).toBe(Object.prototype);
    }
  });

  it.each([
    ["1e-400", "1e-400"],
    ["-1E-400", "-1E-400"],
    ["1.5e-0400", "1.5e-0400"],
    ["4.7e-324", "4.7e-324"],
    ["1e400", "1e400"],
    ["-1e+400", "-1e+400"],
    ["2e-324", "2e-324"],
    [`0.${"0".repeat(330)}1`, null],
    ["9".repeat(320), null],
    ["1e-300", 1e-300],
    ["5e-324", 5e-324],
    ["0e-400", 0],
    ["0.000e999", 0],
  ])("reads %s, which a double may not hold, as what it is", (text, expected) => {
    for (const json of [`{"a":${text}}`, `{"a" : ${text} }`, `[1,${text}]`, `[${text}\n]`]) {
      const parsed = parseJson(json);
      expect(Object.values(parsed as object).at(-1)).toBe(expected ?? text);
    }
  });

  it("keeps texts whole in which such numbers stand", () => {
    const texts = ["1e-400,", '"1e-400]', "\\", '\\"9007199254740993,1e-400}', "9e999 ", "\u2028"];
    const text = JSON.stringify({ texts, "1e-400": 1 }).replace(/1\}$/, "1e-400}");
    expect(parseJson(text)).toEqual({ texts, "1e-400": "1e-400" });
  });

  it("takes no longer for digits without end", () => {
    const digits = "1".repeat(4_000_000);
    const begun = process.cpuUsage();
    expect(parseJson(`["${digits}"]`)).toEqual([digits]);
    expect(parseJson(`[${digits}]`)).toEqual([digits]);
    // Were each place looked at from the first digit on, it would be minutes.
    expect(cpuMsSince(begun)).toBeLessThan(10_000);
  });

  it.each(["", "{", "[1,]", "<html>", "nul", '{"a":1}}', "[NaN]"])("refuses %j", (text) => {
    expect(() => parseJson(text)).toThrow(SyntaxError);
  });

  it("keeps the exact value of any decimal that can be written", () => {
    const digits = fc.stringMatching(/^(?:0|[1-9]\d{0,40})$/);
    const fraction = fc.stringMatching(/^(?:\.\d{1,40})?$/);
    const sign = fc.constantFrom("", "-");
    const key = fc.stringMatching(/^[x0-9]{1,40}$/);
    const gap = fc.constantFrom("", " ", "\n\t");
    fc.assert(
      fc.property(key, gap, sign, digits, fraction, (name, space, minus, whole, rest) => {
        const text = `${minus}${whole}${rest}`;
        const [{ a }] = parseJson(`[{"${name}":"x","a":${space}${text}}]`) as [{ a: unknown }];
        const read = readNumber(a, "percent");
        expect(read && compare(read, parseDecimal(text)!)).toBe(0);
      }),
    );
  });

  it("keeps sixteen and seventeen digits wherever the point stands", () => {
    const near = (digits: bigint) => fc.bigInt(digits - 2_000n, digits + 2_000n);
    const whole = fc.oneof(near(2n ** 52n), near(2n ** 53n), near(10n ** 16n), near(10n ** 15n));
    fc.assert(
      fc.property(whole, fc.nat(24), fc.constantFrom("", "e-7", "E5"), (digits, scale, power) => {
        const padded = String(digits).padStart(scale + 1, "0");
        const point = padded.length - scale;
        const text = `${padded.slice(0, point)}.${padded.slice(point)}`.replace(/\.$/, "") + power;
        const { a } = parseJson(`{"a":${text}}`) as { a: unknown };
        const read = readNumber(a, "percent");
        expect(read && compare(read, parseDecimal(text)!)).toBe(0);
      }),
      { numRuns: propertyRuns(400) },
    );
  });
});
