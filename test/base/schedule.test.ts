import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DAY, HOUR, MINUTE, SECOND } from "../../src/base/duration.ts";
import {
  parseSchedule,
  ScheduleError,
  scheduleFromKey,
  unevenSchedule,
} from "../../src/base/schedule.ts";
import { cpuMsSince } from "../support/cpu.ts";
import { propertyRuns } from "../support/tier.ts";

const START = Date.UTC(2026, 10, 27, 23, 49, 34, 500);
const iso = (at: number): string => new Date(at).toISOString().replace(".000Z", "Z");

/** The next `count` times after an instant. */
function times(text: string, zone: string, after: string, count: number): string[] {
  const schedule = parseSchedule(text, zone);
  let at = Date.parse(after);
  return Array.from({ length: count }, () => {
    at = schedule.next(at);
    return iso(at);
  });
}

describe("a schedule given as a duration", () => {
  it.each([
    ["1s", SECOND],
    ["15s", 15 * SECOND],
    ["1m", MINUTE],
    ["90s", 90 * SECOND],
    ["5m", 5 * MINUTE],
    ["6h", 6 * HOUR],
    ["1d", DAY],
    [" 1h30m ", 90 * MINUTE],
  ])("%j is due at whole multiples", (text, every) => {
    const schedule = parseSchedule(text, "UTC");
    expect(schedule.everyMs).toBe(every);
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4e12 }), (after) => {
        const next = schedule.next(after);
        expect(next % every).toBe(0);
        expect(next).toBeGreaterThan(after);
        expect(next - after).toBeLessThanOrEqual(every);
        expect(schedule.third(after)).toBe(after + 3 * every);
      }),
    );
  });

  it.each(["7m", "25h", "2d", "1w", "0s", "11s", "35s"])(
    "%s would drift and is refused",
    (text) => {
      expect(() => parseSchedule(text, "UTC")).toThrow(
        /does not divide a minute, an hour or a day/,
      );
    },
  );
});

describe("a schedule given as a cron expression", () => {
  it.each([
    ["*/2 * * * *", ["2026-11-27T23:50:00Z", "2026-11-27T23:52:00Z"]],
    ["*/20 * * * * *", ["2026-11-27T23:49:40Z", "2026-11-27T23:50:00Z"]],
    ["34 49 23 * * *", ["2026-11-28T23:49:34Z", "2026-11-29T23:49:34Z"]],
    ["0 9 * * mon-fri", ["2026-11-30T09:00:00Z", "2026-12-01T09:00:00Z"]],
    ["0 0 1 jan *", ["2027-01-01T00:00:00Z", "2028-01-01T00:00:00Z"]],
    ["0 0 29 2 *", ["2028-02-29T00:00:00Z", "2032-02-29T00:00:00Z"]],
    ["0 0 29 2 1", ["2044-02-29T00:00:00Z", "2072-02-29T00:00:00Z"]],
    ["0 12 L * *", ["2026-11-30T12:00:00Z", "2026-12-31T12:00:00Z"]],
    // Day and weekday must both match.
    ["0 0 13 * 5", ["2027-08-13T00:00:00Z", "2028-10-13T00:00:00Z"]],
    ["59 59 23 31 12 *", ["2026-12-31T23:59:59Z", "2027-12-31T23:59:59Z"]],
  ])("%s comes when it says", (text, expected) => {
    expect(times(text, "UTC", iso(START), 2)).toEqual(expected);
    expect(parseSchedule(text, "UTC").everyMs).toBeNull();
  });

  it("comes at the wall time of its zone", () => {
    expect(times("0 9 * * *", "Asia/Kathmandu", iso(START), 1)).toEqual(["2026-11-28T03:15:00Z"]);
    expect(times("0 9 * * *", "America/New_York", iso(START), 1)).toEqual(["2026-11-28T14:00:00Z"]);
  });

  it("counts to the third time for what three intervals are", () => {
    const schedule = parseSchedule("0 9 * * mon-fri", "UTC");
    expect(iso(schedule.third(START))).toBe("2026-12-02T09:00:00Z");
  });

  it("agrees with looking at every second", () => {
    const fields = fc.tuple(
      fc.constantFrom("0", "*/15", "7,59", "*"),
      fc.constantFrom("0", "*/20", "5-8", "59", "*"),
      fc.constantFrom("*", "0", "23", "1-2", "*/5"),
    );
    fc.assert(
      fc.property(fields, fc.integer({ min: 0, max: 2e9 }), ([second, minute, hour], start) => {
        const next = parseSchedule(`${second} ${minute} ${hour} * * *`, "UTC").next(start * SECOND);
        let at = start + 1;
        while (!matches(at, second, minute, hour)) at += 1;
        expect(next).toBe(at * SECOND);
      }),
      { numRuns: propertyRuns(60) },
    );
  });

  it("is asked in little time, however rare it is", () => {
    for (const text of ["0 0 1 1 *", "0 0 29 2 *", "0 0 29 2 1", "0 0 1 1 0"]) {
      const schedule = parseSchedule(text, "Europe/Berlin");
      const start = process.cpuUsage();
      schedule.next(START);
      expect(cpuMsSince(start)).toBeLessThan(5_000);
    }
  });
});

