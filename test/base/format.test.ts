import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatBucket, formatTime } from "../../src/base/clock.ts";
import { absolute, compare, Decimal, parseDecimal, shift } from "../../src/base/decimal.ts";
import {
  formatBeside,
  formatChange,
  formatFigure,
  formatPercentChange,
  formatPrice,
  formatValue,
  percentOf,
  type Written,
} from "../../src/base/format.ts";
import type { Quantity } from "../../src/base/quantity.ts";

function d(text: string): Decimal {
  const value = parseDecimal(text.replaceAll("_", ""));
  if (value === null) throw new Error(`no number: ${text}`);
  return value;
}

const USDC: Written = { quantity: "raw(token1)", decimals: 6, unit: "USDC" };
const PRICE: Written = { quantity: "price", unit: "USDC per ETH" };

describe("a value for people", () => {
  it.each<[Quantity, string, string]>([
    ["wei", "7400000000", "7.4 gwei"],
    ["wei", "7412345678", "7.41 gwei"],
    ["wei", "25310000000", "25.3 gwei"],
    ["wei", "1234000000000", "1,234 gwei"],
    ["wei", "1000000", "0.001 gwei"],
    ["wei", "999999", "999,999 wei"],
    ["wei", "0", "0 wei"],
    ["usd", "18712345.678", "$18.7M"],
    ["usd", "4_100_000", "$4.1M"],
    ["usd", "999_999_999", "$1B"],
    ["usd", "1_234.5", "$1,234.50"],
    ["usd", "1234", "$1,234"],
    ["usd", "50_000.4", "$50,000"],
    ["usd", "0.99871", "$0.9987"],
    ["usd", "1.00234", "$1.0023"],
    ["usd", "-4_100_000", "-$4.1M"],
    ["price", "2086.0412345", "2,086.04"],
    ["price", "2250", "2,250"],
    ["price", "0.00047937698", "0.000479377"],
    ["price", "3.4025678e38", "3.40257e+38"],
    ["price", "0.0000000000012345678", "1.23457e-12"],
    ["percent", "18", "18%"],
    ["percent", "12.3456", "12.35%"],
    ["percent", "0.010001", "0.01%"],
    ["ratio", "0.9512", "95.12%"],
    ["ratio", "1", "100%"],
    ["fee", "500", "0.05%"],
    ["fee", "8388608", "dynamic"],
    ["tick", "-199890", "-199,890"],
    ["count", "12345", "12,345"],
    ["count", "1234567", "1.23M"],
    ["integer", "49387053232", "49,387,053,232"],
    ["integer", "1234567890123456789", "1.23e+18"],
    ["tokens", "6_200_000", "6.2M"],
    ["tokens", "0.001219718758116679", "0.0012197"],
    ["seconds", "1795788300", "2026-11-27 14:05 UTC"],
    ["seconds", "99999999999999999", "99,999,999,999,999,999"],
  ])("writes %s %s as %s", (quantity, value, expected) => {
    expect(formatValue(d(value), { quantity })).toBe(expected);
  });

  it("writes raw amounts in whole tokens, or says that they are raw", () => {
    expect(formatValue(d("1999707000"), USDC)).toBe("1,999.707 USDC");
    expect(formatValue(d("1999707"), { ...USDC, decimals: null })).toBe("1,999,707 raw USDC");
    expect(formatValue(d("1999707"), { quantity: "raw(token0)" })).toBe("1,999,707 raw units");
  });

  it("writes booleans as yes and no, and cuts long text", () => {
    expect(formatValue(true, { quantity: "boolean" })).toBe("yes");
    expect([...formatValue("x".repeat(5_000), { quantity: "text" })]).toHaveLength(80);
  });

  it("has every digit in the full form", () => {
    expect(formatValue(d("7412345678"), { quantity: "wei" }, "full")).toBe("7.412345678 gwei");
    expect(formatValue(d("18712345.6789"), { quantity: "usd" }, "full")).toBe("$18,712,345.6789");
    const most = (1n << 256n) - 1n;
    const text = formatValue(new Decimal(most, 0), { quantity: "integer" }, "full");
    expect(text.replaceAll(",", "")).toBe(most.toString());
  });

  it("signs changes and counts ticks", () => {
    expect(formatChange(d("6_200_000"), { quantity: "tokens", unit: "AUSD" })).toBe("+6.2M AUSD");
    expect(formatChange(d("-4_100_000"), { quantity: "usd" })).toBe("-$4.1M");
    expect(formatChange(d("-200"), { quantity: "tick" })).toBe("-200 ticks");
    expect(formatChange(d("0"), { quantity: "usd" })).toBe("$0");
  });

  it("writes percentages of a change whole, one decimal below ten", () => {
    expect(formatPercentChange(d("-18.04"))).toBe("-18%");
    expect(formatPercentChange(d("6.24"))).toBe("+6.2%");
    expect(formatPercentChange(d("0"))).toBe("0%");
    expect(formatPercentChange(d("-18.45"), d("18.4"))).toBe("-18.5%");
    expect(percentOf(d("-1"), d("0"))).toBeNull();
    expect(percentOf(d("-1"), d("-3"))?.toString()).toBe("-33.333333");
  });

  it("writes times in UTC", () => {
    const at = Date.UTC(2026, 10, 27, 23);
    expect(formatTime(at + 65 * 60_000)).toBe("2026-11-28 00:05 UTC");
    expect(formatBucket(at, 3_600_000)).toBe("23:00-00:00 UTC");
    expect(formatBucket(Date.UTC(2026, 10, 27), 86_400_000)).toBe("2026-11-27 UTC");
    expect(formatTime(Number.NaN)).toBe("an unknown time");
  });

  it("groups prices and keeps six digits", () => {
    expect(formatPrice(d("12345.678"))).toBe("12,345.7");
    expect(formatPrice(d("0"))).toBe("0");
  });
});

