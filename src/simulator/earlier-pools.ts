import type { Period } from "../serve/world.ts";
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
