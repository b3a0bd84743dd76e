import { describe, expect, it } from "vitest";
import type { Quantity } from "../../src/base/quantity.ts";
import type {
  Comparison,
  Limit,
  LimitComparison,
  RangeFacts,
  ReferenceLimit,
} from "../../src/model/index.ts";
import { alertHeadline } from "../../src/notices/headline/headline.ts";
import { composeAlert } from "../../src/notices/notice.ts";
import { AT, alertOf, d, described, eventOf, evidenceOf, RANGE, ruleOf } from "./notice-events.ts";

const DAY = 86_400_000;

/** The first line of a firing, without its sign; `exact`: the limit in the metric's own unit. */
function headline(
  op: LimitComparison["op"] | "crosses",
  limit: Limit,
  quantity: Quantity,
  [label, value, exact]: readonly [label: string, value: string, exact: string],
  more: {
    readonly kind?: "fired" | "resolved" | "changed" | "worse" | "reminder";
    readonly unit?: string;
    readonly name?: string;
    readonly range?: RangeFacts;
    readonly decimals?: number;
  } = {},
): string {
  const metric =
    label === "distance to the edge"
      ? "pct_to_edge"
      : label === "ticks to the edge"
        ? "ticks_to_edge"
        : label === "position in the range"
          ? "range_position"
          : "metric";
  const comparison: Comparison = { op, metric, limit };
  const evidence = evidenceOf(comparison, quantity, label, d(value), { limits: [d(exact)] });
  const { kind = "fired", unit = "", name = "Ethereum", range = null, decimals = 6 } = more;
  const description = described(name, { unit: () => unit, range });
  const after =
    kind === "resolved" ? alertOf() : alertOf({ state: "firing", firedAt: AT - 3_600_000 });
  const event = eventOf(kind, evidence, {
    rule: ruleOf(comparison),
    description,
    decimals: () => decimals,
    ...(kind === "fired" ? {} : { after }),
  });
  return alertHeadline(event).replace(/^\S+ /, "");
}

function amount(text: string, kind: "value" | "tokens" = "value"): Limit {
  return kind === "value" ? { kind, value: d("1"), text } : { kind, amount: d("1"), text };
}

function percentile(text: string, rank: string, percent = "100"): Limit {
  return {
    kind: "percentile",
    percentile: d(rank),
    percent: d(percent),
    ms: 7 * DAY,
    within: "7d",
    text,
  };
}

function reference(name: string, percent = "100"): ReferenceLimit {
  return {
    kind: "reference",
    percent: d(percent),
    text: `${percent}% of ${name}`,
    reference: {
      name,
      kind: "token_balance",
      subject: { key: "k", kind: "token_balance", chainId: 1, ids: {}, name: null },
      across: null,
      metric: "balance",
      quantity: "raw",
      decimals: 6,
    },
  };
}

