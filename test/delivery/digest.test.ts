import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { digestOf } from "../../src/delivery/digest.ts";
import { noticeOf } from "../support/notices.ts";

const AT = Date.UTC(2026, 10, 27, 15, 6);
const of = (id: string, more: Parameters<typeof noticeOf>[0] = {}) => noticeOf({ id, ...more });

describe("a digest", () => {
  it("counts in its first line, and lists each notice with its own time", () => {
    const digest = digestOf(
      [
        of("a", { at: AT }),
        of("b", {
          at: AT + 60_000,
          kind: "resolved",
          headline: "🟢 Back in range: Treasury ETH/USDC at 2,231 USDC/ETH. Was out 1 min",
        }),
      ],
      "m1",
    );
    expect(digest.headline).toBe("🟠 2 notices of my-range: 1 fired, 1 resolved");
    expect(digest.fields).toEqual([
      { name: "2026-11-27 15:06 UTC", value: of("a").headline },
      {
        name: "2026-11-27 15:07 UTC",
        value: "🟢 Back in range: Treasury ETH/USDC at 2,231 USDC/ETH. Was out 1 min",
      },
    ]);
    expect(digest).toMatchObject({ id: "m1", rule: "my-range", subject: null, at: AT + 60_000 });
  });

  it("says the first one where there is room for the whole of its first sentence", () => {
    const headline = "🟠 Out of range: Vault. 1 > 2";
    expect(digestOf([of("a", { headline }), of("b")], "m").headline).toBe(
      "🟠 2 notices of my-range: 2 fired. First: Out of range: Vault",
    );
  });

  it("puts the worst first, rule by rule, and names the rule where there are several", () => {
    const digest = digestOf(
      [
        of("a", { rule: "tip", severity: "info", headline: "🔵 tip" }),
        of("b", { rule: "tvl", headline: "🟠 tvl" }),
        of("c", { rule: "peg", severity: "critical", headline: "🔴 peg" }),
        of("d", { rule: "tvl", headline: "🟠 tvl again" }),
      ],
      "m",
    );
    expect(digest.fields.map(({ value }) => value)).toEqual([
      "🔴 peg (peg)",
      "🟠 tvl (tvl)",
      "🟠 tvl again (tvl)",
      "🔵 tip (tip)",
    ]);
    expect(digest.headline).toBe("🔴 4 notices of 3 rules: 4 fired. First: peg");
    expect(digest).toMatchObject({ severity: "critical", rule: null });
  });

  it("is bounded, whatever it is made of", () => {
    const notice = fc.record({
      severity: fc.constantFrom("info" as const, "warning" as const, "critical" as const),
      rule: fc.option(fc.string({ maxLength: 200 })),
      headline: fc.string({ maxLength: 200, unit: "grapheme" }),
    });
    fc.assert(
      fc.property(fc.array(notice, { minLength: 1, maxLength: 60 }), (notices) => {
        const digest = digestOf(
          notices.map((more, n) => of(String(n), more)),
          "m",
        );
        expect([...digest.headline].length).toBeLessThanOrEqual(80);
        expect(digest.fields.length).toBe(Math.min(notices.length, 20));
        if (notices.length > 19) {
          expect(digest.fields.at(-1)?.value).toBe(`and ${notices.length - 19} more notices`);
        }
      }),
    );
  });
});
