import { amountsBetween } from "../../base/ticks.ts";
import { quotient } from "./price.ts";
import { tvlOf, written } from "./v4-pools.ts";

/**
 * What liquidity has earned. A pool counts the fees that one unit of liquidity has earned since it began, as
 * Q128 fractions of a raw unit that wrap around at 2^256; of each tick it counts what was earned on its other
 * side. So only differences mean something. Source: Uniswap v3-core, Tick.sol and Position.sol; v4-core,
 * StateLibrary.sol and Position.sol.
 */

/** Of one token: fees for each unit of liquidity, times 2^128, modulo 2^256. */
type Growth = bigint;

/** What both tokens' counters say. */
export interface Growths {
  readonly growth0: Growth;
  readonly growth1: Growth;
}

/** Two amounts in raw units. */
export interface Amounts {
  readonly amount0: bigint;
  readonly amount1: bigint;
}

const WORD_BITS = 256;
const FRACTION_BITS = 128n;

/**
 * What was earned in [lower, upper) since the pool began, with the pool at `tick`: `global` is the whole
 * pool's counter, `below` and `above` are those of the ticks at the range's ends.
 */
function insideOf(
  tick: number,
  { lower, upper }: { readonly lower: number; readonly upper: number },
  global: Growth,
  below: Growth,
  above: Growth,
): Growth {
  const under = tick >= lower ? below : global - below;
  const over = tick < upper ? above : global - above;
  return BigInt.asUintN(WORD_BITS, global - under - over);
}

/** The same of both tokens. */
export function growthsInside(
  tick: number,
  range: { readonly lower: number; readonly upper: number },
  global: Growths,
  below: Growths,
  above: Growths,
): Growths {
  return {
    growth0: insideOf(tick, range, global.growth0, below.growth0, above.growth0),
    growth1: insideOf(tick, range, global.growth1, below.growth1, above.growth1),
  };
}

/** What `liquidity` has earned between two readings of a range's counters, cut to whole units. */
export function feesBetween(liquidity: bigint, before: Growths, now: Growths): Amounts {
  return {
    amount0: earned(liquidity, before.growth0, now.growth0),
    amount1: earned(liquidity, before.growth1, now.growth1),
  };
}

function earned(liquidity: bigint, before: Growth, now: Growth): bigint {
  return (BigInt.asUintN(WORD_BITS, now - before) * liquidity) >> FRACTION_BITS;
}

/** A position between two ticks, and what its tokens are worth. */
interface PositionRange {
  readonly lower: number;
  readonly upper: number;
  /** The square roots of the prices at both ticks, times 2^96; so is the pool's own. */
  readonly sqrtLower: bigint;
  readonly sqrtUpper: bigint;
  readonly sqrtPriceX96: bigint;
  readonly liquidity: bigint;
  readonly decimals: readonly [number | null, number | null];
  readonly usd: readonly [number | null, number | null];
}

/** The fields of a record that say what a position holds, of V3 and V4 alike. */
export function amountFields(position: PositionRange) {
  const { lower, upper, sqrtPriceX96, sqrtLower, sqrtUpper, liquidity, decimals, usd } = position;
  const amounts = amountsBetween(sqrtPriceX96, sqrtLower, sqrtUpper, liquidity);
  const { amount0, amount1 } = amounts;
  return {
    lower_tick: lower,
    upper_tick: upper,
    liquidity: liquidity.toString(),
    amount0: amount0.toString(),
    amount1: amount1.toString(),
    amount0_d: written(amount0, decimals[0]),
    amount1_d: written(amount1, decimals[1]),
    core_total_usd: tvlOf(amounts, decimals, usd),
    ratio: ratioOf(amount0, amount1, sqrtPriceX96),
  };
}

/** The share of the value that is in token0, at the pool's own price; null for an empty position. */
function ratioOf(amount0: bigint, amount1: bigint, sqrtPriceX96: bigint): number | null {
  if (amount0 === 0n && amount1 === 0n) return null;
  // Both in raw units of token1, times 2^192.
  const value0 = amount0 * sqrtPriceX96 * sqrtPriceX96;
  return quotient(value0, value0 + (amount1 << 192n));
}
