import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Decimal } from "../../src/base/decimal.ts";
import type { AlertEvent, EventMore } from "../../src/decide/event.ts";
import type { Suppressed } from "../../src/model/index.ts";
import { composeAlert } from "../../src/notices/notice.ts";
import { propertyRuns } from "../support/tier.ts";
import {
  AT,
  alertOf,
  changes,
  compares,
  d,
  described,
  eventOf,
  evidenceOf,
  RANGE,
} from "./notice-events.ts";

const MINUTE = 60_000;
const firing = alertOf({ state: "firing", firedAt: AT - 192 * MINUTE });
const MORE: EventMore = { about: "firings", held: null, still: null, byMissing: false };

const tip = evidenceOf(
  compares("above", "tip_top10", d("5e9")),
  "wei",
  "tip (top 10%)",
  d("7.4e9"),
  {
    limits: [d("5e9")],
  },
);

function headline(event: AlertEvent): string {
  return composeAlert(event, []).headline;
}

describe("what is told again", () => {
  it("says that it is worse, or still so and for how long", () => {
    const ethereum = { after: firing, description: described("Ethereum") };
    expect(headline(eventOf("worse", tip, ethereum))).toBe(
      "🟠 Worse: Ethereum tip 7.4 gwei, limit 5. Top 10%",
    );
    expect(headline(eventOf("reminder", tip, ethereum))).toBe(
      "🟠 Still: Ethereum tip 7.4 gwei, limit 5. For 3 h 12 m. Top 10%",
    );
    const fall = evidenceOf(
      changes("falls", "tvl_usd", { kind: "percent", percent: d("10"), text: "10%" }),
      "usd",
      "TVL",
      d("800"),
      { base: d("1000") },
    );
    expect(headline(eventOf("reminder", fall, { after: firing }))).toBe(
      "🟠 Still: TVL -20% in 1 h: ETH/USDC 0.05% lost $200, now $800. For 3 h 12 m",
    );
    const range = evidenceOf(compares("equals", "in_range", false), "boolean", "in range", false);
    const out = { after: firing, description: described("Treasury", { range: RANGE }) };
    expect(headline(eventOf("reminder", range, out))).toBe(
      "🟠 Still out of range: Treasury. 2,310 > 2,250 USDC/ETH. For 3 h 12 m",
    );
  });

  it("names the gate that is over, and does not speak of a value as back", () => {
    const closed = { more: { ...MORE, still: { gate: "cheap-gas" } } };
    expect(headline(eventOf("resolved", tip, closed))).toBe(
      "⚪ Gate cheap-gas closed: ETH/USDC 0.05%. The condition still holds",
    );
    const again = { more: { ...MORE, still: { gate: null } } };
    expect(headline(eventOf("resolved", tip, again))).toContain(
      "⚪ Resolved: ETH/USDC 0.05%. The condition holds again",
    );
  });

  it("is at most 80 characters long, whatever the names and numbers are", () => {
    const kinds = fc.constantFrom<AlertEvent["kind"]>(
      "fired",
      "worse",
      "reminder",
      "resolved",
      "changed",
      "flapping",
      "steady",
      "data_back",
    );
    const held: Suppressed = { count: 12, since: AT - MINUTE, base: null, first: "5", last: "7" };
    const more = fc.record({
      about: fc.constantFrom("firings" as const, "gaps" as const),
      held: fc.constantFrom(null, held),
      still: fc.constantFrom(
        null,
        { gate: null },
        { gate: "a gate with a very long name, ".repeat(4) },
      ),
      byMissing: fc.boolean(),
    });
    const values = fc.bigInt({ min: 0n, max: 2n ** 256n });
    const names = fc.string({ unit: "binary", maxLength: 120 });
    fc.assert(
      fc.property(kinds, more, values, names, (kind, said, value, name) => {
        const number = new Decimal(value, 0);
        const evidence = { ...tip, value: number, limits: [d("5e9")] };
        const event = eventOf(kind, evidence, {
          after: firing,
          description: described(name),
          more: said,
        });
        const text = headline(event);
        expect([...text].length).toBeLessThanOrEqual(80);
        expect(text).not.toMatch(/\d…/);
      }),
      { numRuns: propertyRuns(300) },
    );
  });
});
