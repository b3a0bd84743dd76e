import { amountsBetween } from "../../base/ticks.ts";
import { quotient } from "./price.ts";
import { tvlOf, written } from "./v4-pools.ts";

/** A position between two ticks, and what its tokens are worth. */
export interface PositionRange {
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
