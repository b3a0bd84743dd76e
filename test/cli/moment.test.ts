import { describe, expect, it } from "vitest";
import { momentArgument } from "../../src/cli/arguments.ts";

const NOW = Date.UTC(2026, 10, 28, 12, 30);

describe("a time on the command line", () => {
  it.each([
    ["now", NOW],
    ["03:10", Date.UTC(2026, 10, 28, 3, 10)],
    ["12:30", NOW],
    ["03:10:05", Date.UTC(2026, 10, 28, 3, 10, 5)],
    ["12:31", Date.UTC(2026, 10, 27, 12, 31)],
    ["3:05", Date.UTC(2026, 10, 28, 3, 5)],
    ["2h", NOW - 7_200_000],
    ["1d12h", NOW - 129_600_000],
    ["2026-11-28T03:10Z", Date.UTC(2026, 10, 28, 3, 10)],
    ["2026-11-28 03:10", Date.UTC(2026, 10, 28, 3, 10)],
    ["2026-11-28T03:10+01:00", Date.UTC(2026, 10, 28, 2, 10)],
  ])("may be %s", (text, at) => {
    expect(momentArgument(text)(NOW)).toBe(at);
  });

  it.each(["yesterday", "24:00", "3:5", "", "2026-13-01"])("is not %j", (text) => {
    expect(() => momentArgument(text)).toThrow("It is a time like 03:10 (UTC)");
  });
});
