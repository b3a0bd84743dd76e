import { address, chainId, type Fields, number, string } from "./endpoint.ts";

/** The records that only EVM nodes answer. */

/** What an account holds of its chain's own currency, in wei. */
export const NATIVE_BALANCE: Fields = {
  chain_id: chainId,
  wallet_address: address,
  balance: string("raw"),
};

/** How much of a token one account may take from another. */
export const ALLOWANCE: Fields = {
  chain_id: chainId,
  token_address: address,
  owner_address: address,
  spender_address: address,
  allowance: string("raw"),
};

/** The last blocks of a chain, in wei per gas: the newest one's base fee, and means of the blocks' thresholds. */
export const GAS_NOW: Fields = {
  chain_id: chainId,
  blocks: number("count"),
  block_number: string("integer"),
  timestamp: string("seconds"),
  base_fee: string("wei"),
  tip_top5: string("wei"),
  tip_top10: string("wei"),
};
