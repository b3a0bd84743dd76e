import {
  address,
  chainId,
  type Fields,
  isoTime,
  listOf,
  number,
  object,
  signed,
  string,
  text,
} from "./endpoint.ts";

/**
 * The records of tokens in the earlier family. The specification shows names and sample values
 * only; what a number counts is read from its name, its type and the current family's fields.
 */

export const LEGACY_TOKEN_INFO: Fields = {
  token_address: address,
  chain_id: chainId,
  name: text,
  symbol: text,
  decimals: number("integer"),
  total_supply: string("raw"),
  total_supply_formatted: string("tokens"),
  holder_count: number("count"),
  transfer_count: number("count"),
  contract_creator: address,
  creation_block: number("integer"),
  creation_timestamp: isoTime,
  logo_url: text,
};

/** What one wallet holds, in a list of holders as in a list of balances. */
const WALLET: Fields = {
  wallet_address: address,
  balance: string("raw"),
  balance_formatted: string("tokens"),
};

export const LEGACY_HOLDERS: Fields = {
  token_address: address,
  chain_id: chainId,
  total_holders: number("count"),
  holders: listOf(WALLET),
};

export const LEGACY_BALANCES: Fields = {
  token_address: address,
  chain_id: chainId,
  balances: listOf(WALLET),
};

export const LEGACY_BALANCE_HISTORY: Fields = {
  token_address: address,
  wallet_address: address,
  chain_id: chainId,
  historical_balances: listOf({
    date: isoTime,
    balance: string("raw"),
    balance_formatted: string("tokens"),
    balance_change: signed(string("raw")),
    balance_change_formatted: signed(string("tokens")),
    block_number: number("integer"),
  }),
};

export const LEGACY_TOKEN_PRICE: Fields = {
  token_address: address,
  chain_id: chainId,
  symbol: text,
  name: text,
  current_price: object({
    usd: number("usd"),
    // Ether and bitcoin for one token.
    eth: number("price"),
    btc: number("price"),
  }),
  market_data: object({
    market_cap_usd: number("usd"),
    volume_24h_usd: number("usd"),
    price_change_24h: signed(number("usd")),
    price_change_percentage_24h: signed(number("percent")),
    price_change_7d: signed(number("usd")),
    price_change_percentage_7d: signed(number("percent")),
    high_24h: number("usd"),
    low_24h: number("usd"),
    // A JSON number cannot hold raw units: these are whole tokens.
    circulating_supply: number("tokens"),
    total_supply: number("tokens"),
    max_supply: number("tokens"),
  }),
  last_updated: isoTime,
};

export const LEGACY_PRICE_HISTORY: Fields = {
  token_address: address,
  chain_id: chainId,
  symbol: text,
  name: text,
  period: text,
  historical_prices: listOf({
    date: isoTime,
    price_usd: number("usd"),
    price_eth: number("price"),
    price_btc: number("price"),
    volume_24h: number("usd"),
    market_cap: number("usd"),
    open: number("usd"),
    high: number("usd"),
    low: number("usd"),
    close: number("usd"),
    price_change_24h: signed(number("usd")),
    price_change_percentage_24h: signed(number("percent")),
  }),
};

/**
 * The records of V4 and V3 pools in the earlier family. The specification shows names and sample
 * values only; what a number counts is read from its name, its type and the current family's fields.
 */

/** What the pools of both versions tell alike. */
const POOL_STATE: Fields = {
  token0: address,
  token1: address,
  fee_tier: number("fee"),
  initial_tick: number("tick"),
  // A whole number of up to 49 digits that comes as a floating one: only its size is known.
  initial_sqrt_price_x96: number("integer"),
  swap_count: number("count"),
  liquidity: string("integer"),
  sqrt_price_x96: string("integer"),
  tick: number("tick"),
  token0_price: string("price"),
  token1_price: string("price"),
  total_value_locked_usd: string("usd"),
  volume_24h: string("usd"),
  fees_24h: string("usd"),
  created_at_timestamp: isoTime,
  created_at_block_number: number("integer"),
};

export const LEGACY_V4_POOL: Fields = {
  chain_id: chainId,
  pool_id: text,
  hook_address: address,
  ...POOL_STATE,
};

export const V3_POOL: Fields = {
  chain_id: chainId,
  pool_address: address,
  ...POOL_STATE,
};

/** Amounts are signed by the direction of the swap. */
const SWAPS = listOf({
  transaction_hash: text,
  block_number: number("integer"),
  timestamp: isoTime,
  sender: address,
  recipient: address,
  amount0: signed(string("raw(token0)")),
  amount1: signed(string("raw(token1)")),
  sqrt_price_x96: string("integer"),
  tick: number("tick"),
  liquidity: string("integer"),
});

export const V4_SWAPS: Fields = { pool_id: text, swaps: SWAPS };

export const V3_SWAPS: Fields = { pool_address: address, swaps: SWAPS };

export const V4_MODIFY_LIQUIDITY: Fields = {
  pool_id: text,
  modify_liquidity_history: listOf({
    id: text,
    pool_id: text,
    pool_entity_id: text,
    liquidity_delta: signed(string("integer")),
    salt: text,
    sender_id: text,
    sender: address,
    tick_lower: number("tick"),
    tick_upper: number("tick"),
    hash: text,
    tx_at_timestamp: string("seconds"),
    tx_at_block_number: string("integer"),
  }),
};

/** One hour or day of a pool. */
const POOL_POINTS = listOf({
  id: text,
  date: isoTime,
  pool: text,
  liquidity: string("integer"),
  sqrtPrice: string("integer"),
  tick: number("tick"),
  volumeToken0: string("raw(token0)"),
  volumeToken0D: string("tokens"),
  volumeToken1: string("raw(token1)"),
  volumeToken1D: string("tokens"),
  volumeUSD: number("usd"),
  volumePercentageChange: signed(number("percent")),
  collectedFeesToken0: string("raw(token0)"),
  collectedFeesToken1: string("raw(token1)"),
  collectedFeesUSD: number("usd"),
  swapCount: string("count"),
  open: number("price"),
  high: number("price"),
  low: number("price"),
  close: number("price"),
  chainId,
});

export const V4_POOL_HISTORY: Fields = { pool_id: text, period: text, data: POOL_POINTS };

export const V3_POOL_HISTORY: Fields = { pool_address: address, period: text, data: POOL_POINTS };
