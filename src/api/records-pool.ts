import type { Fields } from "./endpoint.ts";
import { address, chainId, number, object, string, text } from "./field-specs.ts";

/** The records of V4 pools and positions in the current family. */

export const TOKEN_METADATA: Fields = {
  address,
  symbol: text,
  name: text,
  decimals: number("integer"),
  price: number("usd"),
};

/** The all-zero address stands for no hook. */
export const HOOK_METADATA: Fields = { address };

export const V4_POOL: Fields = {
  pool_id: text,
  chain_id: chainId,
  fee: number("fee"),
  tick_spacing: number("tick"),
  current_tick: number("tick"),
  sqrt_price_x96: string("integer"),
  liquidity: string("integer"),
  price0: number("price"),
  price1: number("price"),
  amount0: string("raw(token0)"),
  amount1: string("raw(token1)"),
  amount0_d: string("tokens"),
  amount1_d: string("tokens"),
  volume_token0: string("raw(token0)"),
  volume_token1: string("raw(token1)"),
  volume_token0_d: string("tokens"),
  volume_token1_d: string("tokens"),
  volume_usd: number("usd"),
  collected_fees_token0: string("raw(token0)"),
  collected_fees_token1: string("raw(token1)"),
  collected_fees_usd: number("usd"),
  tvl_usd: number("usd"),
  swap_count: string("count"),
  active_position_count: number("count"),
  block_number: string("integer"),
  timestamp: string("seconds"),
  created_at_block_number: string("integer"),
  created_at_timestamp: string("seconds"),
  token0: object(TOKEN_METADATA),
  token1: object(TOKEN_METADATA),
  hook: object(HOOK_METADATA),
};

export const V4_POSITION: Fields = {
  chain_id: chainId,
  protocol: text,
  manager_address: address,
  nft_id: text,
  pool_id: text,
  owner_address: address,
  lower_tick: number("tick"),
  upper_tick: number("tick"),
  liquidity: string("integer"),
  amount0: string("raw(token0)"),
  amount1: string("raw(token1)"),
  amount0_d: string("tokens"),
  amount1_d: string("tokens"),
  core_total_usd: number("usd"),
  ratio: number("ratio"),
  block_number: string("integer"),
  timestamp: string("seconds"),
};
