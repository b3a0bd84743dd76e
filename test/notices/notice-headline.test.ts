import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Decimal } from "../../src/base/decimal.ts";
import type { AlertEvent } from "../../src/decide/event.ts";
import { withNotificationState } from "../../src/decide/notification-state.ts";
import type { Comparison, Condition, RangeFacts, Value } from "../../src/model/index.ts";
import { alertHeadline } from "../../src/notices/headline/headline.ts";
import {
  AT,
  alertOf,
  changes,
  compares,
  d,
  described,
  eventOf,
  evidenceOf,
  limit,
  RANGE,
  ruleOf,
} from "./notice-events.ts";

const OUT = compares("equals", "in_range", false);
const MINUTE = 60_000;
const HOUR_BUCKET = { start: Date.UTC(2026, 10, 27, 14), ms: 60 * MINUTE };

function ranged(
  kind: "fired" | "resolved",
  value: boolean,
  range: RangeFacts | null,
  more: Partial<AlertEvent> = {},
): string {
  const evidence = evidenceOf(OUT, "boolean", "in range", value, {
    metric: { name: "in_range", quantity: "boolean", label: "in range", range: true },
  });
  const description = described("Treasury ETH/USDC", { range });
  return alertHeadline(eventOf(kind, evidence, { description, ...more }));
}

function tip(kind: "fired" | "resolved", wei: string, metric = "tip (top 10%)"): string {
  const comparison = compares("above", "tip_top10", d("5_000_000_000"), "5 gwei");
  const evidence = evidenceOf(comparison, "wei", metric, d(wei), { limits: [d("5000000000")] });
  const description = described("Ethereum");
  return alertHeadline(eventOf(kind, evidence, { description, bucket: HOUR_BUCKET }));
}

describe("the headline of a position", () => {
  it("says on which side of its range it is and what it holds", () => {
    expect(ranged("fired", false, RANGE)).toBe(
      "🟠 Out of range: Treasury ETH/USDC. 2,310 > 2,250 USDC/ETH. Now all USDC",
    );
    expect(ranged("fired", false, { ...RANGE, price: "1,990", tick: -200_100 })).toBe(
      "🟠 Out of range: Treasury ETH/USDC. 1,990 < 2,050 USDC/ETH. Now all ETH",
    );
  });

  it("shows the ticks where the printed prices do not show the side", () => {
    expect(ranged("fired", false, { ...RANGE, price: "2,250", tick: -199_130 })).toBe(
      "🟠 Out of range: Treasury ETH/USDC. tick -199,130 ≥ -199,130. Now all USDC",
    );
    expect(ranged("fired", false, { ...RANGE, price: "2,050.01", tick: -200_061 })).toBe(
      "🟠 Out of range: Treasury ETH/USDC. tick -200,061 < -200,060. Now all ETH",
    );
  });

  it("says that it is back and for how long it was out", () => {
    expect(ranged("resolved", true, { ...RANGE, price: "2,231", tick: -199_200 })).toBe(
      "🟢 Back in range: Treasury ETH/USDC at 2,231 USDC/ETH. Was out 3 h 12 m",
    );
  });

  it("counts from where for began to where resolve_after did, as far as the alert knows", () => {
    const rule = { ...ruleOf(OUT), forMs: 60 * MINUTE, resolveAfterMs: 5 * MINUTE };
    const firedAt = AT - 192 * MINUTE;
    const back = { state: "recovering", firedAt, since: AT - 5 * MINUTE } as const;
    const said = (more: Partial<AlertEvent>): string =>
      ranged("resolved", true, null, more).replace(/^.*ETH\/USDC/, "");
    const old = alertOf({ ...back, createdAt: 0 });
    expect(said({ rule, before: old })).toBe(". Was out 4 h 7 m");
    // It fired as its rule started, without having been seen out for so long.
    expect(said({ rule, before: alertOf({ ...back, createdAt: firedAt }) })).toBe(
      ". Was out 3 h 7 m",
    );
    // A gate let it fire later than `for` says.
    const gates = { onlyWhile: ["cheap-gas"], unless: [], anyChain: false };
    expect(said({ rule: { ...rule, gates }, before: old })).toBe("");
  });

  it("says that it was closed", () => {
    expect(ranged("resolved", false, RANGE, { closed: true })).toBe(
      "⚪ Closed: Treasury ETH/USDC. Was out 3 h 12 m",
    );
  });

  it("does not call it back when another term of the rule is over", () => {
    const when: Condition = { op: "all", terms: [OUT, compares("above", "value_usd", d("5"))] };
    expect(ranged("resolved", false, RANGE, { rule: ruleOf(when) })).toBe(
      "⚪ Resolved: Treasury ETH/USDC. Still not in range. Fired for 3 h 12 m",
    );
  });

  it("speaks of coming and leaving for a rule that fires in range", () => {
    const within = compares("equals", "in_range", true);
    const evidence = evidenceOf(within, "boolean", "in range", true);
    const description = described("Treasury", { range: { ...RANGE, tick: -199_200 } });
    expect(alertHeadline(eventOf("fired", evidence, { description }))).toBe(
      "🟠 In range: Treasury at 2,310 USDC/ETH. Ethereum",
    );
    const out = evidenceOf(within, "boolean", "in range", false);
    expect(alertHeadline(eventOf("resolved", out, { description }))).toBe(
      "🟢 Out of range again: Treasury at 2,310 USDC/ETH. Was in 3 h 12 m",
    );
  });

  it("does without prices while they are not known", () => {
    expect(ranged("fired", false, null)).toBe("🟠 Out of range: Treasury ETH/USDC. Ethereum");
  });
});

