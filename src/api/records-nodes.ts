import { address, chainId, type Fields, string } from "./endpoint.ts";

/** The records that only EVM nodes answer. */

/** What an account holds of its chain's own currency, in wei. */
export const NATIVE_BALANCE: Fields = {
  chain_id: chainId,
  wallet_address: address,
  balance: string("raw"),
};
