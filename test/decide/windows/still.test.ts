import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseSchedule } from "../../../src/base/schedule.ts";
import { BucketSeries } from "../../../src/decide/windows/buckets.ts";
import { UnchangedWindow } from "../../../src/decide/windows/sampled.ts";
import { propertyRuns } from "../../support/tier.ts";

const MINUTE = 60_000;
const schedule = parseSchedule("1m", "UTC");
const third = (date: number): number => schedule.third(date);

interface Observation {
  readonly date: number;
  readonly value: string | null;
}

/** The rule document's sentences, from the newest observation back. */
function slowly(seen: readonly Observation[], ms: number): boolean | null {
  const known = seen.filter((one) => one.value !== null);
  const newest = known.at(-1);
  if (newest === undefined) return null;
  const { date, value } = newest;
  let since = date;
  for (let i = known.length - 2; i >= 0; i -= 1) {
    const [one, next] = [known[i], known[i + 1]];
    // Before a hole nothing counts.
    if (one === undefined || next === undefined || next.date > third(one.date)) break;
    if (one.value !== value) {
      if (date - since >= ms) return true;
      // It was in force until the next one came.
      return next.date >= date - ms ? false : null;
    }
    since = one.date;
  }
  return date - since >= ms ? true : null;
}

const observations = fc
  .array(
    fc.record({
      gap: fc.oneof({ weight: 6, arbitrary: fc.constant(1) }, fc.integer({ min: 1, max: 6 })),
      value: fc.oneof({ weight: 6, arbitrary: fc.constant("a") }, fc.constantFrom("b", "c", null)),
    }),
    { maxLength: 20 },
  )
  .map((steps) => {
    let date = 0;
    return steps.map(({ gap, value }): Observation => {
      date += gap * MINUTE;
      return { date, value };
    });
  });

describe("a value that stands still", () => {
  it("is told as the rule document says, at every step", () => {
    fc.assert(
      fc.property(observations, fc.integer({ min: 1, max: 10 }), (seen, span) => {
        const window = new UnchangedWindow(schedule);
        for (const [i, { date, value }] of seen.entries()) {
          if (value !== null) {
            const expected = slowly(seen.slice(0, i + 1), span * MINUTE);
            expect(window.unchanged(value, date, span * MINUTE)).toBe(expected);
          }
          window.load(date, date, value);
        }
      }),
      { numRuns: propertyRuns(500) },
    );
  });

  it("is the same after a restart at any point, from the runs of the store", () => {
    fc.assert(
      fc.property(observations, fc.integer({ min: 1, max: 10 }), (seen, span) => {
        const live = new UnchangedWindow(schedule);
        for (const { date, value } of seen) live.load(date, date, value);
        const filled = new UnchangedWindow(schedule);
        for (const { first, last, value } of runsOf(seen)) filled.load(first, last, value);
        const date = (seen.at(-1)?.date ?? 0) + MINUTE;
        expect(filled.unchanged("a", date, span * MINUTE)).toBe(
          live.unchanged("a", date, span * MINUTE),
        );
      }),
    );
  });

  it("has stood still once exactly the time is over", () => {
    const window = new UnchangedWindow(schedule);
    window.load(0, 0, "b");
    window.load(MINUTE, 10 * MINUTE, "a");
    expect(window.unchanged("a", 11 * MINUTE, 10 * MINUTE)).toBe(true);
    expect(window.unchanged("a", 11 * MINUTE - 1, 10 * MINUTE)).toBe(false);
  });

  it("is not broken by a gap of three intervals, and by one of more begins anew", () => {
    const short = new UnchangedWindow(schedule);
    short.load(0, 5 * MINUTE, "a");
    expect(short.unchanged("a", 8 * MINUTE, 8 * MINUTE)).toBe(true);
    expect(short.unchanged("a", 8 * MINUTE + 1, 8 * MINUTE)).toBeNull();
  });

  it("begins anew with nothing of what it is told to forget", () => {
    const window = new UnchangedWindow(schedule);
    window.load(0, 0, "b");
    window.load(MINUTE, 5 * MINUTE, "a");
    window.clear();
    expect(window.unchanged("a", 6 * MINUTE, 2 * MINUTE)).toBeNull();
    window.load(6 * MINUTE, 7 * MINUTE, "a");
    expect(window.unchanged("a", 8 * MINUTE, 3 * MINUTE)).toBeNull();
    expect(window.unchanged("a", 8 * MINUTE, 2 * MINUTE)).toBe(true);
  });

  it("counts from bucket to bucket", () => {
    const series = BucketSeries.empty(MINUTE).with(
      [
        [0, true],
        [MINUTE, false],
        [2 * MINUTE, null],
        [3 * MINUTE, false],
        [4 * MINUTE, false],
      ],
      0,
    );
    expect(series.unchanged(false, 4 * MINUTE, 3 * MINUTE)).toBe(true);
    expect(series.unchanged(false, 4 * MINUTE, 4 * MINUTE)).toBe(false);
    expect(series.unchanged(true, 0, MINUTE)).toBeNull();
    // Two of them may be missing between two that are equal, and no third.
    const sparse = BucketSeries.empty(MINUTE).with([[0, true]], 0);
    expect(sparse.unchanged(true, 3 * MINUTE, 3 * MINUTE)).toBe(true);
    expect(sparse.unchanged(true, 4 * MINUTE, 4 * MINUTE)).toBeNull();
  });
});

function runsOf(
  seen: readonly Observation[],
): { first: number; last: number; value: string | null }[] {
  const runs: { first: number; last: number; value: string | null }[] = [];
  for (const { date, value } of seen) {
    const run = runs.at(-1);
    if (run !== undefined && run.value === value && date <= third(run.last)) run.last = date;
    else runs.push({ first: date, last: date, value });
  }
  return runs;
}
