import type { EndpointName } from "../api/endpoints.ts";
import type { Market } from "../simulator/market.ts";
import { EARLIER_ANSWERS, type EarlierEndpoint } from "./answers-earlier.ts";
import { chainOf, daysOf, hoursOf, pageOf, textOf, tokenChainOf } from "./asked.ts";
import { type Query, single } from "./query.ts";
import { foundToken } from "./refusal.ts";

/** The endpoints whose answers are in the market; verifying a key is the server's own. */
type MarketEndpoint = Exclude<EndpointName, "verify_key">;

/** What the market answers to a checked query at a time (epoch ms). May throw Refusal. */
type Answers<Names extends EndpointName> = Readonly<
  Record<Names, (market: Market, query: Query, at: number) => unknown>
>;

const CURRENT_ANSWERS: Answers<Exclude<MarketEndpoint, EarlierEndpoint>> = {
  v4_pool: (market, query, at) => {
    const chainId = chainOf(market, query);
    return present(query.get("pool_ids"), (id) => market.pool(chainId, id, at));
  },
  v4_position: (market, query, at) => {
    const chainId = chainOf(market, query);
    const protocol = textOf(query, "protocol");
    return present(query.get("nft_ids"), (nft) => market.position(chainId, protocol, nft, at));
  },
  supply: (market, query, at) => {
    const chainId = tokenChainOf(market, query);
    return present(query.get("token"), (token) => market.supply(chainId, token, at));
  },
  supply_history: (market, query, at) => {
    const chainId = tokenChainOf(market, query);
    const days = daysOf(query, at);
    return foundToken(market.supplyHistory(chainId, textOf(query, "token"), days, at));
  },
  balance: (market, query, at) => {
    const chainId = tokenChainOf(market, query);
    const wallet = textOf(query, "wallet");
    return present(query.get("token"), (token) => market.balance(chainId, token, wallet, at));
  },
  balance_history: (market, query, at) => {
    const chainId = tokenChainOf(market, query);
    const days = daysOf(query, at);
    const wallet = textOf(query, "wallet");
    return foundToken(market.balanceHistory(chainId, textOf(query, "token"), wallet, days, at));
  },
  holder_count: (market, query, at) => {
    const chainId = tokenChainOf(market, query);
    return present(query.get("token"), (token) => market.holderCount(chainId, token, at));
  },
  holders: (market, query, at) => {
    const chainId = tokenChainOf(market, query);
    const page = { ...pageOf(query, "first"), ascending: single(query, "sort") === "asc" };
    return foundToken(market.holders(chainId, textOf(query, "token"), page, at));
  },
  gas_hourly: (market, query, at) => {
    const chainId = chainOf(market, query);
    const { from, to } = hoursOf(query, at);
    return market.gasHours(chainId, from, to, at);
  },
};

/** What each endpoint answers. */
export const ANSWERS: Answers<MarketEndpoint> = { ...CURRENT_ANSWERS, ...EARLIER_ANSWERS };

/** One record for each id, in the order of the question; unknown ids and tokens are left out. */
function present<T>(
  ids: readonly string[] | undefined,
  find: (id: string) => T | undefined,
): readonly T[] {
  return (ids ?? []).flatMap((id) => find(id) ?? []);
}