describe("a limit in a headline", () => {
  it.each<[string, Quantity, string, string, string, string]>([
    // The unit of the rule is the unit of both numbers, whatever would read shorter by itself.
    ["0.0001 gwei", "wei", "tip", "50000", "100000", "tip 0.00005 gwei, below 0.0001 gwei"],
    ["0.0001gwei", "wei", "tip", "99999", "100000", "tip 0.000099999 gwei, below 0.0001gwei"],
    [
      "250000000 wei",
      "wei",
      "tip",
      "120000000",
      "250000000",
      "tip 120,000,000 wei, below 250,000,000 wei",
    ],
    ["5 gwei", "wei", "tip", "4100000000", "5000000000", "tip 4.1 gwei, below 5"],
    ["12.50 gwei", "wei", "tip", "12400000000", "12500000000", "tip 12.4 gwei, below 12.50"],
    [
      "12.50 gwei",
      "wei",
      "tip",
      "12499999999",
      "12500000000",
      "tip 12.499999999 gwei, below 12.50",
    ],
    ["5000000000", "wei", "tip", "4100000000", "5000000000", "tip 4.1 gwei, below 5"],
    ["$1m", "usd", "TVL", "950000", "1000000", "TVL $950,000, below $1m"],
    ["50k usd", "usd", "TVL", "49999.99", "50000", "TVL $49,999.99, below $50k"],
    ["1_000_000 usd", "usd", "TVL", "950000", "1000000", "TVL $950,000, below $1,000,000"],
    ["1000000", "usd", "TVL", "999999.999", "1000000", "TVL $999,999.999, below $1,000,000"],
    ["2bps", "ratio", "share", "0.00015", "0.0002", "share 1.5 bps, below 2bps"],
    ["25 bps", "percent", "spread", "0.2", "0.25", "spread 20 bps, below 25 bps"],
    ["95%", "ratio", "share", "0.9421", "0.95", "share 94.21%, below 95%"],
    ["0.95", "ratio", "share", "0.9421", "0.95", "share 94.21%, below 95%"],
    ["5 bps", "fee", "fee", "300", "500", "fee 3 bps, below 5 bps"],
    ["0.05%", "fee", "fee", "300", "500", "fee 0.03%, below 0.05%"],
    ["2_050.00", "price", "price", "2049.9999", "2050", "price 2,049.9999, below 2,050.00"],
    ["-200 ticks", "tick", "tick", "-250", "-200", "tick -250, below -200"],
    ["100k", "count", "holders", "99999", "100000", "holders 99,999, below 100k"],
  ])("is shown as its rule writes it: %s", (text, quantity, label, value, exact, expected) => {
    expect(headline("below", amount(text), quantity, [label, value, exact])).toBe(
      `Ethereum ${expected}`,
    );
  });

  it("counts tokens as its rule does", () => {
    const says = (limit: Limit, value: string, exact: string): string =>
      headline("below", limit, "raw", ["balance", value, exact], { unit: "AUSD", name: "Vault" });
    expect(says(amount("5M tokens", "tokens"), "4900000000000", "5000000000000")).toBe(
      "Vault balance 4.9M AUSD, below 5M. Ethereum",
    );
    expect(says(amount("5_000_000", "tokens"), "4999999999999", "5000000000000")).toBe(
      "Vault balance 4,999,999.999999 AUSD, below 5,000,000. Ethereum",
    );
    expect(says(amount("5000000 raw"), "4999999", "5000000")).toBe(
      "Vault balance 4,999,999 raw AUSD, below 5,000,000 raw. Ethereum",
    );
  });

  it("says how many times the usual it is", () => {
    const limit = percentile("300% of p50", "50", "300");
    expect(headline("above", limit, "wei", ["tip", "12100000000", "11400000000"])).toBe(
      "Ethereum tip 12.1 gwei, 3.2 times the usual 3.8",
    );
    // Rounded to 3 it would not have been above it.
    expect(headline("above", limit, "wei", ["tip", "11500000000", "11400000000"])).toBe(
      "Ethereum tip 11.5 gwei, 3.03 times the usual 3.8",
    );
    expect(headline("above", limit, "wei", ["tip", "11400000001", "11400000000"])).toBe(
      "Ethereum tip 11.4 gwei, just over 3 times the usual 3.8",
    );
    const half = percentile("50% of p50", "50", "50");
    expect(headline("below", half, "wei", ["tip", "1520000000", "1900000000"])).toBe(
      "Ethereum tip 1.52 gwei, 40% of the usual 3.8",
    );
    const high = percentile("150% of p90", "90", "150");
    expect(headline("above", high, "wei", ["tip", "12100000000", "9000000000"])).toBe(
      "Ethereum tip 12.1 gwei, 2 times p90 of 7 d (6)",
    );
    expect(
      headline("above", limit, "wei", ["tip", "4000000000", "11400000000"], { kind: "resolved" }),
    ).toBe("Ethereum tip back to 4 gwei, 1.1 times the usual 3.8. Fired for 3 h 12 m");
    expect(
      headline("above", limit, "wei", ["tip", "1900000000", "11400000000"], { kind: "resolved" }),
    ).toBe("Ethereum tip back to 1.9 gwei, 50% of the usual 3.8. Fired for 3 h 12 m");
  });

  it("says of which part of its past it is", () => {
    const p10 = percentile("p10", "10");
    expect(headline("below", p10, "wei", ["tip", "800000000", "900000000"])).toBe(
      "Ethereum tip 0.8 gwei, cheapest tenth of 7 d (below 0.9)",
    );
    expect(
      headline("below", p10, "wei", ["tip", "2000000000", "900000000"], { kind: "resolved" }),
    ).toBe("Ethereum tip back to 2 gwei, cheapest tenth of 7 d is below 0.9");
    expect(headline("at_most", percentile("p25", "25"), "usd", ["TVL", "5", "5"])).toBe(
      "Ethereum TVL $5, lowest quarter of 7 d (at most $5)",
    );
    expect(headline("above", percentile("p95", "95"), "usd", ["TVL", "5", "4"])).toBe(
      "Ethereum TVL $5, highest 5% of 7 d (above $4)",
    );
    expect(headline("above", percentile("p10", "10"), "usd", ["TVL", "5", "4"])).toBe(
      "Ethereum TVL $5, above p10 of 7 d ($4)",
    );
    expect(headline("crosses", p10, "usd", ["TVL", "5", "4"], { kind: "changed" })).toBe(
      "TVL crossed p10 of 7 d ($4) upwards: Ethereum, now $5",
    );
  });

  it("names the reference that it is", () => {
    const words = { unit: "AUSD", name: "Polygon supply" };
    const says = (op: LimitComparison["op"], name: string, value: string, percent?: string) =>
      headline(op, reference(name, percent), "raw", ["supply", value, "9000000000000"], words);
    expect(says("below", "escrow", "8000000000000")).toBe(
      "Polygon supply supply 8M AUSD, below escrow (9M). Ethereum",
    );
    expect(says("above", "issued", "9000000000001", "40")).toBe(
      "Polygon supply supply 9,000,000.000001 AUSD, above 40% of issued (9M)",
    );
    expect(says("at_least", "escrow", "9000000000000")).toBe(
      "Polygon supply supply 9M AUSD, at least escrow (9M). Ethereum",
    );
    // A long name of it gives way to the number.
    expect(says("above", "a-reference-with-a-very-long-name", "9000000000001")).toBe(
      "Polygon supply supply 9,000,000.000001 AUSD, limit 9M. Ethereum",
    );
  });

  it("names the end of a range that a value is beyond", () => {
    const [low, high] = [reference("other", "98"), reference("other", "102")];
    const comparison: Comparison = { op: "outside", metric: "price", low, high };
    const says = (value: string): string => {
      const limits = [d("1960"), d("2040")];
      const evidence = evidenceOf(comparison, "price", "price", d(value), { limits });
      return alertHeadline(eventOf("fired", evidence));
    };
    expect(says("2040.01")).toBe(
      "🟠 ETH/USDC 0.05% price 2,040.01, above 102% of other (2,040). Ethereum",
    );
    expect(says("1959")).toBe(
      "🟠 ETH/USDC 0.05% price 1,959, below 98% of other (1,960). Ethereum",
    );
  });
});