/** An independent reading of `*`, `*∕n`, `a-b` and lists. */
function matches(at: number, second: string, minute: string, hour: string): boolean {
  const field = (text: string, value: number): boolean => {
    if (text === "*") return true;
    if (text.startsWith("*/")) return value % Number(text.slice(2)) === 0;
    if (text.includes("-")) {
      const [low, high] = text.split("-").map(Number);
      return value >= (low ?? 0) && value <= (high ?? 0);
    }
    return text.split(",").map(Number).includes(value);
  };
  const minutes = Math.floor(at / 60);
  return (
    field(second, at % 60) &&
    field(minute, minutes % 60) &&
    field(hour, Math.floor(minutes / 60) % 24)
  );
}

describe("the key of a schedule", () => {
  const key = (text: string, zone = "UTC"): string => parseSchedule(text, zone).key;

  it("is equal for what is due at the same times, whatever the spelling", () => {
    expect(key("60s", "Europe/Berlin")).toBe(key("1m"));
    expect(key("*/5  *  * * *")).toBe(key("0 */5 * * * *"));
  });

  it("differs by distance, expression and zone", () => {
    const keys = [key("1m"), key("2m"), key("0 9 * * *"), key("0 9 * * *", "Europe/Berlin")];
    expect(new Set(keys).size).toBe(4);
  });

  it("leads back to the same times, in words that mean the same", () => {
    const durations = fc
      .constantFrom(MINUTE, HOUR, DAY)
      .chain((unit) => fc.integer({ min: 1, max: unit / SECOND }).map((parts) => [unit, parts]))
      .filter(([unit = 0, parts = 1]) => unit % (parts * SECOND) === 0)
      .map(([, parts = 1]) => `${parts}s`);
    const crons = fc.constantFrom(
      "*/5 * * * *",
      "30 2 * * *",
      "7 0 9 * * mon-fri",
      "0 0 29 2 *",
      "0 0 9 * * *",
      "*/20 * * * * *",
    );
    fc.assert(
      fc.property(
        fc.oneof(durations, crons),
        fc.constantFrom("UTC", "Europe/Berlin", "America/Argentina/Buenos_Aires"),
        fc.integer({ min: START, max: START + 366 * DAY }),
        (text, zone, after) => {
          const schedule = parseSchedule(text, zone);
          const back = scheduleFromKey(schedule.key);
          expect(back?.key).toBe(schedule.key);
          expect(back?.everyMs).toBe(schedule.everyMs);
          expect(back?.next(after)).toBe(schedule.next(after));
          expect(back?.third(after)).toBe(schedule.third(after));
          expect(parseSchedule(back?.text ?? "", zone).key).toBe(schedule.key);
        },
      ),
      { numRuns: propertyRuns(200) },
    );
  });

  it.each([
    [key("90s"), "90s"],
    [key("24h"), "24h"],
    [key("60m"), "1h"],
    [key("*/5 * * * *", "Europe/Berlin"), "*/5 * * * *"],
    [key("30 */5 * * * *"), "30 */5 * * * *"],
  ])("%j is written as %j", (text, words) => {
    expect(scheduleFromKey(text)?.text).toBe(words);
  });

  it.each([
    "",
    "every",
    "every 0",
    "every -60000",
    "every 60000.5",
    "every 1500",
    "every 420000",
    "every 60000 ",
    "every 1e5",
    "cron UTC",
    "cron UTC 9 * * * *",
    "cron UTC 0 0 0 30 2 *",
    "cron Mars/Olympus 0 0 9 * * *",
    "cron  0 0 9 * * *",
    "daily",
  ])("that is none is said to be so: %j", (text) => {
    expect(scheduleFromKey(text)).toBeNull();
  });
});

