import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { printedNotice } from "../../src/channels/console.ts";
import { discordMessage } from "../../src/channels/discord.ts";
import { incidentsOf } from "../../src/channels/incident.ts";
import { telegramMessage } from "../../src/channels/telegram.ts";
import { pageLink } from "../../src/channels/text.ts";
import { composeReport, type ReportFacts } from "../../src/notices/report.ts";
import { propertyRuns } from "../support/tier.ts";

const AT = Date.UTC(2026, 10, 28, 8);
const PAGE = { url: "https://watch.example.org", acts: true };
const FACTS: ReportFacts = {
  name: "morning",
  at: AT,
  due: AT,
  alerts: 37,
  firing: 0,
  withoutData: 0,
  watched: "37 alerts, last round 12 s ago",
  lines: [],
};
const line = (rule: string, calm = true) => ({ rule, text: "🟢 ok: 5 gwei", calm, picture: null });

describe("a report", () => {
  it.each([
    [{ firing: 0 }, "📋 morning: all 37 alerts ok"],
    [{ firing: 2 }, "📋 morning: 2 of 37 alerts firing"],
    [{ firing: 2, withoutData: 1 }, "📋 morning: 2 of 37 alerts firing, 1 without data"],
    [{ alerts: 1 }, "📋 morning: 1 alert ok"],
    [{ alerts: 0 }, "📋 morning: no alert is watched"],
  ])("%j begins with %s", (facts, headline) => {
    expect(composeReport({ ...FACTS, ...facts }).headline).toBe(headline);
  });

  it("says when it was due, if it is late", () => {
    const { fields } = composeReport({ ...FACTS, at: AT + 3_600_000 });
    expect(fields).toContainEqual({
      name: "Was due",
      value: "2026-11-28 08:00 UTC: tickwatch was not running then",
    });
    expect(composeReport(FACTS).fields.map(({ name }) => name)).toEqual(["Watched"]);
  });

  it("counts the rules for which there is no line, and those of them that are not ok", () => {
    const many = Array.from({ length: 20 }, (_, i) => line(`rule-${i}`, i > 9));
    const { fields } = composeReport({ ...FACTS, lines: many });
    expect(fields.at(-1)).toEqual({ name: "More", value: "13 more rules, 3 of them not ok" });
  });

  it("has at most twelve lines wherever it is read, with a link to the page", () => {
    const lines = fc.array(
      fc.record({
        rule: fc.string({ minLength: 1, maxLength: 80, unit: "binary" }),
        text: fc.string({ maxLength: 400, unit: "binary" }),
        calm: fc.boolean(),
        picture: fc.constant(null),
      }),
      { maxLength: 40 },
    );
    fc.assert(
      fc.property(lines, fc.boolean(), (given, late) => {
        const at = late ? AT + 3_600_000 : AT;
        const notice = composeReport({ ...FACTS, at, lines: given });
        const printed = printedNotice(notice, pageLink(notice, PAGE));
        expect(printed.split("\n").length).toBeLessThanOrEqual(12);
        const { text } = telegramMessage(notice, PAGE);
        expect(text.split("\n").filter((one) => one !== "").length).toBeLessThanOrEqual(12);
        expect(discordMessage(notice, PAGE).embeds[0].fields.length).toBeLessThanOrEqual(9);
      }),
      { numRuns: propertyRuns(200) },
    );
  });

  it("opens and closes no alert anywhere", () => {
    expect(incidentsOf(composeReport({ ...FACTS, firing: 3 }))).toEqual([]);
  });

  it("is the same notice, however often it is made for one time", () => {
    const one = composeReport(FACTS);
    expect(composeReport({ ...FACTS, at: AT + 60_000 }).id).toBe(one.id);
    expect(composeReport({ ...FACTS, due: AT + 1 }).id).not.toBe(one.id);
  });
});
