import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compare, type Decimal, decimalFromInteger } from "../../../src/base/decimal.ts";
import { parseSchedule } from "../../../src/base/schedule.ts";
import { BucketSeries } from "../../../src/decide/windows/buckets.ts";
import { PercentileWindow } from "../../../src/decide/windows/percentile.ts";
import { cpuMsSince } from "../../support/cpu.ts";
import { exact } from "../../support/nouns.ts";
import { propertyRuns } from "../../support/tier.ts";

const MINUTE = 60_000;
const HOUR = 3_600_000;
const schedule = parseSchedule("1m", "UTC");
const third = (date: number): number => schedule.third(date);
const n = (value: number): Decimal => decimalFromInteger(value);

interface Observation {
  readonly date: number;
  readonly value: number | null;
}

/** Second by second: what was in force, and the smallest value that enough of them do not exceed. */
function slowly(
  seen: readonly Observation[],
  percent: number,
  from: number,
  date: number,
): number | null {
  const held: number[] = [];
  for (let at = from; at < date; at += 1_000) {
    const last = seen.findLast((one) => one.date <= at);
    if (last === undefined || last.value === null || at + 1_000 > third(last.date)) continue;
    held.push(last.value);
  }
  if (held.length * 2_000 < date - from) return null;
  held.sort((a, b) => a - b);
  return held.find((x) => held.filter((y) => y <= x).length * 100 >= percent * held.length) ?? null;
}

const observations = (start = 0): fc.Arbitrary<Observation[]> =>
  fc
    .array(
      fc.record({
        gap: fc.oneof({ weight: 8, arbitrary: fc.constant(1) }, fc.integer({ min: 1, max: 7 })),
        value: fc.oneof(
          { weight: 8, arbitrary: fc.integer({ min: -3, max: 3 }) },
          fc.constant(null),
        ),
      }),
      { maxLength: 24 },
    )
    .map((steps) => {
      let date = start;
      return steps.map(({ gap, value }) => {
        date += gap * MINUTE;
        return { date, value };
      });
    });
const percents = fc.constantFrom(0.001, 1, 10, 33.333, 50, 90, 99.9, 100);

function fill(window: PercentileWindow, seen: readonly Observation[]): PercentileWindow {
  for (const { date, value } of seen) window.load(date, date, value === null ? null : n(value));
  return window;
}

