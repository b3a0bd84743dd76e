import { DAY, HOUR } from "../base/duration.ts";
import { tickAtSqrtPriceX96 } from "../base/ticks.ts";
import type { Blocks } from "./blocks.ts";
import type { ListedPool, Token } from "./listed-pools.ts";
import { type Octave, smoothNoise, stream, wander } from "./noise.ts";
import { priceOf, type SqrtPrice } from "./prices.ts";
import { reservesOf } from "./reserves.ts";
import { type ScriptEvent, scriptedLiquidity } from "./script.ts";
import { type Swap, swapsOf } from "./swaps.ts";
import { cents, seconds, sixDecimals, wholeTokens } from "./units.ts";

type TokenRecord = Readonly<Token & { price: number }>;

/** The V4 pool record of the specification. */
export type PoolRecord = Readonly<{
  pool_id: string;
  chain_id: number;
  fee: number;
  tick_spacing: number;
  current_tick: number;
  sqrt_price_x96: string;
  liquidity: string;
  price0: number;
  price1: number;
  amount0: string;
  amount1: string;
  amount0_d: string;
  amount1_d: string;
  volume_token0: string;
  volume_token1: string;
  volume_token0_d: string;
  volume_token1_d: string;
  volume_usd: number;
  collected_fees_token0: string;
  collected_fees_token1: string;
  collected_fees_usd: number;
  tvl_usd: number;
  swap_count: string;
  active_position_count: number;
  block_number: string;
  timestamp: string;
  created_at_block_number: string;
  created_at_timestamp: string;
  token0: TokenRecord;
  token1: TokenRecord;
  hook: Readonly<{ address: string }>;
}>;

/** A pool after one swap; prices of the tokens are in US dollars. */
interface PoolState {
  readonly swap: Swap;
  readonly sqrtPriceX96: bigint;
  readonly price0: number;
  readonly usd0: number;
  readonly usd1: number;
}

export interface Pool {
  readonly listed: ListedPool;
  /** As the latest swap up to `at` (epoch ms) left it; undefined before its initialization. */
  state(at: number): PoolState | undefined;
  record(at: number): PoolRecord | undefined;
}

/** What a pool needs of the market around it. */
export interface Surroundings {
  readonly blocks: Blocks;
  readonly seed: number;
  readonly start: number;
  readonly script: readonly ScriptEvent[];
  readonly sqrtPrice: SqrtPrice;
  /** US dollars for one token1 at a time. */
  readonly quote: (at: number) => number;
}

/** Liquidity comes and goes by some percent over days. */
const BREATHING: readonly Octave[] = [
  { period: 3 * HOUR, size: 0.004 },
  { period: 16 * HOUR, size: 0.012 },
  { period: 4 * DAY, size: 0.03 },
];

export function poolOf(listed: ListedPool, around: Surroundings): Pool {
  const { blocks, seed, start, script } = around;
  const swaps = swapsOf(listed, blocks, seed, start);
  const breathing = wander(stream(seed, `liquidity:${listed.id}`), BREATHING);
  const crowd = stream(seed, `positions:${listed.id}`);
  const startUsd1 = around.quote(start);
  const startUsd0 = startUsd1 * price(listed, listed.sqrtPriceX96);
  const reserves = reservesOf(listed, startUsd0, startUsd1);
  const swap0 = rawOf(listed.meanSwapUsd / startUsd0, listed.token0.decimals);
  const swap1 = rawOf(listed.meanSwapUsd / startUsd1, listed.token1.decimals);

  const stateOf = (swap: Swap): PoolState => {
    const sqrtPriceX96 = around.sqrtPrice(swap.time - start);
    const price0 = price(listed, sqrtPriceX96);
    const usd1 = around.quote(swap.time);
    return { swap, sqrtPriceX96, price0, usd0: price0 * usd1, usd1 };
  };

  // Many positions ask for one pool's state at one time; the last answer is remembered.
  let last: PoolState | undefined;
  const state = (at: number): PoolState | undefined => {
    const swap = swaps.latest(at);
    if (swap === undefined) return undefined;
    if (last?.swap.count !== swap.count) last = stateOf(swap);
    return last;
  };

  const recordOf = ({ swap, sqrtPriceX96, price0, usd0, usd1 }: PoolState): PoolRecord => {
    const t = swap.time - start;
    const tick = tickAtSqrtPriceX96(sqrtPriceX96);
    const scale = Math.exp(breathing(t) + scriptedLiquidity(script, listed.id, t));
    const held = reserves(sqrtPriceX96, tick, scale);
    const { token0, token1 } = listed;
    const volume0 = lifetime(swap0, swap.volume);
    const volume1 = lifetime(swap1, swap.volume);
    const volumeUsd = listed.meanSwapUsd * swap.volume;
    return {
      pool_id: listed.id,
      chain_id: listed.chainId,
      fee: listed.fee,
      tick_spacing: listed.tickSpacing,
      current_tick: tick,
      sqrt_price_x96: sqrtPriceX96.toString(),
      liquidity: held.active.toString(),
      price0,
      price1: 1 / price0,
      amount0: held.amount0.toString(),
      amount1: held.amount1.toString(),
      amount0_d: sixDecimals(held.amount0, token0.decimals),
      amount1_d: sixDecimals(held.amount1, token1.decimals),
      volume_token0: volume0.toString(),
      volume_token1: volume1.toString(),
      volume_token0_d: sixDecimals(volume0, token0.decimals),
      volume_token1_d: sixDecimals(volume1, token1.decimals),
      volume_usd: cents(volumeUsd),
      collected_fees_token0: feesOn(volume0, listed.meanFee).toString(),
      collected_fees_token1: feesOn(volume1, listed.meanFee).toString(),
      collected_fees_usd: cents((volumeUsd * listed.meanFee) / 1e6),
      tvl_usd: cents(
        wholeTokens(held.amount0, token0.decimals) * usd0 +
          wholeTokens(held.amount1, token1.decimals) * usd1,
      ),
      swap_count: String(swap.count),
      active_position_count: Math.round(
        listed.positions * (1 + 0.08 * smoothNoise(crowd, t / (2 * DAY))),
      ),
      block_number: String(swap.block),
      timestamp: seconds(swap.time),
      created_at_block_number: String(swaps.created.block),
      created_at_timestamp: seconds(swaps.created.time),
      token0: { ...token0, price: usd0 },
      token1: { ...token1, price: usd1 },
      hook: { address: listed.hook },
    };
  };

  return {
    listed,
    state,
    record: (at) => {
      const now = state(at);
      return now === undefined ? undefined : recordOf(now);
    },
  };
}

function price({ token0, token1 }: ListedPool, sqrtPriceX96: bigint): number {
  return priceOf(sqrtPriceX96, token0.decimals, token1.decimals);
}

function rawOf(tokens: number, decimals: number): bigint {
  return (BigInt(Math.round(tokens * 1e9)) * 10n ** BigInt(decimals)) / 10n ** 9n;
}

/** The sum of so many mean swaps, to a millionth of one. */
function lifetime(meanSwap: bigint, swaps: number): bigint {
  return (meanSwap * BigInt(Math.floor(swaps * 1e6))) / 1_000_000n;
}

/** A swap pays on what goes in, and half of a token's volume goes in. */
function feesOn(volume: bigint, fee: number): bigint {
  return (volume * BigInt(fee)) / 2_000_000n;
}
