import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  absolute,
  add,
  compare,
  Decimal,
  decimalFromInteger,
  decimalFromNumber,
  divide,
  isZero,
  multiply,
  negate,
  parseDecimal,
  pow10,
  round,
  shift,
  subtract,
} from "../../src/base/decimal.ts";

/** The slow and obvious reference: a fraction of integers. */
interface Fraction {
  readonly top: bigint;
  readonly bottom: bigint;
}

const fraction = (a: Decimal): Fraction => ({ top: a.digits, bottom: 10n ** BigInt(a.scale) });
const same = (a: Fraction, b: Fraction): boolean => a.top * b.bottom === b.top * a.bottom;
/** Half away from zero, by looking at the remainder. */
const nearest = ({ top, bottom }: Fraction): bigint => {
  const sign = top < 0n !== bottom < 0n ? -1n : 1n;
  const [t, b] = [top < 0n ? -top : top, bottom < 0n ? -bottom : bottom];
  const rest = t % b;
  return sign * (t / b + (rest + rest >= b ? 1n : 0n));
};

const decimals = fc
  .tuple(
    fc.oneof(
      fc.bigInt({ min: -1_000n, max: 1_000n }),
      // About as many digits as a double holds.
      fc.bigInt({ min: -(10n ** 17n), max: 10n ** 17n }),
      fc.bigInt({ min: -(10n ** 15n) - 9n, max: -(10n ** 15n) + 9n }),
      fc.bigInt({ min: -(2n ** 256n), max: 2n ** 256n }),
    ),
    fc.oneof(fc.integer({ min: 0, max: 25 }), fc.integer({ min: 0, max: 100 })),
  )
  .map(([digits, scale]) => new Decimal(digits, scale));

const text = (value: string): string | undefined => parseDecimal(value)?.toString();

describe("reading decimal text", () => {
  it.each([
    ["0", "0"],
    ["-0", "0"],
    ["-0.000", "0"],
    ["+3", "3"],
    ["-12.50", "-12.5"],
    ["007", "7"],
    ["-007", "-7"],
    ["1e-18", "0.000000000000000001"],
    ["1.5E3", "1500"],
    ["1.2345e2", "123.45"],
    ["-1.0e+2", "-100"],
    ["0e400", "0"],
    ["100.000000", "100"],
    [
      "115792089237316195423570985008687907853269984665640564039457584007913129639935",
      "115792089237316195423570985008687907853269984665640564039457584007913129639935",
    ],
  ])("reads %s as %s", (given, canonical) => {
    expect(text(given)).toBe(canonical);
  });

  it.each([
    "",
    " ",
    " 1",
    "1 ",
    "1\n",
    "1,000",
    "1_000",
    ".5",
    "5.",
    "1e",
    "1e401",
    "1e-401",
    "1e99999",
    "0x10",
    "-",
    "--1",
    "+-1",
    "1.2.3",
    "NaN",
    "Infinity",
    "١٢٣",
    "１２３",
    "1\u200b",
    "−5",
    "1n",
    "true",
    "9".repeat(401),
    "9".repeat(1_000_000),
  ])("takes %j for no number", (given) => {
    expect(parseDecimal(given)).toBeNull();
  });

  it("prints what it can read back, digit for digit", () => {
    fc.assert(
      fc.property(decimals, (a) => {
        const again = parseDecimal(a.toString());
        expect(again?.toString()).toBe(a.toString());
        expect(again !== null && same(fraction(a), fraction(again))).toBe(true);
      }),
    );
  });

  it("prints one text for one value", () => {
    fc.assert(
      fc.property(decimals, fc.integer({ min: 0, max: 30 }), (a, zeros) => {
        const padded = new Decimal(a.digits * pow10(zeros), a.scale + zeros);
        expect(padded.toString()).toBe(a.toString());
        expect(a.toString()).toMatch(/^(?:0|-?(?!0\d)\d+(?:\.\d*[1-9])?)$/);
        expect(JSON.stringify({ a })).toBe(`{"a":"${a.toString()}"}`);
      }),
    );
  });
});

describe("a decimal of a JSON number", () => {
  it.each([
    [0.1, "0.1"],
    [-0, "0"],
    [1e21, "1000000000000000000000"],
    [5e-324, `0.${"0".repeat(323)}5`],
    [18_700_000.25, "18700000.25"],
    [2_086.035178060384, "2086.035178060384"],
    [Number.MAX_SAFE_INTEGER, "9007199254740991"],
  ])("is the shortest decimal: %d is %s", (given, expected) => {
    expect(decimalFromNumber(given)?.toString()).toBe(expected);
  });

  it.each([Number.NaN, Infinity, -Infinity])("is none for %d", (given) => {
    expect(decimalFromNumber(given)).toBeNull();
  });

  it("has the digits that the service wrote, as many as a double can tell apart", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1 - 10 ** 15, max: 10 ** 15 - 1 }),
        fc.integer({ min: 0, max: 25 }),
        (digits, scale) => {
          const written = new Decimal(BigInt(digits), scale);
          const read = decimalFromNumber(Number(written.toString()));
          expect(read?.toString()).toBe(written.toString());
          expect(read !== null && same(fraction(read), fraction(written))).toBe(true);
        },
      ),
    );
  });

  it("is the decimal of its own text", () => {
    const sized = fc.tuple(
      fc.double({ min: -1, max: 1, noNaN: true }),
      fc.integer({ min: 0, max: 22 }),
    );
    const doubles = fc.oneof(
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      sized.map(([part, power]) => part * 10 ** power),
    );
    fc.assert(
      fc.property(doubles, (value) => {
        const [read, written] = [decimalFromNumber(value), parseDecimal(String(value))];
        expect(read !== null && written !== null && compare(read, written)).toBe(0);
        expect(read?.toString()).toBe(written?.toString());
      }),
    );
  });

  it("reads back as the same double", () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        // `+ 0` makes −0 a plain 0: a decimal has only one.
        expect(Number(decimalFromNumber(value)?.toString())).toBe(value + 0);
      }),
    );
  });
});

