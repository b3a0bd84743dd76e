import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { linePath } from "../../../src/web/page/pictures/path.ts";
import {
  axisValues,
  extentOf,
  shareOf,
  timeShare,
  within,
} from "../../../src/web/page/pictures/scale.ts";

const number = fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e30, max: 1e30 });

describe("the extent of a picture", () => {
  it("holds every value, and is never empty", () => {
    fc.assert(
      fc.property(fc.array(number, { minLength: 1 }), (values) => {
        const extent = extentOf(values);
        expect(extent).not.toBeNull();
        for (const value of values) {
          const share = shareOf(value, extent!);
          expect(share).toBeGreaterThanOrEqual(-1e-9);
          expect(share).toBeLessThanOrEqual(1 + 1e-9);
        }
      }),
    );
  });

  it("lets what is flat look flat: it spans 0.12% of the value at least", () => {
    const { low, high } = extentOf([1_000, 1_000.1])!;
    expect(high - low).toBeCloseTo(1.2, 2);
  });

  it("is none where nothing is known", () => {
    expect(extentOf([null, null])).toBeNull();
    expect(extentOf([])).toBeNull();
  });
});

describe("the values of an axis", () => {
  it("are round, rising, few, and within the extent", () => {
    fc.assert(
      fc.property(number, number, (a, b) => {
        const extent = extentOf([a, b])!;
        const values = axisValues(extent, 6);
        expect(values.length).toBeLessThanOrEqual(6);
        for (const [i, value] of values.entries()) {
          expect(value).toBeGreaterThanOrEqual(extent.low - (extent.high - extent.low) * 1e-6);
          expect(value).toBeLessThanOrEqual(extent.high + (extent.high - extent.low) * 1e-6);
          if (i > 0) expect(value).toBeGreaterThan(values[i - 1]!);
        }
      }),
    );
    expect(axisValues({ low: 13.7, high: 24.1 }, 6)).toEqual([14, 16, 18, 20, 22, 24]);
  });
});

describe("spans in a picture", () => {
  const whole = { from: 100, to: 200 };

  it("are cut at its ends, and those outside are left out", () => {
    expect(
      within(
        [
          { from: 0, to: 120 },
          { from: 300, to: 400 },
        ],
        whole,
      ),
    ).toEqual([{ from: 100, to: 120 }]);
  });

  it("are seen however short they are", () => {
    expect(within([{ from: 200, to: 200 }], whole, 0.1)).toEqual([{ from: 190, to: 200 }]);
    expect(within([{ from: 90, to: 101 }], whole, 0.1)).toEqual([{ from: 100, to: 101 }]);
  });

  it("have no place in a span of no length", () => {
    expect(timeShare(5, { from: 5, to: 5 })).toBe(0);
  });
});

describe("the line of a series", () => {
  const span = { from: 0, to: 10 };
  const extent = { low: 0, high: 10 };

  it("is broken where there was no data", () => {
    const points = [
      { at: 0, value: 0 },
      { at: 2, value: 10 },
      { at: 4, value: null },
      { at: 6, value: 5 },
      { at: 10, value: 5 },
    ];
    expect(linePath(points, span, extent, 100)).toBe("M0 100 200 0M600 50 1000 50");
  });

  it("shows a single value between two gaps", () => {
    const points = [
      { at: 2, value: null },
      { at: 5, value: 5 },
      { at: 6, value: null },
    ];
    expect(linePath(points, span, extent, 100)).toBe("M500 50H502");
  });

  it("is nothing where nothing is known", () => {
    expect(linePath([{ at: 1, value: null }], span, extent, 100)).toBe("");
    expect(linePath([], span, extent, 100)).toBe("");
  });
});
