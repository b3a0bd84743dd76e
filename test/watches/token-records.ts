import type { RawRecord } from "../../src/model.ts";

/** Token records as the service gives them: the address in mixed case, amounts beyond 2^53. */

export const TOKEN = "0x00000000eFE302BEAA2b3e6e1b18d08D69a9012a";
export const TOKEN_KEY = TOKEN.toLowerCase();
export const WALLET = "0xABcdEFABcdEFabcdEfAbCdefabcdeFABcDEFabCD";
export const WALLET_KEY = WALLET.toLowerCase();

export function supplyRecord(changes: RawRecord = {}): RawRecord {
  return { token_address: TOKEN, chain_id: 1, total_supply: "9412508331274519", ...changes };
}

export function balanceRecord(changes: RawRecord = {}): RawRecord {
  return {
    token_address: TOKEN,
    chain_id: 1,
    wallet_address: WALLET,
    balance: "184902117640033",
    ...changes,
  };
}

export function countRecord(changes: RawRecord = {}): RawRecord {
  return { token_address: TOKEN, chain_id: 1, holder_count: 48_412, ...changes };
}
