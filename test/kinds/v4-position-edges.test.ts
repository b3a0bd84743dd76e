import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MAX_TICK, sqrtPriceX96AtTick } from "../../src/base/ticks.ts";
import { v4Position } from "../../src/kinds/v4-position.ts";
import { tickAtSqrtPriceX96 } from "../support/tick-at.ts";
import { answersOf, ok, poolRecord, positionRecord } from "./records.ts";

const subject = v4Position.subject({ chainId: 1, id: "42", protocol: "dexa", name: null });

/** In range, side, ticks and percent to the edge, place in the range. */
function seen(lower: number, upper: number, tick: number, more = {}): readonly string[] {
  const reading = v4Position.read(
    subject,
    answersOf({
      v4_position: ok(positionRecord({ lower_tick: lower, upper_tick: upper, ...more })),
      v4_pool: ok(poolRecord({ current_tick: tick, ...more })),
    }),
    0,
  );
  const names = ["in_range", "side", "ticks_to_edge", "pct_to_edge", "range_position"];
  return names.map((name) => String(reading.rows[0]?.value(name) ?? null));
}

describe("a position at the edges of its range", () => {
  it.each<[string, number, number, number, readonly string[]]>([
    ["just below", 100, 200, 99, ["false", "below", "-1", "-0.01", "-0.01"]],
    ["at lower", 100, 200, 100, ["true", "in", "1", "0.01", "0"]],
    ["at upper − 1", 100, 200, 199, ["true", "in", "1", "0.01", "0.99"]],
    ["at upper", 100, 200, 200, ["false", "above", "-1", "-0.01", "1"]],
    ["of one spacing, inside", -10, 0, -10, ["true", "in", "1", "0.01", "0"]],
    ["of one spacing, above", -10, 0, 0, ["false", "above", "-1", "-0.01", "1"]],
    ["of one tick", 7, 8, 7, ["true", "in", "1", "0.01", "0"]],
    ["of negative ticks", -200, -100, -150, ["true", "in", "50", "0.501227", "0.5"]],
    [
      "over all ticks, at the lowest",
      -MAX_TICK,
      MAX_TICK,
      -MAX_TICK,
      ["true", "in", "1", "0.01", "0"],
    ],
    [
      "over all ticks, at the highest that is in it",
      -MAX_TICK,
      MAX_TICK,
      MAX_TICK - 1,
      ["true", "in", "1", "0.01", "0.99999943647494793"],
    ],
    [
      "over all ticks, at the highest of all",
      -MAX_TICK,
      MAX_TICK,
      MAX_TICK,
      ["false", "above", "-1", "-0.01", "1"],
    ],
  ])("%s", (_name, lower, upper, tick, expected) => {
    expect(seen(lower, upper, tick)).toEqual(expected);
  });

  it("goes by the pool's tick where price and tick disagree by one", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -MAX_TICK + 2, max: MAX_TICK - 2 }),
        fc.constantFrom(-1, 0, 1),
        (edge, off) => {
          const price = sqrtPriceX96AtTick(edge);
          expect(tickAtSqrtPriceX96(price)).toBe(edge);
          const more = { sqrt_price_x96: price.toString() };
          const [inRange] = seen(edge - 1, edge, edge + off, more);
          expect(inRange).toBe(String(off === -1));
        },
      ),
    );
  });

  it("that is closed has no liquidity, whatever it was sold for, and keeps its range", () => {
    const read = (liquidity: unknown): boolean =>
      v4Position.read(
        subject,
        answersOf({
          v4_position: ok(positionRecord({ liquidity, owner_address: `0x${"2".repeat(40)}` })),
          v4_pool: ok(poolRecord()),
        }),
        0,
      ).closed;
    expect([read("0"), read(0)]).toEqual([true, true]);
    expect([read("1"), read(null), read("")]).toEqual([false, false, false]);
  });

  it("never has nothing to its edge, and the sign says on which side it is", () => {
    const tick = fc.integer({ min: -MAX_TICK, max: MAX_TICK });
    fc.assert(
      fc.property(tick, tick, tick, (a, b, t) => {
        fc.pre(a !== b);
        const [lower, upper] = [Math.min(a, b), Math.max(a, b)];
        const [inRange, side, ticks, percent] = seen(lower, upper, t);
        const inside = lower <= t && t < upper;
        expect(inRange).toBe(String(inside));
        expect(side).toBe(inside ? "in" : t < lower ? "below" : "above");
        expect(Number(ticks) > 0).toBe(inside);
        expect(Number(ticks)).not.toBe(0);
        expect(Math.sign(Number(percent))).toBe(inside ? 1 : -1);
      }),
    );
  });
});
