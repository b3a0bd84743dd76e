import type { ENDPOINTS, EndpointName } from "../api/endpoints.ts";
import { chainOf, pageOf, periodOf, textOf } from "./asked.ts";
import type { Query } from "./query.ts";
import { foundPool, foundToken } from "./refusal.ts";
import type { World } from "./world.ts";

/** The endpoints of the earlier family, V3 pools included. */
export type EarlierEndpoint = {
  [Name in EndpointName]: (typeof ENDPOINTS)[Name]["family"] extends "earlier" ? Name : never;
}[EndpointName];

type Answer = (world: World, query: Query, at: number) => unknown;

/** What is answered to a checked query at a time (epoch ms). May throw Refusal. */
export const EARLIER_ANSWERS: Readonly<Record<EarlierEndpoint, Answer>> = {
  legacy_token_info: (world, query, at) =>
    foundToken(world.tokenInfo(chainOf(world, query), textOf(query, "address"), at)),
  legacy_holders: (world, query, at) => {
    const page = pageOf(query, "limit");
    const token = textOf(query, "address");
    return foundToken(world.legacyHolders(chainOf(world, query), token, page, at));
  },
  legacy_balances: (world, query, at) => {
    const wallets = query.get("wallets") ?? [];
    const token = textOf(query, "address");
    return foundToken(world.legacyBalances(chainOf(world, query), token, wallets, at));
  },
  legacy_balance_history: (world, query, at) => {
    const chainId = chainOf(world, query);
    const token = textOf(query, "address");
    const wallet = textOf(query, "wallet");
    const page = pageOf(query, "limit");
    return foundToken(world.legacyBalanceHistory(chainId, token, wallet, page, at));
  },
  legacy_token_price: (world, query, at) =>
    foundToken(world.tokenPrice(chainOf(world, query), textOf(query, "address"), at)),
  legacy_price_history: (world, query, at) => {
    const chainId = chainOf(world, query);
    const token = textOf(query, "address");
    const page = pageOf(query, "limit");
    return foundToken(world.priceHistory(chainId, token, periodOf(query), page, at));
  },
  legacy_v4_pool: (world, query, at) =>
    foundPool(world.legacyPool(chainOf(world, query), textOf(query, "poolid"), at)),
  v4_swaps: (world, query, at) => swapsOf(world, query, "poolid", at),
  v4_modify_liquidity: (world, query, at) => {
    const { size, offset } = pageOf(query, "limit");
    const pool = textOf(query, "poolid");
    return foundPool(world.liquidityChanges(chainOf(world, query), pool, size, offset, at));
  },
  v4_pool_history: (world, query, at) => historyOf(world, query, "poolid", at),
  v3_pool: (world, query, at) =>
    foundPool(world.v3Pool(chainOf(world, query), textOf(query, "address"), at)),
  v3_swaps: (world, query, at) => swapsOf(world, query, "address", at),
  v3_pool_history: (world, query, at) => historyOf(world, query, "address", at),
};

/** A V4 pool goes by its id, a V3 pool by its address. */
type PoolParameter = "poolid" | "address";

function swapsOf(world: World, query: Query, name: PoolParameter, at: number): unknown {
  const { size, offset } = pageOf(query, "limit");
  return foundPool(world.swaps(chainOf(world, query), textOf(query, name), size, offset, at));
}

function historyOf(world: World, query: Query, name: PoolParameter, at: number): unknown {
  const chainId = chainOf(world, query);
  const { size, offset } = pageOf(query, "limit");
  const pool = textOf(query, name);
  return foundPool(world.poolHistory(chainId, pool, periodOf(query), size, offset, at));
}
