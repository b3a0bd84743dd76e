import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MAX_TICK, percentOfTicks } from "../../src/base/ticks.ts";
import {
  isInRange,
  rangePosition,
  sideOfRange,
  type TickRange,
  ticksToEdge,
} from "../../src/kinds/position-row.ts";

const at = (tick: number): TickRange => ({ lower: -100, upper: 50, tick });

const tick = fc.integer({ min: -MAX_TICK, max: MAX_TICK });
const range = fc
  .tuple(tick, tick, tick)
  .filter(([a, b]) => a !== b)
  .map(([a, b, t]) => ({ lower: Math.min(a, b), upper: Math.max(a, b), tick: t }));
/** Ranges whose edges are near the tick, where mistakes live. */
const near = fc
  .tuple(tick, fc.integer({ min: -4, max: 4 }), fc.integer({ min: 1, max: 5 }))
  .map(([lower, offset, width]) => ({ lower, upper: lower + width, tick: lower + offset }));

describe("a range of ticks", () => {
  it.each([
    [-102, false, "below", -2],
    [-101, false, "below", -1],
    [-100, true, "in", 1],
    [-99, true, "in", 2],
    [0, true, "in", 50],
    [48, true, "in", 2],
    [49, true, "in", 1],
    [50, false, "above", -1],
    [51, false, "above", -2],
  ])("at tick %i", (t, inside, side, edge) => {
    expect(isInRange(at(t))).toBe(inside);
    expect(sideOfRange(at(t), false)).toBe(side);
    const turned: Record<string, string> = { below: "above", in: "in", above: "below" };
    expect(sideOfRange(at(t), true)).toBe(turned[side]);
    expect(ticksToEdge(at(t))).toBe(edge);
  });

  it("counts to the edge what the price must move to change sides, and never less", () => {
    fc.assert(
      fc.property(fc.oneof(range, near), (r) => {
        const edge = ticksToEdge(r);
        expect(edge).not.toBe(0);
        expect(edge > 0).toBe(isInRange(r));
        const moved = (by: number): boolean =>
          isInRange({ ...r, tick: r.tick + by }) || isInRange({ ...r, tick: r.tick - by });
        const out = (by: number): boolean =>
          !isInRange({ ...r, tick: r.tick + by }) || !isInRange({ ...r, tick: r.tick - by });
        const changes = edge > 0 ? out : moved;
        expect(changes(Math.abs(edge))).toBe(true);
        if (Math.abs(edge) > 1) expect(changes(Math.abs(edge) - 1)).toBe(false);
      }),
    );
  });

  it("places the price from 0 at the lower to 1 at the upper edge, not clamped", () => {
    expect(rangePosition(at(-100), false).toString()).toBe("0");
    expect(rangePosition(at(50), false).toString()).toBe("1");
    expect(rangePosition(at(-25), false).toString()).toBe("0.5");
    expect(rangePosition(at(200), false).toString()).toBe("2");
    expect(rangePosition(at(-250), false).toString()).toBe("-1");
    expect(rangePosition(at(-25), true).toString()).toBe("0.5");
    expect(rangePosition(at(-100), true).toString()).toBe("1");
    expect(rangePosition(at(50), true).toString()).toBe("0");
    expect(rangePosition({ lower: 0, upper: 3, tick: 1 }, false).toString()).toBe(
      "0.333333333333333333",
    );
  });

  it("gives the distance in percent with the sign of the side", () => {
    expect(percentOfTicks(1).toString()).toBe("0.01");
    expect(percentOfTicks(-1).toString()).toBe("-0.01");
    expect(percentOfTicks(100).toString()).toBe("1.004966");
    fc.assert(
      fc.property(fc.integer({ min: -20_000, max: 20_000 }), (n) => {
        const expected = Math.sign(n) * (1.0001 ** Math.abs(n) - 1) * 100;
        expect(Number(percentOfTicks(n).toString())).toBeCloseTo(expected, 5);
      }),
    );
  });
});
