import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { offsetText, parseDate, parseOffset } from "../../src/replay/notation.ts";

describe("times in a case", () => {
  it("reads back the offsets that it writes", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 366 * 86_400 }), (seconds) => {
        expect(parseOffset(offsetText(seconds * 1_000))).toBe(seconds * 1_000);
      }),
    );
    expect([parseOffset("0"), parseOffset("1h30m"), parseOffset("12")]).toEqual([
      0,
      5_400_000,
      null,
    ]);
  });

  it.each([
    ["2026-11-28T12:05:00Z", Date.UTC(2026, 10, 28, 12, 5)],
    ["2026-11-28 12:05", Date.UTC(2026, 10, 28, 12, 5)],
    ["2026-11-28", Date.UTC(2026, 10, 28)],
    ["2026-02-30", null],
    ["2026-11-28T25:00:00Z", null],
    ["tomorrow", null],
  ])("reads the date %s in UTC", (text, at) => {
    expect(parseDate(text)).toBe(at);
  });
});
