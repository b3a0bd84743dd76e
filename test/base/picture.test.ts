import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { rangePicture, sparkline } from "../../src/channels/text.ts";

const range = {
  lower: "2,050",
  upper: "2,250",
  price: "2,150",
  unit: "USDC per ETH",
  inverted: false,
  lowerTick: 100,
  upperTick: 310,
  tick: 205,
};

describe("the picture of a range", () => {
  it("has the price where its tick is, and its number below", () => {
    expect(rangePicture(range)).toBe(
      ["2,050 ├──────────●──────────┤ 2,250", "               2,150 USDC per ETH"].join("\n"),
    );
  });

  it("has the price outside when it is outside: upper tick excluded, lower included", () => {
    expect(rangePicture({ ...range, tick: 99, price: "2,040" })).toBe(
      "● 2,040  2,050 ├─────────────────────┤ 2,250\nUSDC per ETH",
    );
    expect(rangePicture({ ...range, tick: 310, price: "2,250" })).toBe(
      "2,050 ├─────────────────────┤ 2,250  ● 2,250\nUSDC per ETH",
    );
    expect(rangePicture({ ...range, tick: 100 })).toContain("├●─");
    expect(rangePicture({ ...range, tick: 309 })).toContain("─●┤");
  });

  it("turns with the price: a higher tick is further to the left", () => {
    const turned = { ...range, inverted: true };
    expect(rangePicture({ ...turned, tick: 309 })).toContain("├●─");
    expect(rangePicture({ ...turned, tick: 100 })).toContain("─●┤");
    expect(rangePicture({ ...turned, tick: 310 })).toMatch(/^● /);
    expect(rangePicture({ ...turned, tick: 99, price: "2,251" })).toContain("2,250  ● 2,251");
  });

  it("has one dot whatever the ticks are", () => {
    const tick = fc.integer({ min: -887_272, max: 887_272 });
    fc.assert(
      fc.property(tick, tick, fc.integer({ min: 1, max: 1_000_000 }), (at, lower, width) => {
        const picture = rangePicture({
          ...range,
          tick: at,
          inverted: false,
          lowerTick: lower,
          upperTick: lower + width,
        });
        expect(picture.split("●")).toHaveLength(2);
        const inside = at >= lower && at < lower + width;
        expect(/├─*●─*┤/.test(picture)).toBe(inside);
      }),
    );
  });
});

describe("a sparkline", () => {
  it("draws exact values between their lowest and highest", () => {
    expect(sparkline(["0", "1", "2", "3", "4", "5", "6", "7"])).toBe("▁▂▃▄▅▆▇█");
    const most = (1n << 256n) - 1n;
    expect(sparkline([String(most), String(most - 1n)])).toBe("█▁");
    expect(sparkline(["0.1", "0.25", "0.1"])).toBe("▁█▁");
  });

  it("is flat for a value that does not change", () => {
    expect(sparkline(["5", "5.0", "5"])).toBe("▄▄▄");
  });

  it("is nothing for fewer than two numbers, and leaves others out", () => {
    expect(sparkline([])).toBe("");
    expect(sparkline(["1"])).toBe("");
    expect(sparkline(["1", "above", "2"])).toBe("▁█");
  });

  it("is at most 48 characters long", () => {
    expect([...sparkline(Array.from({ length: 200 }, (_, i) => String(i)))]).toHaveLength(48);
  });
});
