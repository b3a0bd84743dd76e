import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { amountsForLiquidity, sqrtPriceX96AtTick } from "../../../src/base/ticks.ts";
import { plainNumber, priceOf, quotient } from "../../../src/chain/state/price.ts";
import { Reserves, type TickLiquidity } from "../../../src/chain/state/reserves.ts";
import { propertyRuns } from "../../support/tier.ts";

const position = fc.record({
  lower: fc.integer({ min: -2_000, max: 1_990 }),
  width: fc.integer({ min: 1, max: 900 }),
  liquidity: fc.bigInt({ min: 1n, max: 10n ** 24n }),
});

describe("the reserves of a pool", () => {
  it("are what its positions hold, less the rounding of each range", () => {
    fc.assert(
      fc.property(
        fc.array(position, { maxLength: 8 }),
        fc.integer({ min: -2_500, max: 3_200 }),
        fc.bigInt({ min: 0n, max: 1n << 40n }),
        (positions, tick, above) => {
          const ticks: TickLiquidity = new Map();
          const floor = sqrtPriceX96AtTick(tick);
          const price = floor + (above % (sqrtPriceX96AtTick(tick + 1) - floor));
          let [sum0, sum1, active] = [0n, 0n, 0n];
          for (const { lower, width, liquidity } of positions) {
            const upper = lower + width;
            ticks.set(lower, (ticks.get(lower) ?? 0n) + liquidity);
            ticks.set(upper, (ticks.get(upper) ?? 0n) - liquidity);
            const { amount0, amount1 } = amountsForLiquidity(price, lower, upper, liquidity);
            sum0 += amount0;
            sum1 += amount1;
            if (lower <= tick && tick < upper) active += liquidity;
          }
          const reserves = new Reserves(ticks);
          expect(reserves.liquidityAt(tick)).toBe(active);
          const { amount0, amount1 } = reserves.amountsAt(price, tick);
          const slack = BigInt(positions.length * 4 + 2);
          for (const difference of [amount0 - sum0, amount1 - sum1]) {
            expect(difference <= slack && difference >= -slack, `${difference}`).toBe(true);
          }
        },
      ),
      { numRuns: propertyRuns(400) },
    );
  });
});

describe("a price", () => {
  it("is the double next to the exact fraction", () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), fc.integer({ min: 1, max: 2 ** 31 }), (a, b) => {
        // Both are exact doubles, whose quotient is rounded once.
        expect(quotient(BigInt(a), BigInt(b))).toBe(a / b);
      }),
      { numRuns: propertyRuns(800) },
    );
  });

  it("counts whole tokens", () => {
    // 2,000 USDC (6 decimals) for one ETH (18).
    const sqrt = BigInt(Math.round(Math.sqrt(2_000 / 1e12) * 2 ** 96));
    expect(priceOf(sqrt, 18, 6)).toBeCloseTo(2_000, 8);
  });

  it("is written without an exponent", () => {
    expect([1e-9, 123.5, 2.5e21, 1e21, 0].map(plainNumber)).toEqual([
      "0.000000001",
      "123.5",
      "2500000000000000000000",
      "1000000000000000000000",
      "0",
    ]);
  });
});
