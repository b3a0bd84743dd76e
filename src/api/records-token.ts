import type { Fields } from "./endpoint.ts";
import { address, chainId, isoTime, number, string } from "./field-specs.ts";

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
