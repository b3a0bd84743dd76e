import { describe, expect, it } from "vitest";
import { rangeDistance } from "../../src/web/live/range-distance.ts";

const facts = { lower: "", upper: "", price: "", unit: "" };

function distance(tick: number, inverted = false, lowerTick = 0, upperTick = 1_000) {
  return rangeDistance({ ...facts, lowerTick, upperTick, tick, inverted });
}

describe("how far a price is from the edges of its range", () => {
  it.each([
    // 1 - 1.0001^-101, 1.0001^200 - 1: of the price.
    [100, { edge: "lower", text: "1.00%" }],
    [800, { edge: "upper", text: "2.02%" }],
    [0, { edge: "lower", text: "0.01%" }],
    [999, { edge: "upper", text: "0.01%" }],
    // Beyond the edge, of the edge.
    [-1, { edge: "lower", text: "0.01%" }],
    [1_000, { edge: "upper", text: "0.01%" }],
    [-2_000, { edge: "lower", text: "18.1%" }],
    [3_000, { edge: "upper", text: "22.2%" }],
  ])("at tick %i of 0 to 1000 it is %o", (tick, expected) => {
    expect(distance(tick)).toEqual(expected);
  });

  it("calls edges as people read the price, which may fall when the tick rises", () => {
    expect(distance(100, true)).toEqual({ edge: "upper", text: "1.02%" });
    expect(distance(3_000, true)).toEqual({ edge: "lower", text: "18.1%" });
  });

  it("is none in a range over all prices", () => {
    expect(distance(0, false, -887_220, 887_220).text).toBeNull();
  });
});