describe("the headline of a level", () => {
  it("names value, limit and what the value is", () => {
    expect(tip("fired", "7400000000")).toBe(
      "🟠 Ethereum tip 7.4 gwei, limit 5. Top 10%, average of 14:00-15:00 UTC",
    );
    expect(tip("resolved", "3900000000")).toBe(
      "🟢 Ethereum tip back to 3.9 gwei, limit 5. Top 10%, average of 14:00-15:00 UTC",
    );
  });

  it("calls no limit left when one of several terms is over", () => {
    const low = compares("above", "tvl_usd", d("5"));
    const when: Condition = { op: "all", terms: [low, compares("above", "volume_usd", d("5"))] };
    const evidence = evidenceOf(low, "usd", "TVL", d("9"), { limits: [d("5")] });
    expect(alertHeadline(eventOf("resolved", evidence, { rule: ruleOf(when) }))).toBe(
      "🟢 Resolved: ETH/USDC 0.05%. TVL $9. Fired for 3 h 12 m",
    );
  });

  it("names the token by its unit", () => {
    const below = compares("below", "amount1", d("2500000000"));
    const evidence = evidenceOf(below, "raw(token1)", "reserve of token1", d("1999707000"), {
      limits: [d("2500000000")],
    });
    const description = described("ETH/USDC 0.05%", { unit: () => "USDC" });
    expect(alertHeadline(eventOf("fired", evidence, { description, decimals: () => 6 }))).toBe(
      "🟠 ETH/USDC 0.05% reserve 1,999.707 USDC, below 2,500. Ethereum",
    );
  });

  it("never shows a crossed limit as not crossed", () => {
    expect(tip("fired", "5000000001", "tip")).toBe(
      "🟠 Ethereum tip 5.000000001 gwei, limit 5. Average of 14:00-15:00 UTC",
    );
  });

  it.each<[Condition, Value, readonly Value[], string]>([
    [
      compares("below", "tvl_usd", d("5000000")),
      d("4_100_000"),
      [d("5000000")],
      "TVL $4.1M, below $5,000,000",
    ],
    [compares("at_most", "tvl_usd", d("5")), d("5"), [d("5")], "TVL $5, at most $5"],
    [
      { op: "outside", metric: "tvl_usd", low: limit(d("2")), high: limit(d("4")) },
      d("5"),
      [d("2"), d("4")],
      "TVL $5, outside $2 to $4",
    ],
    [
      { op: "not", term: compares("above", "tvl_usd", d("5")) },
      d("4"),
      [d("5")],
      "TVL $4, not above $5",
    ],
    [compares("not_equals", "tvl_usd", d("5")), d("4"), [d("5")], "TVL $4, not $5"],
  ])("puts %j into words", (when, value, limits, expected) => {
    const comparison = (when.op === "not" ? when.term : when) as Comparison;
    const evidence = evidenceOf(comparison, "usd", "TVL", value, { limits });
    const event = eventOf("fired", evidence, { rule: ruleOf(when) });
    expect(alertHeadline(event)).toBe(`🟠 ETH/USDC 0.05% ${expected}. Ethereum`);
  });

  it("shows text and booleans as they are, cut", () => {
    const side = evidenceOf(compares("equals", "side", "above"), "text", "side", "above", {
      limits: ["above"],
    });
    expect(alertHeadline(eventOf("fired", side))).toBe(
      "🟠 ETH/USDC 0.05%: side is above. Ethereum",
    );
    const closed = evidenceOf(compares("equals", "closed", true), "boolean", "closed", false);
    expect(alertHeadline(eventOf("resolved", closed))).toBe(
      "🟢 ETH/USDC 0.05% is now not closed. Fired for 3 h 12 m",
    );
  });
});

