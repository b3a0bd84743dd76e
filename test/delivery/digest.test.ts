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

  it("counts reminders as one does", () => {
    const headline = "🟠 Still: tip 7 gwei";
    const all = ["a", "b"].map((id) => of(id, { kind: "reminder", headline }));
    expect(digestOf(all, "m").headline).toContain(": 2 reminders. First: ");
  });

  it("says the first one where there is room for the whole of its first sentence", () => {
    const headline = "🟠 Out of range: Vault. 1 > 2";
    expect(digestOf([of("a", { headline }), of("b")], "m").headline).toBe(
      "🟠 2 notices of my-range: 2 fired. First: Out of range: Vault",
    );
  });

  it("says what became of how many, where the same did of each", () => {
    const group = { became: "went out of range", of: 12 };
    const headline = "🟠 Out of range: Vault. 1 > 2";
    const one = of("a", { headline, group });
    const other = of("b", { subject: "v4_position:1:dexa:43", group });
    expect(digestOf([one, other], "m").headline).toBe(
      "🟠 2 of 12 went out of range. First: Out of range: Vault",
    );
    const back = of("c", { kind: "resolved", group: { became: "back in range", of: 12 } });
    expect(digestOf([one, back], "m").headline).toContain("2 notices of my-range");
    // Twice the same alert is not two alerts.
    expect(digestOf([one, of("d", { group })], "m").headline).toContain("2 notices of my-range");
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

  it("is led by what fires, not by what is over", () => {
    const back = of("a", { kind: "resolved", severity: "critical", headline: "🟢 Back: Vault" });
    const fired = of("b", { subject: "v4_position:1:dexa:43", headline: "🟠 Out: Wide. 1 > 2" });
    const digest = digestOf([back, fired], "m");
    expect(digest.headline).toBe("🟠 2 notices of my-range: 1 resolved, 1 fired. First: Out: Wide");
    expect(digest).toMatchObject({ kind: "fired", severity: "warning" });
    expect(digestOf([back, of("c", { kind: "resolved", headline: "🟢 Back" })], "m")).toMatchObject(
      {
        kind: "resolved",
        headline: "🟢 2 notices of my-range: 2 resolved. First: Back: Vault",
      },
    );
  });

  it("is led by what fires, not by what has only started", () => {
    const started = of("a", { rule: "gas", kind: "started", headline: "🔵 Watching 2: 2 quiet" });
    expect(digestOf([started, of("b", { headline: "🟠 Out: Wide" })], "m").headline).toBe(
      "🟠 2 notices of 2 rules: 1 started, 1 fired. First: Out: Wide",
    );
  });

  it("says how many alerts fire from their rules' start on", () => {
    const quiet = of("a", { rule: "gas", kind: "started", headline: "🔵 Watching 1: 1 quiet: G" });
    const firing = ["x", "y"].map((subject) => ({ subject, label: subject }));
    const headline = "🔵 Watching 3: 1 quiet, 2 firing: x, y";
    const found = of("b", { rule: "tvl", kind: "started", headline, firing });
    expect(digestOf([quiet, found], "m").headline).toBe(
      "🔵 2 notices of 2 rules: 2 started, 2 alerts firing",
    );
    const short = { ...found, headline: "🔵 Watching 2: 2 firing" };
    expect(digestOf([quiet, short], "m").headline).toBe(
      "🔵 2 notices of 2 rules: 2 started, 2 alerts firing. First: Watching 2: 2 firing",
    );
  });

  it("keeps the notes of its rules, each once", () => {
    const one = { note: "Runbook: wiki/lp." };
    expect(digestOf([of("a", one), of("b", one)], "m").note).toBe("Runbook: wiki/lp.");
    const other = of("c", { rule: "tvl", note: "Ask the desk." });
    expect(digestOf([of("a", one), other, of("b", one)], "m").note).toBe(
      "Runbook: wiki/lp. (my-range) Ask the desk. (tvl)",
    );
    const many = Array.from({ length: 19 }, (_, i) => of(`${i}`, { note: `${i}`.repeat(400) }));
    const { note } = digestOf(many, "m");
    expect([...(note ?? "")].length).toBeLessThanOrEqual(1_000);
    expect(note).toMatch(/^0{400} 1{400} and 17 more notes$/);
  });

  it("does not count the daemon itself as a rule", () => {
    const self = of("a", { rule: null, kind: "self", severity: "critical", headline: "⚪ Store" });
    expect(digestOf([self, of("b")], "m").headline).toBe(
      "⚪ 2 notices: 1 self, 1 fired. First: Store",
    );
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
