import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Decimal } from "../../../src/base/decimal.ts";
import type { Metric } from "../../../src/kinds/kind.ts";
import type { Quantity } from "../../../src/model/index.ts";
import { QuantityError } from "../../../src/rules/finding.ts";
import { parseDistance, parseLimit } from "../../../src/rules/parse/quantity.ts";
import { propertyRuns } from "../../support/tier.ts";

const metric = (quantity: Quantity, name = "m"): Metric => ({
  name,
  quantity,
  label: "label",
  ...(name === "range_position" ? { signed: true } : {}),
});

/** The limit as text: its exact value, tokens marked. */
function limit(raw: unknown, quantity: Quantity, name?: string): string {
  const read = parseLimit(raw, metric(quantity, name));
  return read.kind === "tokens" ? `${read.amount.toString()} tokens` : String(read.value);
}

function distance(raw: unknown, quantity: Quantity): string {
  const read = parseDistance(raw, metric(quantity));
  if (read.kind === "percent") return `${read.percent.toString()}%`;
  return read.limit.kind === "tokens"
    ? `${read.limit.amount.toString()} tokens`
    : String(read.limit.value);
}

function refusal(read: () => unknown): string {
  try {
    read();
  } catch (error) {
    if (!(error instanceof QuantityError)) throw error;
    const { expected, suggestion } = error.hint;
    return [error.message, expected ?? "", suggestion ?? ""].join(" | ");
  }
  throw new Error("was accepted");
}

