import { describe, expect, it } from "vitest";
import type { Quantity } from "../../src/base/quantity.ts";
import type { AlertEvent } from "../../src/decide/event.ts";
import type { Suppressed } from "../../src/model/index.ts";
import { alertHeadline } from "../../src/notices/headline/headline.ts";
import { composeAlert } from "../../src/notices/notice.ts";
import { alertFields } from "../../src/notices/notice-fields.ts";
import { AT, compares, d, described, eventOf, evidenceOf, ruleOf } from "./notice-events.ts";

const HOUR = 3_600_000;
const DOLLARS = { decimals: null, unit: "" };
const USDC = { decimals: 6, unit: "USDC" };

function event(
  kind: string,
  [metric, quantity, value]: readonly [string, Quantity, string],
  amount: Suppressed["amount"],
  more: { readonly decimals?: number | null; readonly since?: number } = {},
): AlertEvent {
  const comparison = compares("above", metric, d("500000"), "$500k");
  const evidence = evidenceOf(comparison, quantity, metric, d(value), { limits: [d("500000")] });
  const { decimals = 6, since = AT - HOUR } = more;
  const held: Suppressed = {
    count: 3,
    since,
    base: null,
    first: value,
    last: value,
    ...(amount === undefined ? {} : { amount }),
  };
  return eventOf("changed", evidence, {
    rule: ruleOf(comparison, { kind, event: true, severity: "info" }),
    description: described("ETH/USDC 0.05%", {
      unit: (name) => (name === "usd" || decimals === null ? "" : "USDC"),
    }),
    decimals: () => decimals,
    more: { about: "firings", held, still: null, byMissing: false },
  });
}

function headline(...given: Parameters<typeof event>): string {
  return alertHeadline(event(...given));
}

describe("entries that a cooldown held together", () => {
  it("are told with the largest and the sum", () => {
    const usd = { metric: "amount_usd", largest: "1200000", sum: "2100000", ...DOLLARS };
    expect(headline("v4_swaps", ["amount_usd", "usd", "600000"], usd)).toBe(
      "🔵 3 swaps in 1 h: ETH/USDC 0.05%, largest $1.2M, together $2.1M. Limit $500k",
    );
    const tokens = {
      metric: "amount1_abs",
      largest: "1200000000000",
      sum: "2100000000000",
      ...USDC,
    };
    expect(headline("v4_swaps", ["amount1_abs", "raw(token1)", "600000000000"], tokens)).toMatch(
      /^🔵 3 swaps in 1 h: ETH\/USDC 0.05%, largest 1.2M USDC, together 2.1M USDC/,
    );
    const removed = { metric: "removed_usd", largest: "1200000", sum: "2100000", ...DOLLARS };
    expect(headline("v4_liquidity", ["removed_usd", "usd", "600000"], removed)).toBe(
      "🔵 3 liquidity changes in 1 h: ETH/USDC 0.05%, largest $1.2M, together $2.1M",
    );
  });

  it("are not added up where that says nothing", () => {
    const share = { metric: "removed_share", largest: "0.25", sum: "0.45", ...DOLLARS };
    expect(headline("v4_liquidity", ["removed_share", "ratio", "0.2"], share)).toMatch(
      /^🔵 3 liquidity changes in 1 h: ETH\/USDC 0.05%, largest 25%/,
    );
    // Written by a version that did not add up, or of several metrics.
    expect(headline("v4_swaps", ["amount_usd", "usd", "600000"], undefined)).toBe(
      "🔵 3 swaps in 1 h: ETH/USDC 0.05%. Limit $500k. Ethereum",
    );
    const other = { metric: "amount1_abs", largest: "12", sum: "21", decimals: null, unit: "USDC" };
    expect(headline("v4_swaps", ["amount_usd", "usd", "600000"], other)).not.toContain("largest");
    const raw = { metric: "amount1_abs", largest: "12", sum: "21", decimals: null, unit: "USDC" };
    const unknown = { decimals: null };
    expect(headline("v4_swaps", ["amount1_abs", "raw(token1)", "6"], raw, unknown)).not.toContain(
      "largest",
    );
    // All in one round.
    expect(headline("v4_swaps", ["amount_usd", "usd", "600000"], undefined, { since: AT })).toBe(
      "🔵 3 swaps: ETH/USDC 0.05%. Limit $500k. Ethereum",
    );
  });

  it("are written in tokens also where the round did not ask for their decimals", () => {
    const amount = {
      metric: "amount1_abs",
      largest: "900000000000",
      sum: "1500000000000",
      ...USDC,
    };
    const swap = ["amount1_abs", "raw(token1)", "600000000000"] as const;
    const fields = alertFields(event("v4_swaps", swap, amount, { decimals: null }));
    const texts = fields.map(({ value }) => value);
    expect(texts).toContain("600,000 USDC");
    expect(texts).toContain(
      "3 times in all, the first at 2026-11-27 14:06 UTC: 600,000 USDC; largest 900,000 USDC, together 1.5M USDC",
    );
    expect(texts.join()).not.toContain("raw");
  });

  it("can be added to others, as one alone can", () => {
    const swap = ["amount1_abs", "raw(token1)", "600000000000"] as const;
    const size = { metric: "amount1_abs", ...USDC };
    const amount = { ...size, largest: "900000000000", sum: "1500000000000" };
    const several = event("v4_swaps", swap, amount);
    const noun = "swaps";
    const told = { count: 3, since: AT - HOUR, noun, amount };
    expect(composeAlert(several, []).entries).toEqual(told);
    const { more: _, ...alone } = several;
    const own = { ...size, largest: swap[2], sum: swap[2] };
    expect(composeAlert(alone, []).entries).toEqual({ count: 1, since: AT, noun, amount: own });
    expect(composeAlert(event("v4_pool", swap, amount), []).entries).toBeUndefined();
  });
});