describe("when the clocks change", () => {
  it("a time in the skipped hour comes at its end, once", () => {
    // Berlin, 2027-03-28: 02:00 becomes 03:00 at 01:00 UTC.
    expect(times("30 2 * * *", "Europe/Berlin", "2027-03-27T00:00:00Z", 3)).toEqual([
      "2027-03-27T01:30:00Z",
      "2027-03-28T01:00:00Z",
      "2027-03-29T00:30:00Z",
    ]);
    expect(times("0,30 2,3 * * *", "Europe/Berlin", "2027-03-28T00:59:59.999Z", 3)).toEqual([
      "2027-03-28T01:00:00Z",
      "2027-03-28T01:30:00Z",
      "2027-03-29T00:00:00Z",
    ]);
  });

  it("a time in the repeated hour comes once", () => {
    // Berlin, 2027-10-31: 03:00 becomes 02:00 at 01:00 UTC.
    expect(times("30 2 * * *", "Europe/Berlin", "2027-10-30T12:00:00Z", 2)).toEqual([
      "2027-10-31T00:30:00Z",
      "2027-11-01T01:30:00Z",
    ]);
    // Also when the question is asked within the repetition.
    expect(times("30 2 * * *", "Europe/Berlin", "2027-10-31T01:10:00Z", 1)).toEqual([
      "2027-11-01T01:30:00Z",
    ]);
    expect(times("* * 2,3 * * *", "Europe/Berlin", "2027-10-31T00:59:58Z", 3)).toEqual([
      "2027-10-31T00:59:59Z",
      "2027-10-31T02:00:00Z",
      "2027-10-31T02:00:01Z",
    ]);
  });

  it("what comes in every hour goes on without a pause", () => {
    const seasons = [
      [Date.UTC(2027, 2, 10), Date.UTC(2027, 3, 6)],
      [Date.UTC(2027, 9, 1), Date.UTC(2027, 10, 9)],
    ] as const;
    for (const zone of ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "UTC"]) {
      const schedule = parseSchedule("*/30 * * * *", zone);
      for (const [start, end] of seasons) {
        for (let at = start; at < end; at += 30 * MINUTE) {
          // Lord Howe's change is by half an hour, which keeps the grid.
          expect(schedule.next(at)).toBe(at + 30 * MINUTE);
        }
      }
    }
  });

  it("hours of a Sunday keep its length of 23 and of 25 hours", () => {
    const count = (from: string, to: string): number => {
      const schedule = parseSchedule("0 * * * sun", "Europe/Berlin");
      let n = 0;
      for (let at = schedule.next(Date.parse(from)); at < Date.parse(to); at = schedule.next(at))
        n += 1;
      return n;
    };
    expect(count("2027-03-25T00:00:00Z", "2027-04-01T00:00:00Z")).toBe(23);
    expect(count("2027-10-28T00:00:00Z", "2027-11-04T00:00:00Z")).toBe(25);
  });

  it("times only grow, from wherever one asks", () => {
    const schedules = ["30 2 * * *", "*/7 * * * *", "15 */3 * * sun", "0 0 * * *"].flatMap((text) =>
      ["Europe/Berlin", "America/Havana", "Australia/Lord_Howe", "Antarctica/Troll"].map((zone) =>
        parseSchedule(text, zone),
      ),
    );
    const start = Date.UTC(2027, 0, 1);
    fc.assert(
      fc.property(
        fc.constantFrom(...schedules),
        fc.integer({ min: start, max: start + 366 * DAY }),
        fc.integer({ min: 0, max: 3 * HOUR }),
        (schedule, after, more) => {
          const next = schedule.next(after);
          expect(next).toBeGreaterThan(after);
          // Asking later, but before the answer, gives the same answer.
          if (after + more < next) expect(schedule.next(after + more)).toBe(next);
          expect(schedule.next(after + more)).toBeGreaterThanOrEqual(next);
        },
      ),
      { numRuns: propertyRuns(400) },
    );
  });
});