describe("a percentile of a state series", () => {
  it("is weighted by time, at every step as the rule document says", () => {
    fc.assert(
      fc.property(observations(), fc.integer({ min: 1, max: 12 }), percents, (seen, span, p) => {
        const window = new PercentileWindow(span * MINUTE, schedule);
        for (const [i, { date, value }] of seen.entries()) {
          const from = date - span * MINUTE;
          const found = window.percentile(exact(String(p)), from, date);
          const expected = slowly(seen.slice(0, i), p, from, date);
          expect(found === null ? null : Number(found.toString())).toBe(expected);
          window.load(date, date, value === null ? null : n(value));
        }
      }),
      { numRuns: propertyRuns(150) },
    );
  });

  it("is the same at every step of a long past of many values, whichever percentile was asked for before", () => {
    const steps = fc.array(
      fc.record({ noise: fc.integer({ min: 0, max: 400 }), p: percents, asks: fc.nat({ max: 5 }) }),
      { minLength: 300, maxLength: 500 },
    );
    // What rises or falls all the time has ever new values, and lets go of all that it had.
    const drifts = fc.constantFrom(0, 20, -20);
    fc.assert(
      fc.property(steps, drifts, fc.integer({ min: 40, max: 120 }), (seen, drift, span) => {
        const window = new PercentileWindow(span * MINUTE, schedule);
        const values = seen.map(({ noise }, i) => noise + i * drift);
        for (const [i, value] of values.entries()) {
          const { p, asks } = seen[i] ?? { p: 50, asks: 0 };
          const date = i * MINUTE;
          if (asks > 3) {
            // Each of the last `span` values was in force for a minute.
            const held = values.slice(Math.max(0, i - span), i);
            const place = Math.max(0, Math.ceil((p * held.length) / 100 - 1e-9) - 1);
            const expected = held.length * 2 < span ? null : held.toSorted((a, b) => a - b)[place];
            const found = window.percentile(exact(String(p)), date - span * MINUTE, date);
            expect(found === null ? null : Number(found.toString())).toBe(expected);
          }
          window.load(date, date, n(value));
        }
      }),
      { numRuns: propertyRuns(40) },
    );
  });

  it("is the same after a restart at any point, from the runs of the store", () => {
    fc.assert(
      fc.property(observations(), fc.integer({ min: 1, max: 12 }), percents, (seen, span, p) => {
        const live = fill(new PercentileWindow(span * MINUTE, schedule), seen);
        const filled = new PercentileWindow(span * MINUTE, schedule);
        for (const { first, last, value } of runsOf(seen)) {
          filled.load(first, last, value === null ? null : n(value));
        }
        const date = (seen.at(-1)?.date ?? 0) + MINUTE;
        const from = date - span * MINUTE;
        const rank = exact(String(p));
        expect(filled.percentile(rank, from, date)?.toString()).toBe(
          live.percentile(rank, from, date)?.toString(),
        );
      }),
    );
  });

  it("does not care what time it is", () => {
    fc.assert(
      fc.property(observations(), percents, fc.integer({ min: 1, max: 1e9 }), (seen, p, shift) => {
        const later = seen.map(({ date, value }) => ({ date: date + shift * 1_000, value }));
        const date = (seen.at(-1)?.date ?? 0) + MINUTE;
        const rank = exact(String(p));
        const here = fill(new PercentileWindow(9 * MINUTE, schedule), seen);
        const there = fill(new PercentileWindow(9 * MINUTE, schedule), later);
        const at = date + shift * 1_000;
        expect(there.percentile(rank, at - 9 * MINUTE, at)?.toString()).toBe(
          here.percentile(rank, date - 9 * MINUTE, date)?.toString(),
        );
      }),
    );
  });

  it("knows nothing of a hole, though the value after it is the one before it", () => {
    const window = new PercentileWindow(20 * MINUTE, schedule);
    window.load(0, 0, n(1));
    window.load(10 * MINUTE, 17 * MINUTE, n(1));
    // In force from 0 until 3 and from 10 until 20 minutes.
    expect(window.percentile(n(50), -6 * MINUTE, 20 * MINUTE)?.toString()).toBe("1");
    expect(window.percentile(n(50), -6 * MINUTE - 1, 20 * MINUTE)).toBeNull();
  });

  it("goes on with a value that follows a round without one at the same date, as where a clock was set back", () => {
    const window = new PercentileWindow(20 * MINUTE, schedule);
    window.load(0, 5 * MINUTE, n(1));
    window.load(6 * MINUTE, 6 * MINUTE, null);
    window.load(6 * MINUTE, 9 * MINUTE, n(1));
    expect(window.percentile(n(50), -10 * MINUTE, 10 * MINUTE)?.toString()).toBe("1");
  });

  it("begins anew with nothing of what it is told to forget", () => {
    fc.assert(
      fc.property(observations(), observations(), percents, (old, seen, p) => {
        const span = 6 * MINUTE;
        const begun = fill(new PercentileWindow(span, schedule), old);
        const last = old.at(-1)?.date ?? 0;
        begun.percentile(exact(String(p)), last - span, last);
        begun.clear();
        const fresh = new PercentileWindow(span, schedule);
        for (const { date: at, value } of seen) {
          for (const window of [begun, fresh])
            window.load(at, at, value === null ? null : n(value));
          const found = begun.percentile(exact(String(p)), at + MINUTE - span, at + MINUTE);
          expect(found).toEqual(
            fresh.percentile(exact(String(p)), at + MINUTE - span, at + MINUTE),
          );
        }
      }),
      { numRuns: propertyRuns(100) },
    );
  });

  it("needs half of the window, on both sides of it", () => {
    const window = new PercentileWindow(20 * MINUTE, schedule);
    for (let minute = 0; minute <= 7; minute += 1)
      window.load(minute * MINUTE, minute * MINUTE, n(5));
    // In force from 0 until 10 minutes, three intervals after it was seen last.
    expect(window.percentile(n(50), -10 * MINUTE, 10 * MINUTE)?.toString()).toBe("5");
    expect(window.percentile(n(50), -10 * MINUTE - 1, 10 * MINUTE)).toBeNull();
  });

  it("takes exactly the share that is asked for", () => {
    const window = new PercentileWindow(100 * MINUTE, schedule);
    // One for exactly ten minutes, two for exactly ninety.
    window.load(0, 9 * MINUTE, n(1));
    window.load(10 * MINUTE, 99 * MINUTE, n(2));
    const at = (p: string): string | undefined =>
      window.percentile(exact(p), 0, 100 * MINUTE)?.toString();
    expect([at("9.999"), at("10"), at("10.001"), at("100")]).toEqual(["1", "1", "2", "2"]);
  });

  it("tells the last digit of large and small numbers apart", () => {
    const window = new PercentileWindow(20 * MINUTE, schedule);
    const most = (2n ** 256n - 1n).toString();
    const less = (2n ** 256n - 2n).toString();
    window.load(0, 5 * MINUTE, exact(most));
    window.load(6 * MINUTE, 12 * MINUTE, exact(less));
    window.load(13 * MINUTE, 19 * MINUTE, exact("0.000000000000000001"));
    const at = (p: number): string | undefined =>
      window.percentile(n(p), 0, 20 * MINUTE)?.toString();
    expect([at(35), at(36), at(70), at(71)]).toEqual(["0.000000000000000001", less, less, most]);
  });

  it("is quick over ten thousand different values, and lets go of them", () => {
    const days = 7 * 24 * 60 * MINUTE;
    const window = new PercentileWindow(days, schedule);
    for (let i = 0; i < 20_000; i += 1)
      window.load(i * MINUTE, i * MINUTE, n((i * 7_919) % 20_011));
    const date = 20_000 * MINUTE;
    const began = process.cpuUsage();
    for (let i = 0; i < 20; i += 1) window.percentile(n(50), date - days, date);
    expect(cpuMsSince(began)).toBeLessThan(5_000);
    const kept = Array.from({ length: 10_080 }, (_, i) => ((9_920 + i) * 7_919) % 20_011);
    kept.sort((a, b) => a - b);
    expect(window.percentile(n(50), date - days, date)?.toString()).toBe(String(kept[5_039]));
  });
});

