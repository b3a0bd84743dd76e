import { describe, expect, it } from "vitest";
import { localTime, suggestTimezone } from "../../src/base/zone.ts";

const at = (text: string): number => Date.parse(text);

describe("a time in a zone", () => {
  it.each([
    ["Europe/Berlin", "2026-11-28T22:59Z", "2026-11-28 23:59 CET (22:59 UTC)"],
    ["Europe/Berlin", "2026-07-01T12:00Z", "2026-07-01 14:00 CEST (12:00 UTC)"],
    ["Europe/Berlin", "2026-11-28T23:30Z", "2026-11-29 00:30 CET (2026-11-28 23:30 UTC)"],
    ["America/New_York", "2026-11-29T03:00Z", "2026-11-28 22:00 EST (2026-11-29 03:00 UTC)"],
    ["Asia/Kolkata", "2026-11-28T12:00Z", "2026-11-28 17:30 IST (12:00 UTC)"],
    ["Asia/Kathmandu", "2026-11-28T12:00Z", "2026-11-28 17:45 GMT+5:45 (12:00 UTC)"],
    ["Europe/London", "2026-11-28T12:00Z", "2026-11-28 12:00 GMT (12:00 UTC)"],
    ["UTC", "2026-11-28T12:00Z", "2026-11-28 12:00 UTC"],
    ["Etc/UTC", "2026-11-28T12:00Z", "2026-11-28 12:00 UTC"],
    // Both are 02:30 on the wall.
    ["Europe/Berlin", "2026-10-25T00:30Z", "2026-10-25 02:30 CEST (00:30 UTC)"],
    ["Europe/Berlin", "2026-10-25T01:30Z", "2026-10-25 02:30 CET (01:30 UTC)"],
    // The hour from 02:00 is left out.
    ["Europe/Berlin", "2026-03-29T00:59Z", "2026-03-29 01:59 CET (00:59 UTC)"],
    ["Europe/Berlin", "2026-03-29T01:00Z", "2026-03-29 03:00 CEST (01:00 UTC)"],
  ])("has UTC beside it: %s at %s", (zone, instant, text) => {
    expect(localTime(zone).time(at(instant))).toBe(text);
  });

  it.each([
    ["Europe/Berlin", "2026-11-28T14:00Z", "15:00-16:00 CET (14:00-15:00 UTC)"],
    ["Asia/Kolkata", "2026-11-28T14:00Z", "19:30-20:30 IST (14:00-15:00 UTC)"],
    ["Europe/Berlin", "2026-10-25T00:00Z", "02:00 CEST-02:00 CET (00:00-01:00 UTC)"],
    ["Europe/Berlin", "2026-03-29T00:00Z", "01:00 CET-03:00 CEST (00:00-01:00 UTC)"],
    ["UTC", "2026-11-28T23:00Z", "23:00-00:00 UTC"],
  ])("may be an hour: %s from %s", (zone, start, text) => {
    expect(localTime(zone).hours(at(start), at(start) + 3_600_000)).toBe(text);
  });

  it("is for a zone that there is", () => {
    expect(() => localTime("Europe/Berln")).toThrow(RangeError);
    expect(suggestTimezone("Europe/Berln")).toBe("Europe/Berlin");
    expect(suggestTimezone("berlin")).toBe("Europe/Berlin");
    expect(suggestTimezone("New York")).toBe("America/New_York");
    expect(suggestTimezone("nowhere at all")).toBeNull();
  });
});
