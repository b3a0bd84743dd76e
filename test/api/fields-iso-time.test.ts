import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseIsoTime } from "../../src/api/fields.ts";

const read = (text: string): string | undefined => parseIsoTime(text)?.toString();

describe("reading ISO 8601", () => {
  it.each([
    ["1970-01-01", "0"],
    ["2026-11-27", "1795737600"],
    ["2026-11-27T14:05:06Z", "1795788306"],
    ["2026-11-27t14:05:06z", "1795788306"],
    ["2026-11-27 14:05:06", "1795788306"],
    ["2026-11-27T14:05", "1795788300"],
    ["2026-11-27T14", "1795788000"],
    ["2026-11-27T14:05:06+00:00", "1795788306"],
    ["2026-11-27T15:05:06+01:00", "1795788306"],
    ["2026-11-27T08:35:06-0530", "1795788306"],
    ["2026-11-28T00:05:06+10", "1795788306"],
    ["2026-11-27T14:05:06.000Z", "1795788306"],
    ["2026-11-27T14:05:06.000000001Z", "1795788306.000000001"],
    ["2028-02-29T00:00:00Z", "1835395200"],
  ])("takes %s for %s", (text, seconds) => {
    expect(read(text)).toBe(seconds);
  });

  it.each([
    "",
    "27.11.2026",
    "2026-11-27T",
    "2026-11-27Z",
    "2026-11-27T14:05:06 Z",
    " 2026-11-27",
    "2026-13-01",
    "2026-02-29",
    "2026-02-30T00:00:00Z",
    "2026-11-27T24:00:00Z",
    "2026-11-27T23:60:00Z",
    "2026-11-27T23:59:60Z",
    "2026-11-27T14:05:06+24:00",
    "2026-11-27T14:05:06+01:60",
    "2026-11-27T14:05:06.0000000001Z",
    "1795788306",
    "0001-01-01T00:00:00Z",
    "1969-12-31T23:59:59Z",
  ])("takes %j for no time", (text) => {
    expect(parseIsoTime(text)).toBeNull();
  });

  it("reads back every moment that JavaScript writes, whatever the offset", () => {
    const moment = fc.integer({ min: 100_000, max: 253_402_000_000 });
    const minutes = fc.integer({ min: -1_439, max: 1_439 });
    fc.assert(
      fc.property(moment, minutes, (at, offset) => {
        const size = Math.abs(offset);
        const [hours, rest] = [Math.floor(size / 60), size % 60].map((n) =>
          String(n).padStart(2, "0"),
        );
        const local = new Date((at + offset * 60) * 1_000).toISOString().slice(0, -1);
        expect(read(`${local}${offset < 0 ? "-" : "+"}${hours}:${rest}`)).toBe(String(at));
      }),
    );
  });
});