describe("a schedule that is none", () => {
  it.each([
    ["0 0 30 2 *", /not a cron expression/],
    ["60 * * * *", /not a cron expression/],
    ["* * * *", /neither a duration like 1m, nor block, nor a cron expression/],
    ["* * * * * * *", /neither a duration/],
    ["", /neither a duration/],
    ["every minute", /neither a duration/],
    ["a b c d e", /not a cron expression/],
    ["@daily", /neither a duration/],
    ["*/0 * * * *", /not a cron expression/],
    ["5M", /neither a duration/],
  ])("%j is refused with a reason", (text, reason) => {
    expect(() => parseSchedule(text, "UTC")).toThrow(ScheduleError);
    expect(() => parseSchedule(text, "UTC")).toThrow(reason);
  });

  it("is refused in little time when it can never come", () => {
    const start = process.cpuUsage();
    expect(() => parseSchedule("0 0 31 * 1#1", "UTC")).toThrow(/never comes/);
    expect(cpuMsSince(start)).toBeLessThan(5_000);
  });

  it.each(["Mars/Olympus", "", "Europe/Berlin "])("has the bad time zone %j", (zone) => {
    expect(() => parseSchedule("0 9 * * *", zone)).toThrow(/not a known time zone/);
  });
});

describe("steps of a cron expression that are never made", () => {
  it.each([
    ["*/90 * * * *", "only at minute 0, not every 90 minutes", "90m"],
    ["0 */90 * * * *", "only at minute 0, not every 90 minutes", "90m"],
    ["*/75 * * * * *", "only at second 0, not every 75 seconds", "75s"],
    ["0-59/120 * * * *", "only at minute 0, not every 120 minutes", "120m"],
    ["*/100 * * * *", "only at minute 0, not every 100 minutes", undefined],
    ["*/90 8-18 * * *", "only at minute 0, not every 90 minutes", undefined],
    ["1,*/90 * * * *", "only at minute 0, not every 90 minutes", undefined],
    ["5/90 * * * *", "only at minute 5, not every 90 minutes", undefined],
    ["1-10/20 * * * *", "only at minute 1, not every 20 minutes", undefined],
    ["0 */36 * * *", "only at hour 0, not every 36 hours", undefined],
    ["0 22-2/7 * * *", "only at hour 22, not every 7 hours", undefined],
    ["0 0 */31 * *", "only on day 1, not every 31 days", undefined],
    ["0 0 1 */13 *", "only in jan, not every 13 months", undefined],
    ["0 0 1 JAN-JUN/7 *", "only in jan, not every 7 months", undefined],
    ["0 0 * * */10", "only on sun, not every 10 days", undefined],
    ["0 9 * * mon-fri/5", "only on mon, not every 5 days", undefined],
  ])("%s is refused, and what was meant is said", (text, message, suggestion) => {
    const refused = refusal(text);
    expect(refused.message).toContain(message);
    expect(refused.hint.expected).toMatch(/^a step below \d+$/);
    expect(refused.hint.suggestion).toBe(suggestion);
    if (suggestion !== undefined) expect(() => parseSchedule(suggestion, "UTC")).not.toThrow();
  });

  it("is told of a step without a range, with the range", () => {
    const { message, hint } = refusal("5/15 * * * *");
    expect(message).toContain("5/15 has a step without a range");
    expect(hint.suggestion).toBe("5-59/15 * * * *");
    expect(times("5-59/15 * * * *", "UTC", "2026-11-27T23:50:00Z", 3)).toEqual([
      "2026-11-28T00:05:00Z",
      "2026-11-28T00:20:00Z",
      "2026-11-28T00:35:00Z",
    ]);
  });

  it("are those that are longer than their field, and no others", () => {
    const fields = fc.constantFrom(
      [60, "S * * * *"] as const,
      [24, "0 S * * *"] as const,
      [12, "0 0 1 S *"] as const,
      [60, "S * * * * *"] as const,
    );
    fc.assert(
      fc.property(fields, fc.integer({ min: 1, max: 120 }), ([count, text], step) => {
        const read = (): unknown => parseSchedule(text.replace("S", `*/${step}`), "UTC");
        if (step <= count) expect(read).not.toThrow();
        else expect(read).toThrow(/does not do what it says/);
      }),
    );
  });
});

