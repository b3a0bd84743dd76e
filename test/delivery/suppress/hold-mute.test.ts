import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mutedUntil } from "../../../src/delivery/suppress/hold.ts";
import type { MuteWindow } from "../../../src/model/index.ts";
import { propertyRuns } from "../../support/tier.ts";

const MINUTE = 60_000;
const DAY = 86_400_000;
const ALL_DAYS = [0, 1, 2, 3, 4, 5, 6];

function window(from: string, to: string, more: Partial<MuteWindow> = {}): MuteWindow {
  const minutes = (text: string): number => {
    const [hours, rest] = text.split(":");
    return Number(hours) * 60 + Number(rest);
  };
  return { from: minutes(from), to: minutes(to), days: ALL_DAYS, timezone: "UTC", ...more };
}

const until = (lists: MuteWindow[][], now: string): string | null => {
  const end = mutedUntil(lists, Date.parse(now));
  return end === null ? null : new Date(end).toISOString();
};

describe("mute windows", () => {
  it("are open from the first minute on and before the last", () => {
    const lists = [[window("13:00", "14:30")]];
    expect(until(lists, "2026-11-28T12:59:59.999Z")).toBeNull();
    expect(until(lists, "2026-11-28T13:00:00.000Z")).toBe("2026-11-28T14:30:00.000Z");
    expect(until(lists, "2026-11-28T14:29:59.999Z")).toBe("2026-11-28T14:30:00.000Z");
    expect(until(lists, "2026-11-28T14:30:00.000Z")).toBeNull();
  });

  it("last over midnight, by the day on which they begin", () => {
    // 28 November 2026 is a Saturday.
    const lists = [[window("22:00", "07:00", { days: [5] })]];
    expect(until(lists, "2026-11-27T21:59:00Z")).toBeNull();
    expect(until(lists, "2026-11-27T22:00:00Z")).toBe("2026-11-28T07:00:00.000Z");
    expect(until(lists, "2026-11-28T06:59:59Z")).toBe("2026-11-28T07:00:00.000Z");
    expect(until(lists, "2026-11-28T22:00:00Z")).toBeNull();
  });

  it("are one where they adjoin, over days and over a week", () => {
    const night = [window("22:00", "24:00"), window("00:00", "07:00")];
    expect(until([night], "2026-11-28T23:00:00Z")).toBe("2026-11-29T07:00:00.000Z");
    const weekend = [
      window("18:00", "24:00", { days: [5] }),
      window("00:00", "24:00", { days: [6, 0] }),
      window("22:00", "07:00"),
    ];
    expect(until([weekend], "2026-11-27T18:00:00Z")).toBe("2026-11-30T07:00:00.000Z");
  });

  it("are bounded where they never end", () => {
    const now = Date.UTC(2026, 10, 28, 12, 34, 56);
    expect(mutedUntil([[window("00:00", "24:00")]], now)).toBe(now + 8 * DAY);
    expect(mutedUntil([[window("09:00", "09:00")]], now)).toBe(now + 8 * DAY);
  });

  it("mute only while every route's are open", () => {
    const lists = [[window("10:00", "14:00")], [window("12:00", "18:00")]];
    expect(until(lists, "2026-11-28T11:00:00Z")).toBeNull();
    expect(until(lists, "2026-11-28T12:00:00Z")).toBe("2026-11-28T14:00:00.000Z");
    expect(until([...lists, []], "2026-11-28T12:00:00Z")).toBeNull();
    expect(until([], "2026-11-28T12:00:00Z")).toBeNull();
  });

  it("end when the wall says so on the days on which the clock changes", () => {
    const berlin = { timezone: "Europe/Berlin" };
    const night = [[window("22:00", "07:00", berlin)]];
    expect(until(night, "2026-03-28T23:00:00Z")).toBe("2026-03-29T05:00:00.000Z");
    expect(until(night, "2026-10-24T23:00:00Z")).toBe("2026-10-25T06:00:00.000Z");
    // From 02:00 to 03:00 there is nothing in spring, and everything twice in autumn.
    const gap = [[window("02:00", "02:30", berlin)]];
    expect(until(gap, "2026-03-29T00:59:59Z")).toBeNull();
    expect(until(gap, "2026-03-29T01:00:00Z")).toBeNull();
    expect(until(gap, "2026-10-25T00:00:00Z")).toBe("2026-10-25T00:30:00.000Z");
    expect(until(gap, "2026-10-25T00:45:00Z")).toBeNull();
    expect(until(gap, "2026-10-25T01:10:00Z")).toBe("2026-10-25T01:30:00.000Z");
    expect(until([[window("01:00", "02:59", berlin)]], "2026-03-29T00:30:00Z")).toBe(
      "2026-03-29T01:00:00.000Z",
    );
  });
});

const DAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];

const formats = new Map<string, Intl.DateTimeFormat>();

/** What hangs on the wall, read by another way than the program's. */
function onWall(at: number, timeZone: string): { day: number; minute: number } {
  const format =
    formats.get(timeZone) ??
    new Intl.DateTimeFormat("en-US", {
      timeZone,
      weekday: "short",
      hour: "2-digit",
      minute: "2-digit",
      hourCycle: "h23",
    });
  formats.set(timeZone, format);
  const [day = "", time = ""] = format.format(at).split(/,? /);
  return { day: DAYS.indexOf(day), minute: Number(time.slice(0, 2)) * 60 + Number(time.slice(3)) };
}

function isOpen({ from, to, days, timezone }: MuteWindow, at: number): boolean {
  const { day, minute } = onWall(at, timezone);
  if (to > from) return days.includes(day) && minute >= from && minute < to;
  if (minute >= from && days.includes(day)) return true;
  return minute < to && days.includes((day + 6) % 7);
}

const anyWindow = fc.record({
  from: fc.nat(1_439),
  to: fc.oneof(fc.integer({ min: 0, max: 1_440 }), fc.constantFrom(0, 120, 180, 1_440)),
  days: fc.subarray(ALL_DAYS, { minLength: 1 }),
  timezone: fc.constantFrom(
    "UTC",
    "Europe/Berlin",
    "America/New_York",
    "Australia/Lord_Howe",
    "Asia/Kathmandu",
  ),
});

/** Around the changes of the clocks of all these zones. */
const anyTime = fc
  .tuple(
    fc.constantFrom(
      "2026-03-08",
      "2026-03-29",
      "2026-04-05",
      "2026-10-04",
      "2026-10-25",
      "2026-11-01",
    ),
    fc.integer({ min: -720, max: 2_160 }),
  )
  .map(([day, minutes]) => Date.parse(`${day}T00:00:00Z`) + minutes * MINUTE);

describe("the end of a mute", () => {
  it("is what a walk from minute to minute finds", () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(anyWindow, { minLength: 1, maxLength: 3 }), {
          minLength: 1,
          maxLength: 2,
        }),
        anyTime,
        fc.nat(59_999),
        (lists, minute, beyond) => {
          const muted = (at: number): boolean =>
            lists.every((list) => list.some((one) => isOpen(one, at)));
          const end = mutedUntil(lists, minute + beyond);
          if (!muted(minute)) {
            expect(end).toBeNull();
            return;
          }
          let at = minute;
          while (muted(at) && at < minute + 2 * DAY) at += MINUTE;
          if (at < minute + 2 * DAY) expect(end).toBe(at);
          else expect(end).toBeGreaterThanOrEqual(at);
        },
      ),
      { numRuns: propertyRuns(150) },
    );
  });
});
