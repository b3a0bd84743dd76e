import { RESULT_PLACES } from "../base/signature.ts";
import {
  address,
  chainId,
  type FieldSpec,
  type Fields,
  number,
  signed,
  string,
  text,
} from "./endpoint.ts";

/** The records that only EVM nodes answer. */

/** True or false. */
const flag: FieldSpec = { type: "boolean", quantity: "boolean" };

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

/** What a contract's function gives, as `resultNames` calls it, or what is wrong with it. */
export const CALL: Fields = {
  chain_id: chainId,
  contract_address: address,
  function: { type: "string" },
  args: { type: "string" },
  decimals: { type: "number" },
  problem: text,
  ...Object.fromEntries([
    ...RESULT_PLACES.map((place) => [`value${place}`, signed(string("price"))] as const),
    ...RESULT_PLACES.map((place) => [`flag${place}`, flag] as const),
  ]),
};