/** What is said of a schedule that is none. */
function refusal(text: string): ScheduleError {
  try {
    parseSchedule(text, "UTC");
  } catch (error) {
    if (error instanceof ScheduleError) return error;
    throw error;
  }
  throw new Error(`${text} is taken`);
}

describe("steps that are less even than they read", () => {
  const said = (text: string): readonly string[] =>
    unevenSchedule(parseSchedule(text, "UTC")).map(({ message }) => message);

  it.each([
    ["*/7 * * * *", "*/7 is uneven: 7 minutes apart, and 4 over the end of each hour"],
    ["*/45 * * * *", "*/45 is uneven: 45 minutes apart, and 15 over the end of each hour"],
    ["*/40 * * * * *", "*/40 is uneven: 40 seconds apart, and 20 over the end of each minute"],
    ["1-59/7 * * * *", "1-59/7 is uneven: 7 minutes apart, and 4 over the end of each hour"],
    ["1,*/45 * * * *", "*/45 is uneven: 1 or 44 minutes apart, and 15 over the end of each hour"],
    ["5 */7 * * *", "*/7 is uneven: 7 hours apart, and 3 over the end of each day"],
    ["0 0 */2 * *", "*/2 is uneven: 2 days apart, and 1 to 2 over the end of each month"],
    ["0 0 */30 * *", "*/30 is uneven: 30 days apart, and 1 to 30 over the end of each month"],
    ["0 0 1 */5 *", "*/5 is uneven: 5 months apart, and 2 over the end of each year"],
    ["0 0 * * */2", "*/2 is uneven: 2 days apart, and 1 over the end of each week"],
    ["0 0 * * 1-7/2", "1-7/2 is uneven: 1 or 2 days apart, and 2 over the end of each week"],
    ["*/60 * * * *", "*/60 runs only at minute 0, once an hour"],
    ["0 */24 * * *", "*/24 runs only at hour 0, once a day"],
    ["* */2 * * *", "*/2 runs at every minute of those hours"],
    ["* */5 * * * *", "*/5 runs at every second of those minutes"],
  ])("%s is told of with its real distances", (text, message) => {
    expect(said(text)).toEqual([message]);
  });

  it.each([
    ["1m"],
    ["*/1 * * * *"],
    ["*/5 * * * *"],
    ["*/15,7 * * * *"],
    ["5-59/15 * * * *"],
    ["0-30/7 * * * *"],
    ["0 8-20/3 * * *"],
    ["0 */6 * * mon-fri/2"],
    ["0 0 1 */3 *"],
    ["0 12 L * *"],
    ["0 0 */2 * 5"],
    ["10-5/2 * * * *"],
  ])("nothing is said of %s", (text) => {
    expect(said(text)).toEqual([]);
  });

  it("names the distances that there are", () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 59 }), (step) => {
        const schedule = parseSchedule(`*/${step} * * * *`, "UTC");
        let at = START - (START % HOUR) - 1;
        const gaps = new Set<number>();
        for (let last = schedule.next(at); gaps.size < 3 && at < START + 3 * HOUR; last = at) {
          at = schedule.next(last);
          gaps.add((at - last) / MINUTE);
        }
        const [told = ""] = said(`*/${step} * * * *`);
        const numbers = told.split(": ")[1]?.match(/\d+/g)?.map(Number) ?? [step];
        expect(new Set(numbers)).toEqual(gaps);
      }),
    );
  });
});