describe("a value among the fields", () => {
  it.each<[string, Quantity, string, Limit, string, string, string]>([
    // To the last unit of what is counted.
    [
      "an amount",
      "raw",
      "1234567891234",
      amount("5M", "tokens"),
      "5000000000000",
      "1.23M AUSD (exactly 1,234,567.891234 AUSD)",
      "below 5M",
    ],
    [
      "a count",
      "count",
      "1234567",
      amount("2M"),
      "2000000",
      "1.23M AUSD (exactly 1,234,567 AUSD)",
      "below 2M",
    ],
    // Of money and shares what was rounded away is nothing that anybody acts upon.
    ["money", "usd", "18700000.012345678901", amount("$20m"), "20000000", "$18.7M", "below $20m"],
    ["a price", "price", "2086.0412345678", amount("2100"), "2100", "2,086.04 AUSD", "below 2100"],
    ["a tip", "wei", "7412345678", amount("8 gwei"), "8000000000", "7.41 gwei", "below 8 gwei"],
    // It matters on which side of the limit it is.
    [
      "money beside",
      "usd",
      "19999999.99",
      amount("$20m"),
      "20000000",
      "$19,999,999.99",
      "below $20m",
    ],
    [
      "a tip in wei",
      "wei",
      "50000",
      amount("0.0001 gwei"),
      "100000",
      "0.00005 gwei",
      "below 0.0001 gwei",
    ],
    [
      "a tip beside",
      "wei",
      "900000000",
      percentile("p10", "10"),
      "1000000000",
      "0.9 gwei",
      "below p10 of 7 d (1 gwei)",
    ],
    [
      "an escrow",
      "raw",
      "8000000",
      reference("escrow"),
      "9000000",
      "8 AUSD",
      "below 100% of escrow (9 AUSD)",
    ],
  ])(
    "has the digits that somebody needs: %s",
    (_, quantity, value, limit, exact, shown, against) => {
      const comparison: Comparison = { op: "below", metric: "metric", limit };
      const evidence = evidenceOf(comparison, quantity, "metric", d(value), { limits: [d(exact)] });
      const description = described("Vault", { unit: () => (quantity === "wei" ? "" : "AUSD") });
      const event = eventOf("fired", evidence, { description, decimals: () => 6 });
      const [first, second] = composeAlert(event, []).fields;
      expect([first, second]).toEqual([
        { name: "Metric", value: shown },
        { name: "Limit", value: against },
      ]);
    },
  );
});

