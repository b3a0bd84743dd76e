import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  DAY,
  formatDuration,
  HOUR,
  MINUTE,
  parseDuration,
  SECOND,
} from "../../src/base/duration.ts";

describe("reading a duration", () => {
  it.each([
    ["15s", 15 * SECOND],
    ["5m", 5 * MINUTE],
    ["1h30m", 90 * MINUTE],
    ["1h 30m", 90 * MINUTE],
    ["5 m", 5 * MINUTE],
    [" 7d ", 7 * DAY],
    ["2w", 14 * DAY],
    ["1w2d3h4m5s", 9 * DAY + 3 * HOUR + 4 * MINUTE + 5 * SECOND],
    ["90m", 90 * MINUTE],
    ["0s", 0],
    ["3650d", 3650 * DAY],
  ])("reads %j", (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });

  it.each([
    "",
    " ",
    "5",
    "m",
    "5M",
    "5min",
    "-5m",
    "1.5h",
    "1e3s",
    "30m1h",
    "5m5m",
    "1 5m",
    "1 h3 0m",
    "5 m m",
    "3651d",
    "999999999w",
    "9999999999s",
    "５m",
    "1h\n30m",
  ])("takes %j for no duration", (text) => {
    expect(parseDuration(text)).toBeNull();
  });
});

describe("telling a duration to people", () => {
  it.each([
    [0, "0 s"],
    [-5, "0 s"],
    [999, "0 s"],
    [45 * SECOND, "45 s"],
    [MINUTE, "1 min"],
    [MINUTE + SECOND, "1 min 1 s"],
    [15 * MINUTE, "15 min"],
    [3 * HOUR, "3 h"],
    [3 * HOUR + 12 * MINUTE + 59 * SECOND, "3 h 12 m"],
    [3 * HOUR + 12 * SECOND, "3 h"],
    [6 * DAY, "6 d"],
    [6 * DAY + 23 * HOUR + 59 * MINUTE, "6 d 23 h"],
  ])("says %d ms as %j", (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });

  it("never says more than has passed, nor two units less", () => {
    fc.assert(
      fc.property(fc.nat(400 * DAY), (ms) => {
        const units: Record<string, number> = {
          d: DAY,
          h: HOUR,
          min: MINUTE,
          m: MINUTE,
          s: SECOND,
        };
        const parts = formatDuration(ms).split(" ");
        let said = 0;
        for (let i = 0; i < parts.length; i += 2) {
          said += Number(parts[i]) * (units[parts[i + 1] ?? ""] ?? Number.NaN);
        }
        expect(said).toBeLessThanOrEqual(ms);
        expect(ms - said).toBeLessThan(ms >= DAY ? HOUR : ms >= HOUR ? MINUTE : SECOND);
      }),
    );
  });
});