describe("the headline of a change", () => {
  const ten = { kind: "percent", percent: d("10"), text: "10%" } as const;

  it("says how much was lost in which time", () => {
    const evidence = evidenceOf(changes("falls", "tvl_usd", ten), "usd", "TVL", d("18_700_000"), {
      base: d("22_800_000"),
    });
    const rule = ruleOf(evidence.comparison, { severity: "critical" });
    expect(alertHeadline(eventOf("fired", evidence, { rule }))).toBe(
      "🔴 TVL -18% in 1 h: ETH/USDC 0.05% lost $4.1M, now $18.7M. Limit 10%. Ethereum",
    );
  });

  it("compares an amount with its limit", () => {
    const by = {
      kind: "absolute",
      limit: { kind: "tokens", amount: d("5_000_000"), text: "5M tokens" },
      text: "5M tokens",
    } as const;
    const moves = changes("moves", "total_supply", by, 24 * 60 * MINUTE);
    const evidence = evidenceOf(moves, "raw(token0)", "supply", d("306_200_000_000000"), {
      base: d("300_000_000_000000"),
    });
    const description = described("Polygon", { chain: "Polygon", unit: () => "AUSD" });
    const event = eventOf("fired", evidence, { description, decimals: () => 6 });
    expect(alertHeadline(event)).toBe(
      "🟠 Supply +6.2M AUSD in 24 h: Polygon, limit 5M, now 306M AUSD",
    );
  });

  it("tells both prices of a price that moved", () => {
    const by = { kind: "percent", percent: d("5"), text: "5%" } as const;
    const evidence = evidenceOf(changes("moves", "price", by), "price", "price", d("2310.27"), {
      base: d("2086.04"),
    });
    const description = described("ETH/USDC 0.05%", { unit: () => "USDC per ETH" });
    expect(alertHeadline(eventOf("fired", evidence, { description }))).toBe(
      "🟠 Price +11% in 1 h: ETH/USDC 0.05% now 2,310.27 USDC/ETH, was 2,086.04",
    );
  });

  it("has no percentages of ticks", () => {
    const by = { kind: "absolute", limit: limit(d("200")), text: "200 ticks" } as const;
    const evidence = evidenceOf(
      changes("rises", "current_tick", by),
      "tick",
      "tick",
      d("-199300"),
      {
        base: d("-199730"),
      },
    );
    expect(alertHeadline(eventOf("fired", evidence))).toBe(
      "🟠 Tick +430 ticks in 1 h: ETH/USDC 0.05%, limit 200, now -199,300. Ethereum",
    );
    const told = alertOf({ lastNotified: { state: "firing", value: "-198870", channels: [] } });
    const before = withNotificationState(told, { metric: "current_tick" });
    expect(alertHeadline(eventOf("resolved", evidence, { before }))).toBe(
      "⚪ Tick steady at -199,300: ETH/USDC 0.05%, -430 ticks since it fired. Ethereum",
    );
  });

  it("does without a percentage of zero", () => {
    const evidence = evidenceOf(changes("rises", "tvl_usd", ten), "usd", "TVL", d("500"), {
      base: d("0"),
    });
    expect(alertHeadline(eventOf("fired", evidence))).toBe(
      "🟠 TVL +$500 in 1 h: ETH/USDC 0.05%, now $500. Ethereum",
    );
  });

  it("resolves with what is true and not with a recovery", () => {
    const evidence = evidenceOf(changes("falls", "tvl_usd", ten), "usd", "TVL", d("50"), {
      base: d("50"),
    });
    const told = alertOf({
      state: "firing",
      firedAt: AT - 60 * MINUTE,
      lastNotified: { state: "firing", value: "89.2", channels: [] },
    });
    const before = withNotificationState(told, { metric: "tvl_usd" });
    expect(alertHeadline(eventOf("resolved", evidence, { before }))).toBe(
      "⚪ TVL steady at $50: ETH/USDC 0.05%, -44% since it fired. Ethereum",
    );
  });
});

