import { DAY } from "../base/duration.ts";
import type { Period } from "../serve/world.ts";
import type { Pool, PoolState } from "./pools.ts";
import { cents, isoTime, tickOf } from "./units.ts";

/**
 * The records of pools in the specification's earlier family. Raw amounts, liquidity and sqrt prices
 * are whole numbers in text; what differs from family to family is as the specification has it.
 */

/** What V4 and V3 pools have in common. */
export interface EarlierPoolState {
  readonly token0: string;
  readonly token1: string;
  readonly fee_tier: number;
  readonly initial_tick: number;
  /** A floating number, which cannot hold all digits of it. */
  readonly initial_sqrt_price_x96: number;
  readonly swap_count: number;
  readonly liquidity: string;
  readonly sqrt_price_x96: string;
  readonly tick: number;
  readonly token0_price: string;
  readonly token1_price: string;
  readonly total_value_locked_usd: string;
  readonly volume_24h: string;
  readonly fees_24h: string;
  readonly created_at_timestamp: string;
  readonly created_at_block_number: number;
}

export interface LegacyPoolRecord extends EarlierPoolState {
  readonly chain_id: number;
  readonly pool_id: string;
  readonly hook_address: string;
}

export interface V3PoolRecord extends EarlierPoolState {
  readonly chain_id: number;
  readonly pool_address: string;
}

export interface SwapEntry {
  readonly transaction_hash: string;
  readonly block_number: number;
  readonly timestamp: string;
  readonly sender: string;
  readonly recipient: string;
  /** From the pool's side: what comes in has a plus, what goes out a minus. */
  readonly amount0: string;
  readonly amount1: string;
  readonly sqrt_price_x96: string;
  readonly tick: number;
  readonly liquidity: string;
}

export interface LiquidityEntry {
  readonly id: string;
  readonly pool_id: string;
  readonly pool_entity_id: string;
  readonly liquidity_delta: string;
  readonly salt: string;
  readonly sender_id: string;
  readonly sender: string;
  readonly tick_lower: number;
  readonly tick_upper: number;
  readonly hash: string;
  readonly tx_at_timestamp: string;
  readonly tx_at_block_number: string;
}

export interface PoolPoint {
  readonly id: string;
  readonly date: string;
  readonly pool: string;
  readonly liquidity: string;
  readonly sqrtPrice: string;
  readonly tick: number;
  readonly volumeToken0: string;
  readonly volumeToken0D: string;
  readonly volumeToken1: string;
  readonly volumeToken1D: string;
  readonly volumeUSD: number;
  readonly volumePercentageChange: number;
  readonly collectedFeesToken0: string;
  readonly collectedFeesToken1: string;
  readonly collectedFeesUSD: number;
  readonly swapCount: string;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly chainId: number;
}

/** V4 pools are named by `pool_id`, V3 pools by `pool_address`. */
type Named = { readonly pool_id: string } | { readonly pool_address: string };

export type SwapList = Named & { readonly swaps: readonly SwapEntry[] };

export interface LiquidityList {
  readonly pool_id: string;
  readonly modify_liquidity_history: readonly LiquidityEntry[];
}

export type PoolHistory = Named & {
  readonly period: Period;
  readonly data: readonly PoolPoint[];
};

/** What the earlier family tells of a pool of either version, at a time (epoch ms). */
export function earlierState(pool: Pool, state: PoolState, at: number): EarlierPoolState {
  const { listed, created, moves, trades } = pool;
  const initial = trades.sqrtPriceX96(0);
  const dayAgo = pool.lifetime(Math.max(moves.latest(at - DAY), 0)).usd;
  const { usd } = pool.lifetime(state.move);
  const fees = (dollars: number): number => cents((dollars * listed.meanFee) / 1e6);
  return {
    token0: listed.token0.address,
    token1: listed.token1.address,
    fee_tier: listed.fee,
    initial_tick: tickOf(initial),
    initial_sqrt_price_x96: Number(initial),
    swap_count: state.swapCount,
    liquidity: state.reserves.active.toString(),
    sqrt_price_x96: state.sqrtPriceX96.toString(),
    tick: state.tick,
    token0_price: plain(state.price0),
    token1_price: plain(1 / state.price0),
    total_value_locked_usd: cents(state.reserves.usd).toFixed(2),
    volume_24h: (cents(usd) - cents(dayAgo)).toFixed(2),
    fees_24h: (fees(usd) - fees(dayAgo)).toFixed(2),
    created_at_timestamp: isoTime(created.time).replace("Z", "+00:00"),
    created_at_block_number: created.block,
  };
}

/** A number without an exponent, to 18 digits after the point. */
function plain(value: number): string {
  return value.toFixed(18).replace(/\.?0+$/, "");
}
