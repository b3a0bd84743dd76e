import type { ENDPOINTS, EndpointName } from "../api/endpoints.ts";
import type { Market } from "../simulator/market.ts";
import { chainOf, pageOf, periodOf, textOf } from "./asked.ts";
import type { Query } from "./query.ts";
import { foundPool, foundToken } from "./refusal.ts";

/** The endpoints of the earlier family, V3 pools included. */
export type EarlierEndpoint = {
  [Name in EndpointName]: (typeof ENDPOINTS)[Name]["family"] extends "earlier" ? Name : never;
}[EndpointName];

type Answer = (market: Market, query: Query, at: number) => unknown;

/** What the market answers to a checked query at a time (epoch ms). May throw Refusal. */
export const EARLIER_ANSWERS: Readonly<Record<EarlierEndpoint, Answer>> = {
  legacy_token_info: (market, query, at) =>
    foundToken(market.tokenInfo(chainOf(market, query), textOf(query, "address"), at)),
  legacy_holders: (market, query, at) => {
    const page = pageOf(query, "limit");
    const token = textOf(query, "address");
    return foundToken(market.legacyHolders(chainOf(market, query), token, page, at));
  },
  legacy_balances: (market, query, at) => {
    const wallets = query.get("wallets") ?? [];
    const token = textOf(query, "address");
    return foundToken(market.legacyBalances(chainOf(market, query), token, wallets, at));
  },
  legacy_balance_history: (market, query, at) => {
    const chainId = chainOf(market, query);
    const token = textOf(query, "address");
    const wallet = textOf(query, "wallet");
    const page = pageOf(query, "limit");
    return foundToken(market.legacyBalanceHistory(chainId, token, wallet, page, at));
  },
  legacy_token_price: (market, query, at) =>
    foundToken(market.tokenPrice(chainOf(market, query), textOf(query, "address"), at)),
  legacy_price_history: (market, query, at) => {
    const chainId = chainOf(market, query);
    const token = textOf(query, "address");
    const page = pageOf(query, "limit");
    return foundToken(market.priceHistory(chainId, token, periodOf(query), page, at));
  },
  legacy_v4_pool: (market, query, at) =>
    foundPool(market.legacyPool(chainOf(market, query), textOf(query, "poolid"), at)),
  v4_swaps: (market, query, at) => swapsOf(market, query, "poolid", at),
  v4_modify_liquidity: (market, query, at) => {
    const { size, offset } = pageOf(query, "limit");
    const pool = textOf(query, "poolid");
    return foundPool(market.liquidityChanges(chainOf(market, query), pool, size, offset, at));
  },
  v4_pool_history: (market, query, at) => historyOf(market, query, "poolid", at),
  v3_pool: (market, query, at) =>
    foundPool(market.v3Pool(chainOf(market, query), textOf(query, "address"), at)),
  v3_swaps: (market, query, at) => swapsOf(market, query, "address", at),
  v3_pool_history: (market, query, at) => historyOf(market, query, "address", at),
};

/** A V4 pool goes by its id, a V3 pool by its address. */
type PoolParameter = "poolid" | "address";

function swapsOf(market: Market, query: Query, name: PoolParameter, at: number): unknown {
  const { size, offset } = pageOf(query, "limit");
  return foundPool(market.swaps(chainOf(market, query), textOf(query, name), size, offset, at));
}

function historyOf(market: Market, query: Query, name: PoolParameter, at: number): unknown {
  const chainId = chainOf(market, query);
  const { size, offset } = pageOf(query, "limit");
  const pool = textOf(query, name);
  return foundPool(market.poolHistory(chainId, pool, periodOf(query), size, offset, at));
}