describe("the headline of missing data", () => {
  const missing = { since: AT - 15 * MINUTE, rounds: 15, told: true };

  it("says since when and that the state is kept", () => {
    const after = alertOf({ state: "firing", missing, label: "Avalanche" });
    const event = eventOf("no_data", null, { after, description: null });
    expect(alertHeadline(event)).toBe(
      "⚪ No data 15 min: Avalanche. Still firing, its state is kept. Ethereum",
    );
  });

  it("says that it is back, with the value", () => {
    const evidence = evidenceOf(compares("above", "tvl_usd", d("5")), "usd", "TVL", d("4"), {
      limits: [d("5")],
    });
    const before = alertOf({ missing });
    expect(alertHeadline(eventOf("data_back", evidence, { before }))).toBe(
      "⚪ Data back after 15 min: ETH/USDC 0.05%. Quiet: TVL $4",
    );
  });

  it("names a subject of which nothing was ever heard by its id", () => {
    const event = eventOf("no_data", null, { description: null });
    expect(alertHeadline(event)).toContain("0x21c6");
  });
});

describe("any headline", () => {
  const numbers = fc
    .tuple(fc.bigInt({ min: 0n, max: 1n << 256n }), fc.integer({ min: 0, max: 30 }))
    .map(([digits, scale]) => new Decimal(digits, scale));
  const names = fc.oneof(
    fc.string({ unit: "binary", maxLength: 300 }),
    fc.constant("X".repeat(5_000)),
  );
  const kinds = fc.constantFrom("fired", "resolved", "changed", "no_data", "data_back");
  const conditions = fc.constantFrom(
    compares("above", "m", d("1")),
    compares("below", "m", d("1")),
    changes("falls", "m", { kind: "percent", percent: d("10"), text: "10%" }),
    changes("moves", "m", { kind: "absolute", limit: limit(d("10")), text: "10" }),
    { op: "changes", metric: "m" } as const,
    { op: "crosses", metric: "m", limit: limit(d("10")) } as const,
  );
  const places = fc.constantFrom(
    { kind: "v4_pool", across: null },
    { kind: "token_balance", across: null },
    { kind: "token_supply", across: "sum" as const },
  );
  const quantities = fc.constantFrom(
    "usd",
    "wei",
    "price",
    "raw",
    "raw(token1)",
    "integer",
    "tick",
  );

  it("is one line of at most 80 visible characters", () => {
    fc.assert(
      fc.property(
        kinds,
        conditions,
        quantities,
        names,
        numbers,
        numbers,
        places,
        (kind, comparison, quantity, name, value, other, place) => {
          const evidence = evidenceOf(comparison, quantity, "number", value, {
            limits: "limit" in comparison ? [other] : [],
            base: "span" in comparison || comparison.op === "changes" ? other : null,
          });
          const description = described(name, { unit: () => name });
          const rule = ruleOf(comparison, place);
          const text = alertHeadline(
            eventOf(kind, evidence, { description, rule, decimals: () => 6 }),
          );
          expect([...text].length).toBeLessThanOrEqual(80);
          expect(text).not.toMatch(/[\p{Cc}\u202a-\u202e\u2066-\u2069\u200b-\u200f]/u);
        },
      ),
    );
  });

  it("never cuts a number that it shows", () => {
    const small = fc.bigInt({ min: 0n, max: 10n ** 6n });
    const long = fc.string({ unit: fc.constantFrom("A", "b", " ", "é", "🦄"), maxLength: 90 });
    fc.assert(
      fc.property(
        kinds,
        conditions,
        places,
        long,
        small,
        (kind, comparison, place, name, value) => {
          const evidence = evidenceOf(comparison, "integer", "count", new Decimal(value, 0), {
            limits: "limit" in comparison ? [d("500")] : [],
            base: "limit" in comparison ? null : d("500"),
          });
          const rule = ruleOf(comparison, place);
          const text = alertHeadline(
            eventOf(kind, evidence, { rule, description: described(`N${name}`) }),
          );
          // What is no whole number of these would be one that was cut.
          const shown = text.match(/[\d,]*\d/g) ?? [];
          const whole = value.toString().replace(/\B(?=(?:\d{3})+$)/g, ",");
          const delta = value > 500n ? value - 500n : 500n - value;
          const known = new Set([
            whole,
            "500",
            "10",
            "1",
            "3",
            "12",
            delta.toString().replace(/\B(?=(?:\d{3})+$)/g, ","),
          ]);
          for (const number of shown) {
            if (!text.includes(`${number}%`) && !text.includes(`.${number}`)) {
              expect([...known]).toContain(number);
            }
          }
          expect([...text].length).toBeLessThanOrEqual(80);
        },
      ),
    );
  });

  it("cuts the name and keeps the numbers", () => {
    const comparison = compares("above", "tvl_usd", d("5000000"));
    const evidence = evidenceOf(comparison, "usd", "TVL", d("18_700_000"), {
      limits: [d("5000000")],
    });
    const description = described(
      "A very long name of a pool that goes on and on and on, for ever",
    );
    const text = alertHeadline(eventOf("fired", evidence, { description }));
    expect([...text].length).toBeLessThanOrEqual(80);
    expect(text).toContain("… TVL $18.7M, limit $5,000,000");
  });
});