describe("exact arithmetic", () => {
  it("compares like fractions", () => {
    fc.assert(
      fc.property(decimals, decimals, (a, b) => {
        const [x, y] = [fraction(a), fraction(b)];
        const difference = x.top * y.bottom - y.top * x.bottom;
        expect(Math.sign(compare(a, b))).toBe(difference < 0n ? -1 : difference > 0n ? 1 : 0);
        expect(compare(a, new Decimal(a.digits * 1_000n, a.scale + 3))).toBe(0);
      }),
    );
  });

  it("tells neighbours apart that no double can", () => {
    const big = decimalFromInteger(2n ** 256n);
    const above = add(big, new Decimal(1n, 18));
    expect(compare(big, above)).toBeLessThan(0);
    expect(compare(above, big)).toBeGreaterThan(0);
    expect(isZero(subtract(add(new Decimal(1n, 1), new Decimal(2n, 1)), new Decimal(3n, 1)))).toBe(
      true,
    );
  });

  it("adds, subtracts and multiplies like fractions", () => {
    fc.assert(
      fc.property(decimals, decimals, (a, b) => {
        const [x, y] = [fraction(a), fraction(b)];
        const bottom = x.bottom * y.bottom;
        const [left, right] = [x.top * y.bottom, y.top * x.bottom];
        expect(same(fraction(add(a, b)), { top: left + right, bottom })).toBe(true);
        expect(same(fraction(subtract(a, b)), { top: left - right, bottom })).toBe(true);
        expect(same(fraction(multiply(a, b)), { top: x.top * y.top, bottom })).toBe(true);
      }),
    );
  });

  it("negates and takes the size", () => {
    fc.assert(
      fc.property(decimals, (a) => {
        expect(isZero(add(a, negate(a)))).toBe(true);
        expect(compare(absolute(a), decimalFromInteger(0))).toBeGreaterThanOrEqual(0);
        expect(isZero(a)).toBe(a.toString() === "0");
      }),
    );
  });

  it("shifts by powers of ten without losing a digit", () => {
    fc.assert(
      fc.property(decimals, fc.integer({ min: -300, max: 300 }), (a, power) => {
        const shifted = shift(a, power);
        expect(shifted.scale).toBeGreaterThanOrEqual(0);
        expect(shift(shifted, -power).toString()).toBe(a.toString());
        const { top, bottom } = fraction(a);
        const [up, down] = power >= 0 ? [pow10(power), 1n] : [1n, pow10(-power)];
        expect(same(fraction(shifted), { top: top * up, bottom: bottom * down })).toBe(true);
      }),
    );
  });
});

describe("rounding", () => {
  it.each([
    ["2.5", 0, "3"],
    ["-2.5", 0, "-3"],
    ["2.4999999999999999999", 0, "2"],
    ["-0.0004", 3, "0"],
    ["0.0005", 3, "0.001"],
    ["1.005", 2, "1.01"],
    ["1250", -2, "1300"],
    ["49", -2, "0"],
    ["-50", -2, "-100"],
  ])("%s to %d decimals is %s", (given, scale, expected) => {
    const value = parseDecimal(given);
    expect(value && round(value, scale).toString()).toBe(expected);
  });

  it("goes to the nearest, half away from zero", () => {
    fc.assert(
      fc.property(decimals, fc.integer({ min: 0, max: 60 }), (a, scale) => {
        const { top, bottom } = fraction(a);
        const expected = new Decimal(nearest({ top: top * pow10(scale), bottom }), scale);
        expect(round(a, scale).toString()).toBe(expected.toString());
      }),
    );
  });

  it("divides to the nearest, half away from zero", () => {
    const nonZero = decimals.filter((b) => !isZero(b));
    fc.assert(
      fc.property(decimals, nonZero, fc.integer({ min: 0, max: 60 }), (a, b, scale) => {
        const [x, y] = [fraction(a), fraction(b)];
        const quotient = { top: x.top * y.bottom * pow10(scale), bottom: x.bottom * y.top };
        const expected = new Decimal(nearest(quotient), scale);
        expect(divide(a, b, scale).toString()).toBe(expected.toString());
      }),
    );
  });

  it("refuses to divide by zero", () => {
    expect(() => divide(new Decimal(1n, 0), Decimal.ZERO, 2)).toThrow(RangeError);
  });
});