describe("a percentile of buckets", () => {
  it("goes over the buckets before, each for the time that it is in force", () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.integer({ min: 0, max: 30 }), { maxLength: 25 }),
        fc.array(fc.option(fc.integer({ min: -3, max: 3 })), { minLength: 31, maxLength: 31 }),
        fc.integer({ min: 20, max: 30 }),
        percents,
        (hours, values, at, p) => {
          const entries = hours
            .toSorted((a, b) => a - b)
            .map((hour) => [hour * HOUR, values[hour] ?? null] as const);
          const series = BucketSeries.empty(HOUR).with(
            entries.map(([start, value]) => [start, value === null ? null : n(value)] as const),
            0,
          );
          const date = at * HOUR;
          const before = entries.filter(([start]) => start < date);
          const held: number[] = [];
          for (let hour = date - 20 * HOUR; hour < date; hour += HOUR) {
            const last = before.findLast(([start]) => start <= hour);
            if (last === undefined || last[1] === null || hour >= last[0] + 3 * HOUR) continue;
            held.push(last[1]);
          }
          held.sort((a, b) => a - b);
          const need = (p * held.length) / 100;
          const known = held.length >= 10;
          const expected = known
            ? held.find((x) => held.filter((y) => y <= x).length >= need)
            : null;
          const found = series.before(date).percentile(exact(String(p)), date - 20 * HOUR, date);
          expect(found === null ? null : Number(found.toString())).toBe(expected);
        },
      ),
    );
  });

  it("leaves the bucket that is judged out", () => {
    const buckets = Array.from(
      { length: 21 },
      (_, i) => [i * HOUR, n(i === 20 ? 1_000 : 1)] as const,
    );
    const series = BucketSeries.empty(HOUR).with(buckets, 0);
    const found = series.before(20 * HOUR).percentile(n(100), 0, 20 * HOUR);
    expect(found !== null && compare(found, n(1))).toBe(0);
  });
});

function runsOf(
  seen: readonly Observation[],
): { first: number; last: number; value: number | null }[] {
  const runs: { first: number; last: number; value: number | null }[] = [];
  for (const { date, value } of seen) {
    const run = runs.at(-1);
    if (run !== undefined && run.value === value && date <= third(run.last)) run.last = date;
    else runs.push({ first: date, last: date, value });
  }
  return runs;
}
