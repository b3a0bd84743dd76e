import {
  address,
  chainId,
  type Fields,
  isoTime,
  number,
  object,
  string,
  text,
} from "./endpoint.ts";

/** The records of ERC-20 tokens in the current family. Amounts are in raw units. */

export const SUPPLY: Fields = {
  token_address: address,
  chain_id: chainId,
  total_supply: string("raw"),
};

/** One day of a token's supply. */
export const SUPPLY_POINT: Fields = {
  date: isoTime,
  total_supply: string("raw"),
};

export const BALANCE: Fields = {
  token_address: address,
  chain_id: chainId,
  wallet_address: address,
  balance: string("raw"),
};

/** One day of a wallet's balance. */
export const BALANCE_POINT: Fields = {
  date: isoTime,
  balance: string("raw"),
};

export const HOLDER_COUNT: Fields = {
  token_address: address,
  chain_id: chainId,
  holder_count: number("count"),
};

export const HOLDER: Fields = {
  wallet_address: address,
  token_address: address,
  chain_id: chainId,
  balance: string("raw"),
};

/** One hour of a chain; tips are per gas, in wei, averaged over the hour's blocks. */
export const GAS_HOUR: Fields = {
  // The bucket's name, which is how rows are dated: text like any other identifier.
  hour: text,
  block_count: number("count"),
  avg_base_fee: string("wei"),
  avg_gas_used: string("integer"),
  avg_gas_limit: string("integer"),
  utilization: number("ratio"),
  tx_count: string("count"),
  avg_block_priority_fee_min: string("wei"),
  avg_block_priority_fee_max: string("wei"),
  avg_priority_fee_top5_threshold: string("wei"),
  avg_priority_fee_top5_avg: string("wei"),
  avg_priority_fee_top10_threshold: string("wei"),
  avg_priority_fee_top10_avg: string("wei"),
  zero_tip_ratio: number("ratio"),
};

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

/** What a position holds. */
export const POSITION_AMOUNTS: Fields = {
  lower_tick: number("tick"),
  upper_tick: number("tick"),
  liquidity: string("integer"),
  amount0: string("raw(token0)"),
  amount1: string("raw(token1)"),
  amount0_d: string("tokens"),
  amount1_d: string("tokens"),
  core_total_usd: number("usd"),
  ratio: number("ratio"),
};

export const V4_POSITION: Fields = {
  chain_id: chainId,
  protocol: text,
  manager_address: address,
  nft_id: text,
  pool_id: text,
  owner_address: address,
  ...POSITION_AMOUNTS,
  block_number: string("integer"),
  timestamp: string("seconds"),
};
