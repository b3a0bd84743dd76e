import type { Fields } from "./endpoint.ts";
import {
  address,
  chainId,
  isoTime,
  listOf,
  number,
  object,
  signed,
  string,
  text,
} from "./field-specs.ts";

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
