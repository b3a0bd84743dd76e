import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compare, parseDecimal } from "../../src/base/decimal.ts";
import type { Run } from "../../src/model/index.ts";
import { pointsOf, stepFor } from "../../src/web/read/samples.ts";
import { propertyRuns } from "../support/tier.ts";

const run = (first: number, last: number, value: string | null): Run => {
  return { series: 1, first, last, value };
};
const HOUR = 3_600_000;

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

  it("are at most as many as asked for, and lose no extreme of any series", () => {
    const number = fc.oneof(
      fc.integer({ min: -1_000, max: 1_000 }).map(String),
      fc.bigInt({ min: 0n, max: 10n ** 30n }).map(String),
      fc.tuple(fc.nat(9_999), fc.nat(999_999)).map(([a, b]) => `${a}.${b}`),
    );
    fc.assert(
      fc.property(
        fc.array(number, { minLength: 1, maxLength: 300 }),
        fc.integer({ min: 2, max: 50 }),
        (values, most) => {
          const runs = values.map((value, i) => run(i * 60_000, i * 60_000, value));
          const to = values.length * 60_000;
          const { points } = pointsOf(runs, 0, to, stepFor(0, to, most));
          expect(points.length).toBeLessThanOrEqual(most);
          const order = (a: string, b: string): number => {
            const [one, other] = [parseDecimal(a), parseDecimal(b)];
            if (one === null || other === null) throw new Error("no number");
            return compare(one, other);
          };
          const lowest = values.toSorted(order)[0] ?? "";
          const highest = values.toSorted(order).at(-1) ?? "";
          const mins = points.map(({ min }) => min ?? "0");
          const maxs = points.map(({ max }) => max ?? "0");
          expect(order(mins.toSorted(order)[0] ?? "0", lowest)).toBe(0);
          expect(order(maxs.toSorted(order).at(-1) ?? "0", highest)).toBe(0);
        },
      ),
      { numRuns: propertyRuns(300) },
    );
  });

  it("are whole seconds long", () => {
    expect(stepFor(0, 30 * 24 * HOUR, 2_000)).toBe(1_296_000);
    expect(stepFor(0, 10, 2_000)).toBe(1_000);
  });
});
