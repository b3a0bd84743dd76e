import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseDecimal } from "../../src/base/decimal.ts";
import {
  amountsForLiquidity,
  MAX_TICK,
  percentOfTicks,
  priceAtTick,
  sqrtPriceX96AtTick,
} from "../../src/base/ticks.ts";
import { tickAtSqrtPriceX96 } from "../support/tick-at.ts";
import { propertyRuns } from "../support/tier.ts";

const MIN_SQRT_PRICE = 4295128739n;
const MAX_SQRT_PRICE = 1461446703485210103287273052203988822378723970342n;
const ticks = fc.integer({ min: -MAX_TICK, max: MAX_TICK });

/**
 * 1.0001^n with 200 decimals in an independent way:
 * exp(n · ln(1.0001)), both as Taylor series in integers.
 */
const SCALE = 10n ** 200n;
function powerOfTick(n: number): bigint {
  let logarithm = 0n;
  for (let k = 1n, term = SCALE / 10_000n; term !== 0n; k += 1n, term /= 10_000n) {
    logarithm += k % 2n === 1n ? term / k : -term / k;
  }
  const exponent = BigInt(n) * logarithm;
  // exp(x) = exp(x / 2^20)^(2^20) keeps the series short.
  let power = 0n;
  for (let k = 1n, term = SCALE; term !== 0n; k += 1n) {
    power += term;
    term = (term * (exponent >> 20n)) / SCALE / k;
  }
  for (let i = 0; i < 20; i += 1) power = (power * power) / SCALE;
  return power;
}

function significant(value: bigint, digits: number): { text: string; length: number } {
  const length = value.toString().length;
  const unit = 10n ** BigInt(length - digits);
  const rounded = (value + unit / 2n) / unit;
  return {
    text: rounded.toString().slice(0, digits),
    length: length + (rounded.toString().length - digits),
  };
}

describe("the sqrt price at a tick", () => {
  it.each([
    [-887_272, MIN_SQRT_PRICE],
    [887_272, MAX_SQRT_PRICE],
    [0, 2n ** 96n],
    // Values of the contracts' own tests.
    [-887_271, 4295343490n],
    [887_271, 1461373636630004318706518188784493106690254656249n],
    [50, 79426470787362580746886972461n],
    [100, 79625275426524748796330556128n],
    [-50, 79030349367926598376800521322n],
    [250_000, 21246587762933397357449903968194344n],
    [-500_000, 1101692437043807371n],
    [738_203, 847134979253254120489401328389043031315994541n],
  ])("at %d is %d", (tick, sqrtPrice) => {
    expect(sqrtPriceX96AtTick(tick)).toBe(sqrtPrice);
  });

  it.each([887_273, -887_273, 0.5, Number.NaN, Infinity])("does not exist at %d", (tick) => {
    expect(() => sqrtPriceX96AtTick(tick)).toThrow(RangeError);
  });

  it("leads back to its tick, also from just below the next one", () => {
    fc.assert(
      fc.property(ticks, (tick) => {
        expect(tickAtSqrtPriceX96(sqrtPriceX96AtTick(tick))).toBe(tick);
        if (tick < MAX_TICK) {
          expect(tickAtSqrtPriceX96(sqrtPriceX96AtTick(tick + 1) - 1n)).toBe(tick);
        }
      }),
    );
  });

  it("knows the tick of a real pool", () => {
    expect(tickAtSqrtPriceX96(3618602270101715334278112n)).toBe(-199_890);
  });
});

describe("the amounts of a position", () => {
  it("are those of a real full-range position", () => {
    const amounts = amountsForLiquidity(
      3207989918599918700969750n,
      -887_270,
      887_270,
      49_387_053_232n,
    );
    expect(amounts).toEqual({ amount0: 1219718758116679n, amount1: 1999707n });
  });

  it("are all token0 below the range and all token1 above it", () => {
    fc.assert(
      fc.property(
        ticks,
        fc.integer({ min: 1, max: 10_000 }),
        fc.bigInt({ min: 1n, max: 2n ** 128n - 1n }),
        (tick, width, liquidity) => {
          const lower = Math.min(tick, MAX_TICK - width);
          const upper = lower + width;
          const below = amountsForLiquidity(MIN_SQRT_PRICE, lower, upper, liquidity);
          const above = amountsForLiquidity(MAX_SQRT_PRICE, lower, upper, liquidity);
          expect(below.amount1).toBe(0n);
          expect(above.amount0).toBe(0n);
          const at = sqrtPriceX96AtTick(lower + Math.floor(width / 2));
          const inside = amountsForLiquidity(at, lower, upper, liquidity);
          expect(inside.amount0 <= below.amount0).toBe(true);
          expect(inside.amount1 <= above.amount1).toBe(true);
        },
      ),
    );
  });
});

describe("a distance of ticks in percent", () => {
  it.each([
    [0, "0"],
    [1, "0.01"],
    [-1, "-0.01"],
    [2, "0.020001"],
    [10, "0.100045"],
    [6_932, "100.003632"],
  ])("of %d is %s", (n, percent) => {
    expect(percentOfTicks(n).toString()).toBe(percent);
  });

  it("is right to the last digit up to the whole width of a pool", () => {
    const distances = fc.oneof(
      fc.constantFrom(2 * MAX_TICK, 887_272, 1_000_000),
      fc.nat(2 * MAX_TICK),
    );
    fc.assert(
      fc.property(distances, (n) => {
        const exact = (powerOfTick(n) - SCALE) * 100n;
        const unit = SCALE / 1_000_000n;
        const millionths = (exact + unit / 2n) / unit;
        expect(percentOfTicks(n).toString()).toBe(parseDecimal(`${millionths}e-6`)?.toString());
        expect(percentOfTicks(-n).toString()).toBe(parseDecimal(`${-millionths}e-6`)?.toString());
      }),
      { numRuns: propertyRuns(40) },
    );
  });
});

describe("the price at a tick", () => {
  it("is that of a real pool, in whole tokens", () => {
    expect(priceAtTick(-199_890, 18, 6).toString()).toBe("2086.03517806");
    expect(priceAtTick(0, 18, 18).toString()).toBe("1");
  });

  it("has twelve right digits at every tick and with any decimals", () => {
    const decimals = fc.oneof(fc.constantFrom(0, 255), fc.nat(255));
    const everywhere = fc.oneof(fc.constantFrom(-MAX_TICK, MAX_TICK), ticks);
    fc.assert(
      fc.property(everywhere, decimals, decimals, (tick, decimals0, decimals1) => {
        const power = powerOfTick(Math.abs(tick));
        const exact = tick >= 0 ? power : (SCALE * SCALE) / power;
        const { text, length } = significant(exact, 12);
        const exponent = length - 12 - 200 + decimals0 - decimals1;
        expect(priceAtTick(tick, decimals0, decimals1).toString()).toBe(
          parseDecimal(`${text}e${exponent}`)?.toString(),
        );
      }),
      { numRuns: propertyRuns(40) },
    );
  });
});
