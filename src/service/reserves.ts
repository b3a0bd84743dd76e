import { amountsForLiquidity, MAX_TICK, tickAtSqrtPriceX96 } from "../base/ticks.ts";
import type { ListedPool } from "./listed-pools.ts";
import { scaled } from "./prices.ts";
import { wholeTokens } from "./units.ts";

/** What a pool holds in raw units, and the liquidity that is active at its tick. */
export interface Reserves {
  readonly active: bigint;
  readonly amount0: bigint;
  readonly amount1: bigint;
}

/** One of the ranges that a pool's liquidity lies in. */
interface Band {
  readonly lower: number;
  readonly upper: number;
  /** At the market's start. */
  readonly liquidity: bigint;
}

/**
 * The reserves of a pool at a price whose tick is `tick`, with `scale` times the liquidity of the
 * market's start. They are worth the listed TVL at the listed price; `usd0` and `usd1` are what
 * the tokens cost then.
 */
export function reservesOf(
  listed: ListedPool,
  usd0: number,
  usd1: number,
): (sqrtPriceX96: bigint, tick: number, scale: number) => Reserves {
  const bands = bandsOf(listed, usd0, usd1);
  return (sqrtPriceX96, tick, scale) => {
    let active = 0n;
    let amount0 = 0n;
    let amount1 = 0n;
    for (const { lower, upper, liquidity } of bands) {
      const present = scaled(liquidity, scale);
      const amounts = amountsForLiquidity(sqrtPriceX96, lower, upper, present);
      amount0 += amounts.amount0;
      amount1 += amounts.amount1;
      if (lower <= tick && tick < upper) active += present;
    }
    return { active, amount0, amount1 };
  };
}

/** The bands around the starting tick, each with the liquidity that is worth its share of TVL. */
function bandsOf(listed: ListedPool, usd0: number, usd1: number): readonly Band[] {
  const { tickSpacing, sqrtPriceX96, token0, token1 } = listed;
  const usable = Math.floor(MAX_TICK / tickSpacing) * tickSpacing;
  const middle = Math.floor(tickAtSqrtPriceX96(sqrtPriceX96) / tickSpacing) * tickSpacing;
  const probe = 10n ** 24n;
  return listed.spread.map(({ ticks, share }) => {
    const half = Math.ceil(ticks / tickSpacing) * tickSpacing;
    const lower = Math.max(middle - half, -usable);
    const upper = Math.min(middle + half, usable);
    const { amount0, amount1 } = amountsForLiquidity(sqrtPriceX96, lower, upper, probe);
    const usd =
      wholeTokens(amount0, token0.decimals) * usd0 + wholeTokens(amount1, token1.decimals) * usd1;
    const liquidity =
      (probe * BigInt(Math.round(listed.tvlUsd * share * 1e6))) / BigInt(Math.round(usd * 1e6));
    return { lower, upper, liquidity };
  });
}
