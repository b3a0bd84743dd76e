import { ADDRESS, type EndpointSpec, type ParamSpec, POOL_ID } from "./endpoint.ts";
import {
  LEGACY_BALANCE_HISTORY,
  LEGACY_BALANCES,
  LEGACY_HOLDERS,
  LEGACY_PRICE_HISTORY,
  LEGACY_TOKEN_INFO,
  LEGACY_TOKEN_PRICE,
  LEGACY_V4_POOL,
  V3_POOL,
  V3_POOL_HISTORY,
  V3_SWAPS,
  V4_MODIFY_LIQUIDITY,
  V4_POOL_HISTORY,
  V4_SWAPS,
} from "./records-earlier.ts";

/** Which parameters of this family are required is not shown anywhere. */
const required = null;
const chainid: ParamSpec = { type: "number", required };
/** Of a token's contract, or of a V3 pool's. */
const address: ParamSpec = { type: "string", required, pattern: ADDRESS };
const wallet: ParamSpec = { type: "string", required, pattern: ADDRESS };
const wallets: ParamSpec = { ...wallet, joined: { separator: ",", max: 100 } };
const poolid: ParamSpec = { type: "string", required, pattern: POOL_ID };
/** Daily or hourly. */
const period: ParamSpec = { type: "string", required, values: ["d", "h"] };
const offset: ParamSpec = { type: "number", required, default: 0 };
/** Pages of lists and entries, and pages of history points. */
const entries = { limit: { type: "number", required, default: 100, max: 1_000 }, offset } as const;
const points = { limit: { type: "number", required, default: 30, max: 1_000 }, offset } as const;

const LEGACY = { family: "earlier", base: "legacy_base_url" } as const;
const V3 = { family: "earlier", base: "base_url" } as const;
const PAGED = { shape: "list", paging: { size: "limit", offset: "offset" } } as const;

/** The earlier family: parameters without underscores, the key in the query string. */
export const EARLIER_ENDPOINTS = {
  legacy_token_info: {
    ...LEGACY,
    path: "/api/tokens/info",
    params: { chainid, address },
    shape: "object",
    record: "legacy_token_info",
    fields: LEGACY_TOKEN_INFO,
  },
  legacy_holders: {
    ...LEGACY,
    ...PAGED,
    path: "/api/tokens/holders",
    params: { chainid, address, ...entries },
    list: "holders",
    total: "total_holders",
    record: "legacy_holders",
    fields: LEGACY_HOLDERS,
  },
  legacy_balances: {
    ...LEGACY,
    path: "/api/tokens/balance",
    params: { chainid, address, wallets },
    shape: "list",
    list: "balances",
    record: "legacy_balances",
    fields: LEGACY_BALANCES,
    batch: { param: "wallets", field: "wallet_address" },
  },
  legacy_balance_history: {
    ...LEGACY,
    ...PAGED,
    path: "/api/tokens/balance/history",
    params: { chainid, address, wallet, ...points },
    list: "historical_balances",
    record: "legacy_balance_history",
    fields: LEGACY_BALANCE_HISTORY,
  },
  legacy_token_price: {
    ...LEGACY,
    path: "/api/tokens/price",
    params: { chainid, address },
    shape: "object",
    record: "legacy_token_price",
    fields: LEGACY_TOKEN_PRICE,
  },
  legacy_price_history: {
    ...LEGACY,
    ...PAGED,
    path: "/api/tokens/price/history",
    params: { chainid, address, period, ...points },
    list: "historical_prices",
    record: "legacy_price_history",
    fields: LEGACY_PRICE_HISTORY,
  },
  legacy_v4_pool: {
    ...LEGACY,
    path: "/api/dexv4/pool",
    params: { chainid, poolid },
    shape: "object",
    record: "legacy_v4_pool",
    fields: LEGACY_V4_POOL,
  },
  v4_swaps: {
    ...LEGACY,
    ...PAGED,
    path: "/api/dexv4/pool/swaps",
    params: { chainid, poolid, ...entries },
    list: "swaps",
    record: "v4_swaps",
    fields: V4_SWAPS,
  },
  v4_modify_liquidity: {
    ...LEGACY,
    ...PAGED,
    path: "/api/dexv4/pool/modify-liquidity",
    params: { chainid, poolid, ...entries },
    list: "modify_liquidity_history",
    record: "v4_modify_liquidity",
    fields: V4_MODIFY_LIQUIDITY,
  },
  v4_pool_history: {
    ...LEGACY,
    ...PAGED,
    path: "/api/dexv4/pool/data",
    params: { chainid, poolid, period, ...points },
    list: "data",
    record: "v4_pool_history",
    fields: V4_POOL_HISTORY,
  },
  v3_pool: {
    ...V3,
    path: "/dexv3/pool",
    params: { chainid, address },
    shape: "object",
    record: "v3_pool",
    fields: V3_POOL,
  },
  v3_swaps: {
    ...V3,
    ...PAGED,
    path: "/dexv3/pool/swaps",
    params: { chainid, address, ...entries },
    list: "swaps",
    record: "v3_swaps",
    fields: V3_SWAPS,
  },
  v3_pool_history: {
    ...V3,
    ...PAGED,
    path: "/dexv3/pool/data",
    params: { chainid, address, period, ...points },
    list: "data",
    record: "v3_pool_history",
    fields: V3_POOL_HISTORY,
  },
} as const satisfies Readonly<Record<string, EndpointSpec>>;
