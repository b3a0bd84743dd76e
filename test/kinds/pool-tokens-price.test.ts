import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Decimal, decimalFromInteger, divide, parseDecimal } from "../../src/base/decimal.ts";
import { priceAtTick, sqrtPriceX96AtTick } from "../../src/base/ticks.ts";
import { directionOf } from "../../src/kinds/pool-tokens.ts";
import { propertyRuns } from "../support/tier.ts";

const ONE = decimalFromInteger(1);
const SQRT = "3618602270101715334278112";
const state = (sqrtPriceX96: unknown, tick: unknown = null) => ({ sqrtPriceX96, tick });
const direct = parseDecimal("2086.0412345");
const inverse = parseDecimal("0.000479377");

describe("the direction of a pool's prices", () => {
  it("is told by the pool's state, whatever the prices are called", () => {
    expect(directionOf(direct, inverse, state(SQRT))).toBe("first");
    expect(directionOf(inverse, direct, state(SQRT))).toBe("second");
  });

  it("is told by the tick where the root is missing", () => {
    for (const root of [null, undefined, "", "0", "-5", "x", "1.5", {}]) {
      expect(directionOf(direct, inverse, state(root, -199_890))).toBe("first");
      expect(directionOf(inverse, direct, state(root, "-199890"))).toBe("second");
      expect(directionOf(direct, inverse, state(root, 900_000))).toBeNull();
    }
  });

  it("is told by one of them alone", () => {
    expect(directionOf(direct, null, state(SQRT))).toBe("first");
    expect(directionOf(null, inverse, state(SQRT))).toBe("first");
    expect(directionOf(inverse, null, state(SQRT))).toBe("second");
    expect(directionOf(null, direct, state(SQRT))).toBe("second");
    expect(directionOf(null, null, state(SQRT))).toBeNull();
    expect(directionOf(parseDecimal("0"), parseDecimal("0"), state(SQRT))).toBeNull();
  });

  it("is not known for prices of another pool or time", () => {
    expect(directionOf(parseDecimal("2150"), parseDecimal("0.000465"), state(SQRT))).toBeNull();
    expect(directionOf(parseDecimal("2095"), parseDecimal("0.0004773"), state(SQRT))).toBe("first");
  });

  it("is found for any tick and decimals, at the peg too", () => {
    const anyTick = fc.integer({ min: -400_000, max: 400_000 });
    const decimals = fc.integer({ min: 0, max: 24 });
    fc.assert(
      fc.property(anyTick, decimals, decimals, (tick, decimals0, decimals1) => {
        const price = priceAtTick(tick, decimals0, decimals1);
        const turned: Decimal = divide(ONE, price, 60);
        // Twelve digits of a price of exactly a power of ten say nothing of its direction.
        fc.pre(/^0*\.?0*10*$/.exec(price.toString().replace(".", "")) === null);
        const of = state(sqrtPriceX96AtTick(tick).toString());
        expect(directionOf(price, turned, of)).toBe("first");
        expect(directionOf(turned, price, of)).toBe("second");
      }),
      { numRuns: propertyRuns(200) },
    );
    const peg = state(sqrtPriceX96AtTick(-276_325).toString());
    const price = priceAtTick(-276_325, 18, 6);
    expect(price.toString()).toMatch(/^0\.9999|^1\.0000/);
    expect(directionOf(price, divide(ONE, price, 30), peg)).toBe("first");
  });
});