describe("a limit", () => {
  it.each<[unknown, Quantity, string]>([
    ["5 gwei", "wei", "5000000000"],
    ["5gwei", "wei", "5000000000"],
    ["0.000000001 Gwei", "wei", "1"],
    ["250000000 wei", "wei", "250000000"],
    ["250000000", "wei", "250000000"],
    ["1e-18", "price", "0.000000000000000001"],
    ["0.1", "price", "0.1"],
    ["2k", "price", "2000"],
    ["1_000_000 usd", "usd", "1000000"],
    ["$1m", "usd", "1000000"],
    ["$1M", "usd", "1000000"],
    ["$ 1.5k", "usd", "1500"],
    ["1b USD", "usd", "1000000000"],
    ["1,5".replace(",", "."), "usd", "1.5"],
    ["200 ticks", "tick", "200"],
    ["-199890", "tick", "-199890"],
    ["1 tick", "tick", "1"],
    ["95%", "ratio", "0.95"],
    ["0.95", "ratio", "0.95"],
    ["25 bps", "ratio", "0.0025"],
    ["100%", "ratio", "1"],
    ["1", "ratio", "1"],
    ["3%", "percent", "3"],
    ["-3%", "percent", "-3"],
    ["25 bps", "percent", "0.25"],
    ["0.05%", "fee", "500"],
    ["5bps", "fee", "500"],
    ["500", "fee", "500"],
    ["5M tokens", "raw(token0)", "5000000 tokens"],
    ["5m tokens", "raw(token1)", "5000000 tokens"],
    ["5m", "raw(token1)", "5000000 tokens"],
    ["0.5", "raw(token0)", "0.5 tokens"],
    ["5000000 raw", "raw(token0)", "5000000"],
    ["5M tokens", "tokens", "5000000"],
    ["10k", "count", "10000"],
    ["1754000000", "seconds", "1754000000"],
    [5, "price", "5"],
    [0.1, "price", "0.1"],
    ["9".repeat(78), "integer", "9".repeat(78)],
    ["true", "boolean", "true"],
    [false, "boolean", "false"],
    ["Above", "text", "Above"],
    ["0xABCdef", "text", "0xabcdef"],
    [`0x${"Ab".repeat(20)}`, "address", `0x${"ab".repeat(20)}`],
  ])("%j of %s is %s", (raw, quantity, expected) => {
    expect(limit(raw, quantity)).toBe(expected);
  });

  it("keeps what the user wrote", () => {
    expect(parseLimit(" 5gwei ", metric("wei")).text).toBe("5gwei");
  });

  it.each<[unknown, Quantity, string]>([
    ["5 gwei", "usd", '"5 gwei" does not fit m (label) | an amount such as 50_000 usd or $1m | '],
    ["5 usd", "wei", '"5 usd" does not fit m'],
    ["$5", "wei", '"$5" does not fit m'],
    ["$5 gwei", "wei", '"$5 gwei" does not fit m'],
    [
      "$1m",
      "raw",
      '"$1m" does not fit m (label), which is not counted in dollars | an amount of tokens such as 250.5, 5M tokens or 5000000 raw | 1m tokens',
    ],
    ["$1_000 usd", "tokens", "| 1_000 tokens"],
    ["$2000", "price", "which is not counted in dollars | a plain number, the price | 2000"],
    ["$5", "count", "which is not counted in dollars | a plain number, a count | "],
    ["5 gwie", "wei", "5 gwei"],
    ["5k gwei", "wei", "does not fit"],
    ["95", "ratio", '"95" is more than the whole, which is 1 | a share such as 95% or 0.95 | 95%'],
    ["150%", "ratio", "is more than the whole"],
    ["3", "percent", '"3" has no unit | a percentage such as 3% | 3%'],
    ["0.05", "percent", '"0.05" has no unit | a percentage such as 3% | 5% or 0.05%'],
    ["0", "percent", "| 0%"],
    [
      "0.05",
      "fee",
      "a plain fee is a whole number of 0.0001% | a fee such as 0.05%, 5 bps or 500 | 5% or 0.05%",
    ],
    ["2.5", "fee", "| 2.5%"],
    ["5m", "count", "may be a million or a minute | a plain number, a count | 5M"],
    ["10%", "usd", "does not fit"],
    ["5 raw", "tokens", "does not fit"],
    [
      "1,000,000",
      "usd",
      "has a comma in its number | an amount such as 50_000 usd or $1m | 1_000_000",
    ],
    ["0,5", "price", "has a comma in its number | a plain number, the price | 0.5"],
    ["0,995", "price", "has a comma in its number | a plain number, the price | 0.995"],
    ["-0,5%", "percent", "| -0.5%"],
    ["0,250", "usd", "| 0.250"],
    ["00,125", "price", "| 00.125"],
    ["12,5 gwei", "wei", "| 12.5 gwei"],
    ["1234,567", "price", "| 1234.567"],
    ["1,005", "price", "has a comma in its number | a plain number, the price | 1.005 or 1_005"],
    ["$250,000", "usd", "| $250.000 or $250_000"],
    ["1,005", "count", "| a plain number, a count | 1_005"],
    ["200,000 ticks", "tick", "such as 200 ticks | 200_000 ticks"],
    ["95,125%", "ratio", "| 95.125%"],
    ["12,34,567", "price", "| 12_34_567"],
    ["1,000.50", "usd", "| 1_000.50"],
    ["1.000,50 usd", "usd", "| 1_000.50 usd"],
    [
      "1.000.000",
      "usd",
      "is a number in another notation | an amount such as 50_000 usd or $1m | 1_000_000",
    ],
    ["1'000'000", "usd", "| 1_000_000"],
    ["1 000 000 usd", "usd", "| 1_000_000 usd"],
    ["1,2,3", "price", '"1,2,3" has a comma in its number | a plain number, the price | '],
    ["1,000,5", "price", "has a comma in its number | a plain number, the price | "],
    [
      "0_995",
      "price",
      "is a number in another notation | a plain number, the price | 0.995 or 995",
    ],
    ["5 5", "price", '"5 5" is not a number'],
    [".5", "price", "begins with a point | a plain number, the price | 0.5"],
    ["-5 gwei", "wei", "m is never below zero"],
    ["-$5", "usd", "m is never below zero"],
    ["+-5", "tick", "is not a number"],
    ["1__0", "price", "does not fit"],
    ["_1", "price", "is not a number"],
    ["0x10", "price", "does not fit"],
    [".inf", "price", "is not a number"],
    [".nan", "price", "is not a number"],
    ["1e9999", "price", "is not a number"],
    ["1e401", "price", "is not a number"],
    ["five", "price", "is not a number"],
    ["p10", "wei", '"p10" is a level, not a distance'],
    ["300% of p50", "wei", '"300% of p50" does not fit here'],
    ["100% of escrowed", "usd", "does not fit here"],
    ["", "usd", "has no value"],
    [null, "usd", "has no value"],
    [undefined, "usd", "has no value"],
    [true, "usd", "true is not a limit for m"],
    [["1"], "usd", "a list is not a limit for m"],
    [{}, "usd", "a map is not a limit for m"],
    ["no", "boolean", '"no" is neither true nor false | true or false | false'],
    ["0x12", "address", "the address has 2 hex digits"],
    ["bob", "address", '"bob" is not an address'],
  ])("%j of %s is refused", (raw, quantity, message) => {
    expect(refusal(() => parseLimit(raw, metric(quantity)))).toContain(message);
  });

  it("that is advised can be written, and none is another order of magnitude alone", () => {
    const digits = fc.stringMatching(/^[1-9]\d{0,2}$/);
    fc.assert(
      fc.property(digits, fc.stringMatching(/^\d{3}$/), (whole, rest) => {
        const said = refusal(() => parseLimit(`${whole},${rest}`, metric("price")));
        const readings = said.split(" | ").at(-1)?.split(" or ") ?? [];
        expect(readings.map((one) => Number(limit(one, "price")))).toEqual([
          Number(`${whole}.${rest}`),
          Number(`${whole}${rest}`),
        ]);
        const below = refusal(() => parseLimit(`0,${rest}`, metric("price")));
        expect(below.split(" | ").at(-1)).toBe(`0.${rest}`);
      }),
    );
  });

  it("of a metric with few values is one of them", () => {
    const side = { ...metric("text", "side"), values: ["below", "in", "above"] };
    expect(parseLimit("below", side).kind).toBe("value");
    expect(refusal(() => parseLimit("bellow", side))).toBe(
      'side is never "bellow" | below, in or above | below',
    );
  });

  it("of a position in the range may lie outside of it", () => {
    expect(limit("1.2", "ratio", "range_position")).toBe("1.2");
    expect(limit("-0.5", "ratio", "range_position")).toBe("-0.5");
    expect(limit("-1", "ratio", "range_position")).toBe("-1");
    expect(limit("2", "ratio", "range_position")).toBe("2");
    expect(limit("1000%", "ratio", "range_position")).toBe("10");
    expect(limit("-300%", "ratio", "range_position")).toBe("-3");
  });

  it.each([
    ["10", "10%"],
    ["2.01", "2.01%"],
    ["90", "90%"],
    ["-1.5", "-1.5%"],
    ["-10", "-10%"],
  ])("of a position in the range is no plain %s", (text, meant) => {
    expect(refusal(() => parseLimit(text, metric("ratio", "range_position")))).toBe(
      `"${text}" of a range, whose width is 1, lies far beyond its edges | a share such as 95% or 0.95 | ${meant}`,
    );
  });
});