describe("the headline of a distance to an edge", () => {
  const near: RangeFacts = { ...RANGE, tick: -199_210 };
  const says = (range: RangeFacts, value: string, kind: "fired" | "resolved" = "fired"): string =>
    headline("below", amount("1%"), "percent", ["distance to the edge", value, "1"], {
      range,
      name: "Treasury ETH/USDC",
      kind,
    });

  it("names the edge", () => {
    expect(says(near, "0.8")).toBe(
      "Treasury ETH/USDC 0.8% from the upper edge 2,250 USDC/ETH, below 1%. Ethereum",
    );
    expect(says({ ...near, tick: -199_980 }, "0.8")).toContain("the lower edge 2,050 USDC/ETH");
    expect(says({ ...near, tick: -199_100 }, "-0.3")).toBe(
      "Treasury ETH/USDC 0.3% past the upper edge 2,250 USDC/ETH, below 1%. Ethereum",
    );
    // Prices fall with the tick: the upper tick is the lower price.
    expect(says({ ...near, inverted: true }, "0.8")).toContain("the lower edge 2,050 USDC/ETH");
    expect(says(near, "1.6", "resolved")).toBe(
      "Treasury ETH/USDC back to 1.6% from the upper edge 2,250 USDC/ETH, limit 1%",
    );
  });

  it("does so in ticks, for the place in the range and for events", () => {
    const more = { range: near, name: "Treasury", unit: "" };
    const ticks = ["ticks to the edge", "80", "100"] as const;
    expect(headline("below", amount("100 ticks"), "tick", ticks, more)).toBe(
      "Treasury 80 ticks from the upper edge 2,250 USDC/ETH, below 100. Ethereum",
    );
    for (const [value, far] of [
      ["1", "1 tick from"],
      ["-1", "1 tick past"],
      ["-11", "11 ticks past"],
    ] as const) {
      const one = ["ticks to the edge", value, "100"] as const;
      expect(headline("below", amount("100 ticks"), "tick", one, more)).toMatch(
        new RegExp(`^Treasury ${far} the upper edge`),
      );
    }
    const place = ["position in the range", "0.914", "0.9"] as const;
    expect(headline("above", amount("90%"), "ratio", place, more)).toBe(
      "Treasury at 91.4% of its range (upper edge 2,250 USDC/ETH), limit 90%",
    );
    const crossed = ["distance to the edge", "0.9", "1"] as const;
    expect(
      headline("crosses", amount("1%"), "percent", crossed, { ...more, kind: "changed" }),
    ).toBe("Treasury now 0.9% from the upper edge 2,250 USDC/ETH, crossed 1% downwards");
  });

  it("does without the edge while prices are not known", () => {
    const edge = ["distance to the edge", "0.8", "1"] as const;
    expect(headline("below", amount("1%"), "percent", edge, { name: "Treasury" })).toBe(
      "Treasury distance to the edge 0.8%, below 1%. Ethereum",
    );
  });
});
