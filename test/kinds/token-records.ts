import type { RawRecord } from "../../src/model/index.ts";

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

/** What the earlier family knows of the token. */
export function infoRecord(changes: RawRecord = {}): RawRecord {
  return {
    token_address: TOKEN,
    chain_id: 1,
    name: "Agora Dollar",
    symbol: "AUSD",
    decimals: 6,
    total_supply: "9412508331274519",
    total_supply_formatted: "9412508331.274519",
    holder_count: 48_412,
    transfer_count: 1_204_311,
    contract_creator: "0x1111111111111111111111111111111111111111",
    creation_block: 19_000_000,
    creation_timestamp: "2024-05-01T09:30:00Z",
    logo_url: "https://example.org/ausd.png",
    ...changes,
  };
}

export function priceRecord(changes: RawRecord = {}): RawRecord {
  return {
    token_address: TOKEN,
    chain_id: 1,
    symbol: "AUSD",
    name: "Agora Dollar",
    current_price: { usd: 0.9987, eth: 0.000478753, btc: 0.0000109 },
    market_data: {
      market_cap_usd: 9400284000.12,
      volume_24h_usd: 51000000,
      price_change_24h: -0.0011,
      price_change_percentage_24h: -0.11,
      price_change_7d: 0.0002,
      price_change_percentage_7d: 0.02,
      high_24h: 1.0004,
      low_24h: 0.9981,
      circulating_supply: 9412508331.27,
      total_supply: 9412508331.27,
      max_supply: null,
    },
    last_updated: "2026-11-27T14:19:30.500Z",
    ...changes,
  };
}