describe("a distance", () => {
  it.each<[unknown, Quantity, string]>([
    ["10%", "usd", "10%"],
    ["0.5 %", "price", "0.5%"],
    ["25 bps", "price", "0.25%"],
    ["50_000 usd", "usd", "50000"],
    ["5M tokens", "raw(token0)", "5000000 tokens"],
    ["5 gwei", "wei", "5000000000"],
    ["200 ticks", "tick", "200"],
    ["0.05", "ratio", "0.05"],
    ["5%", "ratio", "5%"],
    ["5%", "percent", "5%"],
  ])("%j of %s is %s", (raw, quantity, expected) => {
    expect(distance(raw, quantity)).toBe(expected);
  });

  it.each<[unknown, Quantity, string]>([
    ["5%", "tick", "of ticks is not supported"],
    ["5 bps", "tick", "of ticks is not supported"],
    ["0%", "usd", "is not above zero"],
    ["-10%", "usd", '"-10%" is not above zero | how far the value must go | 10%'],
    ["0", "usd", "is not above zero"],
    ["2,5%", "usd", "| 2.5%"],
    ["1,005%", "usd", "| 1.005% or 1_005%"],
    ["0_5%", "usd", "| 0.5% or 5%"],
    ["-5", "tick", "is not above zero"],
    ["5", "ratio", "points such as 0.05, or a part of the value before such as 5% | 0.05 or 5%"],
    ["3", "percent", "3%"],
    ["0.5", "fee", "50% or 0.5%"],
    ["true", "boolean", "m is not a number"],
    ["p10", "usd", "is a level, not a distance"],
    [null, "usd", "has no value"],
  ])("%j of %s is refused", (raw, quantity, message) => {
    expect(refusal(() => parseDistance(raw, metric(quantity)))).toContain(message);
  });
});

describe("exactness", () => {
  const decimals = fc
    .tuple(fc.bigInt({ min: 0n, max: 10n ** 78n }), fc.nat(30))
    .map(([digits, scale]) => new Decimal(digits, scale));

  it("a number that is printed reads back the same, whatever its size", () => {
    fc.assert(
      fc.property(decimals, (value) => {
        expect(limit(value.toString(), "price")).toBe(value.toString());
        expect(limit(`${value.toString()} usd`, "usd")).toBe(value.toString());
        expect(limit(`${value.toString()} tokens`, "raw(token0)")).toBe(
          `${value.toString()} tokens`,
        );
      }),
    );
  });

  it("units are powers of ten and lose no digit", () => {
    fc.assert(
      fc.property(decimals, (value) => {
        const text = value.toString();
        expect(limit(`${text}gwei`, "wei")).toBe(limit(`${text}e9`, "wei"));
        expect(limit(`${text}M`, "usd")).toBe(limit(`${text}e6`, "usd"));
        expect(limit(`${text}%`, "fee")).toBe(limit(`${text}e2 bps`, "fee"));
      }),
    );
  });

  it("no text makes anything but a limit or a refusal", () => {
    const text = fc.oneof(
      fc.string(),
      fc.stringMatching(/^[-+$]?[\d_.,e]{1,12} ?[kMbm%a-z]{0,6}$/),
    );
    const quantities: Quantity[] = [
      "wei",
      "usd",
      "ratio",
      "percent",
      "tick",
      "raw(token0)",
      "fee",
      "text",
      "address",
      "boolean",
    ];
    fc.assert(
      fc.property(text, fc.constantFrom(...quantities), (raw, quantity) => {
        for (const read of [parseLimit, parseDistance]) {
          try {
            expect(read(raw, metric(quantity))).toHaveProperty("kind");
          } catch (error) {
            expect(error).toBeInstanceOf(QuantityError);
          }
        }
      }),
      { numRuns: propertyRuns(500) },
    );
  });
});
