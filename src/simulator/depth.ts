import {
  amountsForLiquidity,
  MAX_TICK,
  sqrtPriceX96AtTick,
  tickAtSqrtPriceX96,
} from "../base/ticks.ts";
import type { PoolListing } from "./listed-pools.ts";
import { wholeTokens } from "./units.ts";

/** Liquidity between two ticks. */
export interface Range {
  readonly lower: number;
  readonly upper: number;
  readonly liquidity: bigint;
}

/**
 * What a pool with some liquidity holds at a price. `root` is the square root of the price of one
 * raw unit; amounts are whole numbers of the tokens' lots (`lotOf`), exact as long as they are below
 * 2^53, so that sums of differences are exact too. They are within a lot of what the ranges hold, and of
 * very large ones within the roundings of doubles.
 */
export interface Depth {
  lots0(root: number): number;
  lots1(root: number): number;
  /** The liquidity that is active at a tick. */
  activeAt(tick: number): bigint;
}

/**
 * The market moves tokens in lots of so many raw units, a power of two: of a token with 18 decimals
 * about 4 billionths, of one with 6 the smallest even number. Reserves in lots are exact doubles.
 */
export function lotOf(decimals: number): number {
  return decimals > 12 ? 2 ** 32 : 2;
}

/** Between two neighbouring edges the active liquidity is one. */
interface Segment {
  readonly from: number;
  readonly to: number;
  readonly active: number;
  /** What the ranges that lie wholly above and below hold, in raw units. */
  above: number;
  below: number;
}

export function depthOf(ranges: readonly Range[], lot0: number, lot1: number): Depth {
  const open = ranges.filter(({ liquidity }) => liquidity > 0n);
  const segments = segmentsOf(open);
  const first = segments[0];
  const last = segments.at(-1);
  const at = (root: number): Segment | undefined => {
    for (const segment of segments) if (root < segment.to) return segment;
    return last;
  };
  return {
    lots0: (root) => {
      const segment = at(root);
      if (segment === undefined || first === undefined) return 0;
      const { to, active, above } = segment;
      const price = Math.max(root, first.from);
      return Math.round((above + active * Math.max(0, 1 / price - 1 / to)) / lot0);
    },
    lots1: (root) => {
      const segment = at(root);
      if (segment === undefined || last === undefined) return 0;
      const { from, active, below } = segment;
      const price = Math.min(root, last.to);
      return Math.round((below + active * Math.max(0, price - from)) / lot1);
    },
    activeAt: (tick) =>
      open.reduce(
        (sum, { lower, upper, liquidity }) =>
          lower <= tick && tick < upper ? sum + liquidity : sum,
        0n,
      ),
  };
}

function segmentsOf(ranges: readonly Range[]): readonly Segment[] {
  const ticks = [...new Set(ranges.flatMap(({ lower, upper }) => [lower, upper]))];
  ticks.sort((a, b) => a - b);
  const segments = ticks.slice(1).map((tick, i): Segment => {
    const lower = ticks[i] ?? tick;
    const active = ranges
      .filter((range) => range.lower <= lower && tick <= range.upper)
      .reduce((sum, { liquidity }) => sum + liquidity, 0n);
    return { from: rootAt(lower), to: rootAt(tick), active: Number(active), above: 0, below: 0 };
  });
  let below = 0;
  for (const segment of segments) {
    segment.below = below;
    below += segment.active * (segment.to - segment.from);
  }
  let above = 0;
  for (const segment of segments.toReversed()) {
    segment.above = above;
    above += segment.active * (1 / segment.from - 1 / segment.to);
  }
  return segments;
}

const roots = new Map<number, number>();

/** Of a tick's price, computed once. */
function rootAt(tick: number): number {
  const kept = roots.get(tick);
  if (kept !== undefined) return kept;
  const root = Number(sqrtPriceX96AtTick(tick)) / 2 ** 96;
  roots.set(tick, root);
  return root;
}

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