describe("numbers that are compared", () => {
  it.each<[string, string, string, string]>([
    ["2250.001", "2250", "2,250.001", "2,250"],
    ["2249.9999999", "2250", "2,249.9999999", "2,250"],
    ["2310", "2250", "2,310", "2,250"],
  ])("shows that %s is not %s", (value, limit, left, right) => {
    const [a, b] = formatBeside([d(value), d(limit)], PRICE);
    expect([a?.number, b?.number]).toEqual([left, right]);
  });

  it("shows it across units and suffixes", () => {
    const texts = (values: string[], quantity: Quantity): string[] =>
      formatBeside(values.map(d), { quantity }).map(({ number, unit }) =>
        `${number} ${unit}`.trim(),
      );
    expect(texts(["999999.7", "1000000"], "usd")).toEqual(["$999,999.70", "$1M"]);
    expect(texts(["18_700_001", "18_700_000"], "usd")).toEqual(["$18,700,001", "$18.7M"]);
    expect(texts(["999999", "1000000"], "wei")).toEqual(["999,999 wei", "0.001 gwei"]);
  });

  it("tells 2^256 − 1 from 2^256 − 2", () => {
    const most = (1n << 256n) - 1n;
    const [a, b] = formatBeside([new Decimal(most, 0), new Decimal(most - 1n, 0)], {
      quantity: "integer",
    });
    expect(a?.number).not.toBe(b?.number);
  });
});

const decimals = fc
  .tuple(fc.bigInt({ min: -(1n << 256n), max: 1n << 256n }), fc.integer({ min: 0, max: 40 }))
  .map(([digits, scale]) => new Decimal(digits, scale));
const positive = decimals.map(absolute);
const measures = fc.constantFrom<Quantity>(
  "wei",
  "usd",
  "price",
  "percent",
  "ratio",
  "count",
  "integer",
  "tokens",
  "tick",
);

describe("for any number", () => {
  it("the shown digits are close, and are what the text says", () => {
    fc.assert(
      fc.property(positive, measures, (value, quantity) => {
        const { shown, number, unit } = formatFigure(value, { quantity });
        // Three significant digits at least: off by less than one percent.
        const off = absolute(subtractExact(shown, value));
        expect(compare(shift(off, 2), value)).toBeLessThanOrEqual(0);
        expect(compare(readBack(number, unit, quantity), shown)).toBe(0);
      }),
    );
  });

  it("the full form reads back as the very number", () => {
    fc.assert(
      fc.property(positive, measures, (value, quantity) => {
        const { number, unit, shown } = formatFigure(value, { quantity }, "full");
        expect(compare(shown, value)).toBe(0);
        expect(compare(readBack(number, unit, quantity), value)).toBe(0);
      }),
    );
  });

  it("two compared numbers look as they are: less, equal or greater", () => {
    const near = fc
      .tuple(positive, fc.bigInt({ min: -1_000n, max: 1_000n }))
      .map(([a, step]) => [a, absolute(new Decimal(a.digits + step, a.scale))] as const);
    const pairs = fc.oneof(fc.tuple(positive, positive), near);
    fc.assert(
      fc.property(pairs, measures, ([a, b], quantity) => {
        const [left, right] = formatBeside([a, b], { quantity });
        const looks = compare(
          readBack(left!.number, left!.unit, quantity),
          readBack(right!.number, right!.unit, quantity),
        );
        expect(Math.sign(looks)).toBe(Math.sign(compare(a, b)));
      }),
    );
  });

  it("a percent change never looks as if it were on the other side of its limit", () => {
    const percents = fc
      .bigInt({ min: -100_000_000n, max: 100_000_000n })
      .map((n) => new Decimal(n, 6));
    fc.assert(
      fc.property(percents, percents.map(absolute), (change, limit) => {
        const shown = d(formatPercentChange(change, limit).replace(/[%,]/g, ""));
        expect(Math.sign(compare(absolute(shown), limit))).toBe(
          Math.sign(compare(absolute(change), limit)),
        );
      }),
    );
  });
});

function subtractExact(a: Decimal, b: Decimal): Decimal {
  const scale = Math.max(a.scale, b.scale);
  return new Decimal(
    a.digits * 10n ** BigInt(scale - a.scale) - b.digits * 10n ** BigInt(scale - b.scale),
    scale,
  );
}

/** What a reader takes a written number for, in the quantity's own unit. */
function readBack(number: string, unit: string, quantity: Quantity): Decimal {
  const powers: Record<string, number> = { M: 6, B: 9, T: 12 };
  const plain = number.replace(/[$,%]/g, "");
  const power = powers[plain.slice(-1)] ?? 0;
  const value = shift(d(power === 0 ? plain : plain.slice(0, -1)), power);
  if (quantity === "ratio") return shift(value, -2);
  return unit === "gwei" ? shift(value, 9) : value;
}
