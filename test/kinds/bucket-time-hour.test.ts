import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isoDay } from "../../src/base/clock.ts";
import { parseHour } from "../../src/kinds/bucket-time.ts";

const TWO_PM = Date.UTC(2026, 10, 27, 14);

describe("the start of an hour bucket", () => {
  it.each([
    "2026-11-27T14:00:00Z",
    "2026-11-27T14:00:00.000Z",
    "2026-11-27T14:00:00.000000Z",
    "2026-11-27T14:00:00+00:00",
    "2026-11-27T14:00:00.000+0000",
    "2026-11-27T14:00:00+00",
    "2026-11-27T14:00:00",
    "2026-11-27T14:00Z",
    "2026-11-27T14:00",
    "2026-11-27 14:00:00",
    "2026-11-27 14:00:00+00:00",
    "2026-11-27t14:00:00z",
    "2026-11-27T14",
    "2026-11-27 14",
  ])("reads %s", (text) => {
    expect(parseHour(text)).toBe(TWO_PM);
  });

  it.each([
    "2026-11-27",
    "2026-11-27T24:00:00Z",
    "2026-02-30T14:00:00Z",
    "2026-13-01T14:00:00Z",
    "2026-11-27T14:30:00Z",
    "2026-11-27T14:00:00+02:00",
    "2026-11-27T14:00:00Z and more",
    " 2026-11-27T14:00:00Z",
    "27.11.2026 14:00",
    "1795788000",
    "",
    1_795_788_000,
    null,
    undefined,
    {},
  ])("refuses %j", (text) => {
    expect(parseHour(text)).toBeNull();
  });

  it("reads back every hour that ISO 8601 can write", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2_000_000 }), (hours) => {
        const start = hours * 3_600_000;
        const text = new Date(start).toISOString();
        expect(parseHour(text)).toBe(start);
        expect(isoDay(start)).toBe(text.slice(0, 10));
      }),
    );
  });
});
