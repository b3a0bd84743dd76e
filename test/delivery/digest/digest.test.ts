import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { digestOf } from "../../../src/delivery/digest/digest.ts";
import { noticeOf } from "../../support/notices.ts";

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
          headline: "🟢 Back in range: Treasury. Was out 1 min",
        }),
      ],
      "m1",
    );
    expect(digest.headline).toBe(
      "🟢 2 notices of my-range: 1 fired, 1 resolved. First: Back in range: Treasury",
    );
    expect(digest.fields).toEqual([
      { name: "2026-11-27 15:06 UTC", value: of("a").headline },
      {
        name: "2026-11-27 15:07 UTC",
        value: "🟢 Back in range: Treasury. Was out 1 min",
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
    expect(digest.headline).toBe("🟠 2 notices of my-range: 1 fired, 1 resolved. First: Out: Wide");
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
      "🟠 2 notices of 2 rules: 1 fired, 1 started. First: Out: Wide",
    );
  });

  it("keeps what fires before what is over, whatever its severity", () => {
    const over = Array.from({ length: 19 }, (_, i) =>
      of(`o${i}`, { kind: "resolved", severity: "critical", rule: `crit-${i}`, subject: `s${i}` }),
    );
    const start = of("q", {
      kind: "started",
      rule: null,
      subject: null,
      headline: "🔵 Watching 1",
    });
    const fired = of("x", { rule: "my-range", severity: "warning", headline: "🟠 Out: Treasury" });
    const digest = digestOf([...over, start, fired], "m");
    const values = digest.fields.map(({ value }) => value);
    expect(values[0]).toBe("🟠 Out: Treasury (my-range)");
    expect(values.at(-1)).toBe("🔵 Watching 1");
    expect(values).toHaveLength(21);
    expect(digest.headline).toMatch(/^🟠 21 notices: 1 fired, 19 resolved, 1 started/);
  });

  it("takes an alert for over that fired and is over, and for firing that came again", () => {
    const [fired, back] = [of("a"), of("b", { kind: "resolved", headline: "🟢 Back: Vault" })];
    const other = of("c", { subject: "other", severity: "info", headline: "🔵 Tip: Gas. 3" });
    expect(digestOf([fired, back, other], "m").fields.map(({ value }) => value)).toEqual([
      "🔵 Tip: Gas. 3",
      fired.headline,
      "🟢 Back: Vault",
    ]);
    const again = digestOf([back, of("d", { headline: "🟠 Out: Vault. 2" })], "m");
    expect(again.fields.map(({ value }) => value)).toEqual(["🟢 Back: Vault", "🟠 Out: Vault. 2"]);
    expect(again.headline).toContain("🟠 2 notices");
  });

  it("says of what was already firing at the start that it was, with its link while there is room", () => {
    const began = Array.from({ length: 3 }, (_, i) =>
      of(`${i}`, {
        subject: `s${i}`,
        headline: `🟠 Out: P${i}`,
        began: true,
        link: `https://a.b/${i}`,
      }),
    );
    const later = of("x", { subject: "x", headline: "🟠 Out: X", link: "https://a.b/x" });
    const valuesIn = (room?: Parameters<typeof digestOf>[2]): string[] =>
      digestOf([...began, later], "m", room).fields.map(({ value }) => value);
    expect(valuesIn()).toEqual([
      "🟠 Out: P0 · already firing at the start · https://a.b/0",
      "🟠 Out: P1 · already firing at the start · https://a.b/1",
      "🟠 Out: P2 · already firing at the start · https://a.b/2",
      "🟠 Out: X",
    ]);
    // A link takes the place of no line.
    expect(valuesIn({ fields: 30, characters: 260 })).toEqual([
      "🟠 Out: P0 · already firing at the start",
      "🟠 Out: P1 · already firing at the start",
      "🟠 Out: P2 · already firing at the start",
      "🟠 Out: X",
    ]);
  });

  it("names by kind and rule what finds no room, and counts where even names do not", () => {
    const fired = Array.from({ length: 30 }, (_, i) =>
      of(`${i}`, { rule: i < 28 ? "tvl" : "tip", subject: `s${i}`, label: `Pool ${i}` }),
    );
    const over = of("o", { kind: "resolved", subject: "o", label: "Old" });
    const { fields } = digestOf([...fired, over], "m", { fields: 4, characters: 2_000 });
    expect(fields.map(({ name }) => name)).toEqual([
      "2026-11-27 15:06 UTC",
      "2026-11-27 15:06 UTC",
      "Also fired",
      "Also resolved",
    ]);
    // Rule by rule, so that a rule's name stands once.
    expect(fields[0]?.value).toMatch(/ \(tip\)$/);
    expect(fields[2]?.value).toMatch(/^tvl: Pool 0, Pool 1, .*Pool 27$/);
    expect(fields[3]?.value).toBe("my-range: Old");
    expect(digestOf([...fired, over], "m", { fields: 4, characters: 200 }).fields).toEqual([
      { name: "Fired", value: expect.stringMatching(/^tip: Pool 28, Pool 29; tvl: Pool 0, /) },
      { name: "More", value: expect.stringMatching(/^and \d+ more notices$/) },
    ]);
  });

  it("keeps the title of a rule, once where all have the same", () => {
    const titled = { title: "Wake Ann", headline: "🟠 Out: Vault" };
    const one = digestOf([of("a", titled), of("b", { ...titled, subject: "b" })], "m");
    expect(one.title).toBe("Wake Ann");
    expect(one.fields[0]?.value).toBe("🟠 Out: Vault");
    const two = digestOf([of("a", titled), of("b", { rule: "tip", headline: "🟠 Tip" })], "m");
    expect(two.title).toBeNull();
    expect(two.fields.map(({ value }) => value)).toEqual([
      "🟠 Out: Vault (my-range) · Wake Ann",
      "🟠 Tip (tip)",
    ]);
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
    expect(digestOf([self, of("b")], "m").headline).toMatch(/^🟠 2 notices: 1 self, 1 fired\. /);
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
        expect(digest.fields).toHaveLength(notices.length);
        const { fields } = digestOf(
          notices.map((more, n) => of(String(n), more)),
          "m",
          { fields: 4, characters: 900 },
        );
        expect(fields.length).toBeLessThanOrEqual(4);
        const used = fields.reduce((sum, { name, value }) => sum + name.length + value.length, 0);
        expect(used).toBeLessThanOrEqual(900);
      }),
    );
  });
});
