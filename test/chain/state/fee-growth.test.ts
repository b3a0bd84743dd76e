import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  feesBetween,
  type Growths,
  growthsInside,
} from "../../../src/chain/state/position-amounts.ts";
import { propertyRuns } from "../../support/tier.ts";

const WORD = 1n << 256n;
const ZERO: Growths = { growth0: 0n, growth1: 0n };
const wrapped = (value: bigint): bigint => ((value % WORD) + WORD) % WORD;

/** A pool as the contracts keep it: counters that wrap around, turned over at each tick that is crossed. */
class Pool {
  readonly #outside = new Map<number, Growths>();

  constructor(
    public tick: number,
    public global: Growths,
  ) {}

  outside(tick: number): Growths {
    return this.#outside.get(tick) ?? ZERO;
  }

  /** A tick that comes into use: by the contracts' custom all was earned below it. */
  use(tick: number): void {
    if (!this.#outside.has(tick)) this.#outside.set(tick, tick <= this.tick ? this.global : ZERO);
  }

  earn(growth0: bigint, growth1: bigint): void {
    this.global = {
      growth0: wrapped(this.global.growth0 + growth0),
      growth1: wrapped(this.global.growth1 + growth1),
    };
  }

  moveTo(tick: number): void {
    const [low, high] = tick > this.tick ? [this.tick + 1, tick] : [tick + 1, this.tick];
    for (const [crossed, { growth0, growth1 }] of this.#outside) {
      if (crossed < low || crossed > high) continue;
      this.#outside.set(crossed, {
        growth0: wrapped(this.global.growth0 - growth0),
        growth1: wrapped(this.global.growth1 - growth1),
      });
    }
    this.tick = tick;
  }

  inside(range: { readonly lower: number; readonly upper: number }): Growths {
    const [below, above] = [this.outside(range.lower), this.outside(range.upper)];
    return growthsInside(this.tick, range, this.global, below, above);
  }
}

const growth = fc.bigInt({ min: 0n, max: 1n << 140n });
const step = fc.record({
  tick: fc.integer({ min: -60, max: 60 }),
  growth0: growth,
  growth1: growth,
});
const range = fc
  .tuple(fc.integer({ min: -40, max: 39 }), fc.integer({ min: 1, max: 40 }))
  .map(([lower, width]) => ({ lower, upper: lower + width }));
/** Where counters begin: mostly so that they wrap around on the way. */
const begin = fc.oneof(fc.constant(0n), fc.bigInt({ min: WORD - (1n << 142n), max: WORD - 1n }));

describe("what a position has earned", () => {
  it("is what the pool earned while the price was in its range, over any path and past 2^256", () => {
    fc.assert(
      fc.property(
        range,
        fc.array(range, { maxLength: 3 }),
        fc.integer({ min: -60, max: 60 }),
        begin,
        fc.array(step, { maxLength: 5 }),
        fc.array(step, { minLength: 1, maxLength: 12 }),
        fc.bigInt({ min: 1n, max: (1n << 100n) - 1n }),
        (own, others, tick, start, before, after, liquidity) => {
          const pool = new Pool(tick, { growth0: start, growth1: wrapped(start * 3n) });
          const go = ({ tick: next, growth0, growth1 }: (typeof before)[number]): void => {
            pool.earn(growth0, growth1);
            pool.moveTo(next);
          };
          for (const { lower, upper } of others) for (const end of [lower, upper]) pool.use(end);
          before.forEach(go);
          pool.use(own.lower);
          pool.use(own.upper);
          const last = pool.inside(own);
          let [earned0, earned1] = [0n, 0n];
          for (const one of after) {
            if (own.lower <= pool.tick && pool.tick < own.upper) {
              earned0 += one.growth0;
              earned1 += one.growth1;
            }
            go(one);
          }
          expect(feesBetween(liquidity, last, pool.inside(own))).toEqual({
            amount0: (earned0 * liquidity) >> 128n,
            amount1: (earned1 * liquidity) >> 128n,
          });
        },
      ),
      { numRuns: propertyRuns(800) },
    );
  });

  it("is nothing for a range that the price has not been in, wherever the price went", () => {
    const pool = new Pool(0, { growth0: WORD - 5n, growth1: 7n });
    pool.use(100);
    pool.use(200);
    const last = pool.inside({ lower: 100, upper: 200 });
    for (const tick of [99, -50, 20]) {
      pool.earn(1n << 130n, 1n << 131n);
      pool.moveTo(tick);
    }
    const fees = feesBetween(10n ** 18n, last, pool.inside({ lower: 100, upper: 200 }));
    expect(fees).toEqual({ amount0: 0n, amount1: 0n });
  });

  it("is cut to whole units, as the contracts cut it", () => {
    const now = { growth0: 1n << 128n, growth1: (1n << 128n) - 1n };
    expect(feesBetween(3n, ZERO, now)).toEqual({ amount0: 3n, amount1: 2n });
    expect(feesBetween(1n, { growth0: WORD - 1n, growth1: 0n }, now)).toEqual({
      amount0: 1n,
      amount1: 0n,
    });
  });
});
