import { amountsForLiquidity, MAX_TICK, tickAtSqrtPriceX96 } from "../base/ticks.ts";
import type { Range } from "./depth.ts";
import type { PoolListing } from "./listed-pools.ts";
import { wholeTokens } from "./units.ts";

/** One of the ranges that most of a pool's liquidity lies in, as at the market's start. */
export type Band = Range;

/**
 * The bands around the starting tick. Together with the positions that are open then they are worth
 * the listed TVL, each with its share of it; `usd0` and `usd1` are what the tokens cost then.
 */
export function bandsOf(
  listed: PoolListing,
  open: readonly Range[],
  { usd0, usd1 }: { readonly usd0: number; readonly usd1: number },
): readonly Band[] {
  const { tickSpacing, sqrtPriceX96, token0, token1 } = listed;
  const worth = ({ lower, upper, liquidity }: Range): number => {
    const { amount0, amount1 } = amountsForLiquidity(sqrtPriceX96, lower, upper, liquidity);
    return (
      wholeTokens(amount0, token0.decimals) * usd0 + wholeTokens(amount1, token1.decimals) * usd1
    );
  };
  const rest = listed.tvlUsd - open.reduce((sum, range) => sum + worth(range), 0);
  const usable = Math.floor(MAX_TICK / tickSpacing) * tickSpacing;
  const middle = Math.floor(tickAtSqrtPriceX96(sqrtPriceX96) / tickSpacing) * tickSpacing;
  const probe = 10n ** 24n;
  return listed.spread.map(({ ticks, share }) => {
    const half = Math.ceil(ticks / tickSpacing) * tickSpacing;
    const lower = Math.max(middle - half, -usable);
    const upper = Math.min(middle + half, usable);
    const usd = worth({ lower, upper, liquidity: probe });
    const liquidity =
      (probe * BigInt(Math.round(rest * share * 1e6))) / BigInt(Math.round(usd * 1e6));
    return { lower, upper, liquidity };
  });
}