describe("the headline of an event", () => {
  const OWNER = { from: `0x${"1".repeat(40)}`, to: `0x${"2".repeat(40)}` };

  function event(
    comparison: Comparison,
    quantity: "usd" | "price" | "count" | "address" | "boolean",
    label: string,
    value: Value,
    base: Value | null,
    more: Partial<AlertEvent> = {},
  ): string {
    const limits =
      comparison.op === "crosses" ? [(comparison.limit as { value: Value }).value] : [];
    const evidence = evidenceOf(comparison, quantity, label, value, { base, limits });
    return alertHeadline(eventOf("changed", evidence, more));
  }
  const changed = (metric: string): Comparison => ({ op: "changes", metric });
  const crosses = (metric: string, value: string): Comparison => ({
    op: "crosses",
    metric,
    limit: limit(d(value)),
  });

  it("tells from what to what a text changed", () => {
    const rule = ruleOf(changed("owner"), { severity: "info" });
    const description = described("Treasury ETH/USDC");
    const text = event(changed("owner"), "address", "owner", OWNER.to, OWNER.from, {
      rule,
      description,
    });
    expect(text).toBe(
      "🔵 Owner changed: Treasury ETH/USDC. 0x111111…1111 → 0x222222…2222. Ethereum",
    );
  });

  it("tells from what to what a number changed, with the digits that show it", () => {
    expect(event(changed("holder_count"), "count", "holders", d("1234567"), d("1234566"))).toBe(
      "🟠 Holders changed: ETH/USDC 0.05%. 1,234,566 → 1,234,567. Ethereum",
    );
  });

  it("says what a yes or no is now", () => {
    expect(event(changed("closed"), "boolean", "closed", true, false)).toBe(
      "🟠 ETH/USDC 0.05% is now closed. Ethereum",
    );
    const description = described("Treasury ETH/USDC", { range: RANGE });
    expect(event(changed("in_range"), "boolean", "in range", false, true, { description })).toBe(
      "🟠 Out of range: Treasury ETH/USDC. 2,310 > 2,250 USDC/ETH. Now all USDC",
    );
  });

  it("names the limit that was crossed, which way, and the value", () => {
    const description = described("ETH/USDC 0.05%", { unit: () => "USDC per ETH" });
    const price = (value: string, base: string): string =>
      event(crosses("price", "2000"), "price", "price", d(value), d(base), { description });
    expect(price("2003", "1990")).toBe(
      "🟠 Price crossed 2,000 USDC/ETH upwards: ETH/USDC 0.05%, now 2,003. Ethereum",
    );
    expect(price("2000", "1990")).toContain("crossed 2,000 USDC/ETH upwards");
    expect(price("1999.99999", "2003")).toContain("downwards: ETH/USDC 0.05%, now 1,999.99999");
  });

  it("speaks of the level where that is the first of the terms", () => {
    const above = compares("above", "tvl_usd", d("5"));
    const evidence = evidenceOf(above, "usd", "TVL", d("9"), { limits: [d("5")] });
    expect(alertHeadline(eventOf("changed", evidence))).toBe(
      "🟠 ETH/USDC 0.05% TVL $9, limit $5. Ethereum",
    );
  });
});

