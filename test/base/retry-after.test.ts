import { describe, expect, it } from "vitest";
import { parseRetryAfter } from "../../src/base/waiting.ts";

const NOW = Date.UTC(2026, 10, 27, 15);

describe("Retry-After", () => {
  it.each([
    ["0", 0],
    [" 120 ", 120_000],
    ["+5", 5_000],
    ["1.5", 1_500],
    [".5", 500],
    ["120s", 120_000],
    ["90 seconds", 90_000],
    ["9999999999", 9_999_999_999_000],
    [`${"0".repeat(400)}7`, 7_000],
    ["9".repeat(400), Number.MAX_SAFE_INTEGER],
    ["Fri, 27 Nov 2026 15:01:30 GMT", 90_000],
    ["Friday, 27-Nov-26 15:00:05 GMT", 5_000],
    ["Fri Nov 27 15:00:05 2026", 5_000],
    ["Fri, 27 Nov 2026 15:01:30 UTC", 90_000],
    ["Fri, 27 Nov 2026 16:01:30 +0100", 90_000],
    ["Fri, 27 Nov 2026 14:00:00 GMT", 0],
    ["2026-11-27T15:00:30Z", 30_000],
    ["2026-11-27T15:00:30.5", 30_500],
  ])("reads %j", (header, expected) => {
    expect(parseRetryAfter(header, NOW)).toBe(expected);
  });

  it("reads a date that is far away", () => {
    const far = Date.UTC(9999, 0, 1) - NOW;
    expect(parseRetryAfter("Fri, 01 Jan 9999 00:00:00 GMT", NOW)).toBe(far);
  });

  it.each([
    "60, 120",
    "120,60",
    "60, soon, 120",
    "Fri, 27 Nov 2026 15:02:00 GMT, 5",
    "5, Fri, 27 Nov 2026 15:02:00 GMT",
    "Fri, 27 Nov 2026 15:01:00 GMT, Fri, 27 Nov 2026 15:02:00 GMT",
    "Fri Nov 27 15:01:00 2026, Fri Nov 27 15:02:00 2026",
  ])("takes the longest of a list: %j", (header) => {
    expect(parseRetryAfter(header, NOW)).toBe(120_000);
  });

  it("takes the longest of several headers", () => {
    expect(parseRetryAfter(["5", "120", "nonsense"], NOW)).toBe(120_000);
    expect(parseRetryAfter([], NOW)).toBeNull();
  });

  it.each([null, undefined, "", "-1", "-1.5", "1e9", "0x10", "Infinity", "2026-11-27", "tomorrow"])(
    "ignores %j",
    (header) => {
      expect(parseRetryAfter(header, NOW)).toBeNull();
    },
  );

  it.each(["Fri, nonsense", "Sat, 99 Foo 2026 25:00:00 GMT", "1 2", "12.3.4"])(
    "ignores %j as well",
    (header) => {
      expect(parseRetryAfter(header, NOW)).toBeNull();
    },
  );
});
