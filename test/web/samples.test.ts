import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compare, type Decimal, parseDecimal } from "../../src/base/decimal.ts";
import type { Run } from "../../src/model/index.ts";
import { lasting, pointsOf, stepFor } from "../../src/web/read/samples.ts";
import { propertyRuns } from "../support/tier.ts";

const run = (first: number, last: number, value: string | null): Run => {
  return { series: 1, first, last, value };
};
const HOUR = 3_600_000;

const number = fc.oneof(
  fc.integer({ min: -1_000, max: 1_000 }).map(String),
  fc.bigInt({ min: 0n, max: 10n ** 30n }).map(String),
  fc.tuple(fc.nat(9_999), fc.nat(999_999)).map(([a, b]) => `${a}.${b}`),
);

/** So that runs often begin and end where steps do. */
const halfSeconds = (min: number, max: number) =>
  fc.integer({ min, max }).map((halves) => halves * 500);

/** What the steps are, worked out for each step from all runs. */
function defined(runs: readonly Run[], from: number, to: number, stepMs: number) {
  const starts = Array.from(
    { length: Math.ceil((to - from) / stepMs) },
    (_, i) => from + i * stepMs,
  );
  const points = starts.flatMap((start) => {
    const stop = start + stepMs >= to ? to : start + stepMs - 1;
    const within = runs.filter(({ first, last }) => first <= stop && last >= start);
    const [oldest] = within;
    const newest = within.at(-1);
    if (oldest === undefined || newest === undefined) return [];
    const sorted = within
      .flatMap(({ value }) => (value === null ? [] : [{ value, exact: parseDecimal(value) }]))
      .toSorted((a, b) => (a.exact === null || b.exact === null ? 0 : compare(a.exact, b.exact)));
    return [
      {
        at: new Date(Math.max(oldest.first, start)).toISOString(),
        to: new Date(Math.min(newest.last, stop)).toISOString(),
        min: sorted[0]?.value ?? newest.value,
        max: sorted.findLast(isFirstOfItsWorth)?.value ?? newest.value,
        last: newest.value,
      },
    ];
  });
  const samples = runs.filter(({ first, last }) => last >= from && first <= to).length;
  return { points, samples };
}

/** Of equal numbers in other words (1 and 1.0) the first stands for a step. */
function isFirstOfItsWorth<T extends { readonly exact: Decimal | null }>(
  { exact }: T,
  at: number,
  all: readonly T[],
): boolean {
  const before = all[at - 1]?.exact;
  return !before || exact === null || compare(before, exact) !== 0;
}

describe("the steps of a chart", () => {
  it("keep the lowest and the highest of each, exactly", () => {
    const runs = [
      run(0, 0, "9007199254740993"),
      run(1_000, 1_000, "9007199254740992"),
      run(2_000, 2_000, "-0.1"),
      run(10_000, 10_000, null),
    ];
    const { points, samples } = pointsOf(runs, 0, 20_000, 5_000);
    expect(samples).toBe(4);
    expect(points).toMatchObject([
      { min: "-0.1", max: "9007199254740993", last: "-0.1" },
      { min: null, max: null, last: null },
    ]);
  });

  it("count a run in every step that it reaches into, and a text by its last", () => {
    const { points } = pointsOf(
      [run(0, 12_000, "5"), run(13_000, 13_000, "0xab")],
      0,
      20_000,
      5_000,
    );
    expect(points.map(({ min, last }) => [min, last])).toEqual([
      ["5", "5"],
      ["5", "5"],
      ["5", "0xab"],
    ]);
  });

  it("say of each step from when to when values are known, the lowest, the highest and the last of them", () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            gap: halfSeconds(1, 6),
            length: halfSeconds(0, 14),
            value: fc.option(number),
          }),
          { minLength: 1, maxLength: 60 },
        ),
        halfSeconds(0, 40),
        halfSeconds(1, 180),
        fc.integer({ min: 1, max: 30 }),
        (made, from, length, most) => {
          let at = 0;
          const runs = made.map(({ gap, length: ms, value }) => {
            const first = at + gap;
            at = first + ms;
            return run(first, first + ms, value);
          });
          const to = from + length;
          const stepMs = stepFor(from, to, most);
          const found = pointsOf(runs, from, to, stepMs);
          expect(found.points.length).toBeLessThanOrEqual(most);
          expect(found).toEqual(defined(runs, from, to, stepMs));
        },
      ),
      { numRuns: propertyRuns(300) },
    );
  });

  it("of data by the hour last to the end of their hour, and not beyond now", () => {
    const runs = [run(0, 0, "1"), run(HOUR, HOUR, "2")];
    const now = 1.5 * HOUR;
    expect(lasting(runs, HOUR, now).map(({ first, last }) => [first, last])).toEqual([
      [0, HOUR - 1],
      [HOUR, now],
    ]);
    expect(lasting(runs, null, now)).toEqual(runs);
    // A clock that was set back does not shorten what was seen.
    expect(lasting(runs, HOUR, 0).map(({ last }) => last)).toEqual([0, HOUR]);
  });

  it("are whole seconds long", () => {
    expect(stepFor(0, 30 * 24 * HOUR, 2_000)).toBe(1_296_000);
    expect(stepFor(0, 10, 2_000)).toBe(1_000);
  });
});
