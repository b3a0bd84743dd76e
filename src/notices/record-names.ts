import type { Ask } from "../model/index.ts";

/** What people call the records that an endpoint answers. */
export const RECORD_NAMES: Readonly<Record<Ask["record"], string>> = {
  v4_pool: "V4 pools",
  v4_position: "V4 positions",
  gas_hour: "gas hours",
  supply: "token supplies",
  supply_point: "supply histories",
  balance: "token balances",
  balance_point: "balance histories",
  holder_count: "holder counts",
  holder: "token holders",
  token_info: "token infos",
  token_price: "token prices",
  price_point: "price histories",
  v4_pool_24h: "V4 pools by day",
  v3_pool: "V3 pools",
  v4_swap: "V4 swaps",
  v3_swap: "V3 swaps",
  v4_liquidity: "V4 liquidity changes",
  v4_pool_point: "V4 pool histories",
  v3_pool_point: "V3 pool histories",
  endpoint: "endpoints",
};