describe("the headline of a token", () => {
  const by = {
    kind: "absolute",
    limit: { kind: "tokens", amount: d("5_000_000"), text: "5M tokens" },
    text: "5M tokens",
  } as const;
  const SUPPLY = changes("moves", "total_supply", by, 24 * 60 * MINUTE);

  function token(
    kind: AlertEvent["kind"],
    comparison: Comparison,
    label: string,
    [value, base]: readonly [string, string | null],
    more: { name: string; chain?: string; decimals?: number | null; across?: "sum" | "min" },
  ): string {
    const { name, chain = "Polygon", decimals = 6, across = null } = more;
    const limits = "limit" in comparison ? [(comparison.limit as { value: Value }).value] : [];
    const quantity = label === "holders" ? "count" : "raw";
    const evidence = evidenceOf(comparison, quantity, label, d(value), {
      base: base === null ? null : d(base),
      limits,
    });
    const kinds = { supply: "token_supply", balance: "token_balance", holders: "holder_count" };
    const rule = ruleOf(comparison, {
      across,
      kind: kinds[label as keyof typeof kinds],
    });
    const description = described(name, { chain });
    return alertHeadline(eventOf(kind, evidence, { rule, description, decimals: () => decimals }));
  }
  const below = compares("below", "balance", d("2_500_000_000000"));
  const above = compares("above", "total_supply", d("300_000_000_000000"));

  it("is named by its number's unit, where the rule calls it by its symbol", () => {
    const moved = ["306_200_000_000000", "300_000_000_000000"] as const;
    expect(
      token("fired", SUPPLY, "supply", moved, {
        name: "AUSD",
        chain: "six chains",
        across: "sum",
      }),
    ).toBe("🟠 Supply +6.2M AUSD in 24 h, six chains, limit 5M, now 306M AUSD");
    expect(token("fired", above, "supply", ["306_200_000_000000", null], { name: "AUSD" })).toBe(
      "🟠 Supply 306M AUSD, Polygon, limit 300M",
    );
    expect(token("resolved", above, "supply", ["290_000_000_000000", null], { name: "AUSD" })).toBe(
      "🟢 Supply back to 290M AUSD, Polygon, limit 300M. Fired for 3 h 12 m",
    );
  });

  it("says on which chain it is over, where its rule watches several", () => {
    const short = compares("below", "total_supply", d("1_000_000000"));
    const evidence = evidenceOf(short, "raw", "supply", d("384_117_650_902471"), {
      limits: [d("1_000_000000")],
    });
    const id = { kind: "token_supply", ids: { token: "0x012a" }, name: null };
    const rule = ruleOf(short, {
      kind: "token_supply",
      subjects: [1, 143].map((chainId) => ({ ...id, key: `token_supply:${chainId}`, chainId })),
    });
    const description = described("0x000000…012a", { chain: "Monad" });
    const told = (kind: AlertEvent["kind"]): string =>
      alertHeadline(eventOf(kind, evidence, { rule, description, decimals: () => 6 }));
    expect(told("resolved")).toBe(
      "🟢 Supply of 0x000000…012a back to 384M tokens, limit 1,000. Monad",
    );
    expect(told("data_back")).toBe("⚪ Data back: 0x000000…012a. Monad. Quiet: supply 384M tokens");
    const symbol = { rule, description: described("AUSD", { chain: "Monad" }) };
    expect(alertHeadline(eventOf("resolved", evidence, { ...symbol, decimals: () => 6 }))).toBe(
      "🟢 Supply back to 384M AUSD, Monad, limit 1,000. Fired for 3 h 12 m",
    );
  });

  it("has whole tokens without a symbol, and raw units without decimals", () => {
    const moved = ["306_200_000_000000", "300_000_000_000000"] as const;
    expect(token("fired", SUPPLY, "supply", moved, { name: "Agora dollar" })).toBe(
      "🟠 Supply +6.2M tokens in 24 h: Agora dollar, limit 5M, now 306M tokens. Polygon",
    );
    expect(
      token("fired", above, "supply", ["301", null], { name: "Agora dollar", decimals: null }),
    ).toBe("🟠 Supply of Agora dollar 301 raw units, limit 300,000,000,000,000. Polygon");
  });

  it("does not take a wallet's name for a symbol", () => {
    expect(token("fired", below, "balance", ["1_200_000_000000", null], { name: "Treasury" })).toBe(
      "🟠 Balance of Treasury 1.2M tokens, below 2.5M. Polygon",
    );
  });

  it("counts holders", () => {
    const few = compares("below", "holder_count", d("20000"));
    expect(token("fired", few, "holders", ["12345", null], { name: "AUSD" })).toBe(
      "🟠 Holders of AUSD 12,345, below 20,000. Polygon",
    );
  });

  it("reads well for several subjects", () => {
    const several = { name: "6 subjects", chain: "six chains" };
    expect(
      token("fired", below, "balance", ["1_200_000_000000", null], { ...several, across: "min" }),
    ).toBe("🟠 Lowest balance of 6 subjects 1.2M tokens, below 2.5M. Six chains");
    const ten = { kind: "percent", percent: d("10"), text: "10%" } as const;
    const falls = changes("falls", "total_supply", ten);
    expect(
      token("fired", falls, "supply", ["80_000000", "100_000000"], {
        name: "AUSD",
        chain: "six chains",
        across: "sum",
      }),
    ).toBe("🟠 Supply -20% in 1 h, six chains: lost 20 AUSD, now 80 AUSD. Limit 10%");
    expect(
      token("resolved", falls, "supply", ["80_000000", "81_000000"], {
        name: "AUSD",
        chain: "six chains",
        across: "sum",
      }),
    ).toBe("⚪ Supply steady at 80 AUSD: six chains. Fired for 3 h 12 m");
  });
});
