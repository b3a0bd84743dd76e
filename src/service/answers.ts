import { DAY, HOUR } from "../base/duration.ts";
import { ENDPOINTS, type EndpointName } from "../contract/endpoints.ts";
import type { Market } from "./market.ts";
import { dayStart, type Query, single } from "./query.ts";
import { Refusal } from "./refusal.ts";

/** The endpoints whose answers are in the market; verifying a key is the server's own. */
export type MarketEndpoint = Extract<
  EndpointName,
  "supply" | "balance" | "holder_count" | "v4_pool" | "v4_position" | "gas_hourly"
>;

/** What the market answers to a checked query at a time (epoch ms). May throw Refusal. */
export const ANSWERS: Readonly<
  Record<MarketEndpoint, (market: Market, query: Query, at: number) => readonly unknown[]>
> = {
  v4_pool: (market, query, at) => {
    const chainId = chainOf(market, query);
    return present(query.get("pool_ids"), (id) => market.pool(chainId, id, at));
  },
  v4_position: (market, query, at) => {
    const chainId = chainOf(market, query);
    const protocol = single(query, "protocol") ?? "";
    return present(query.get("nft_ids"), (nft) => market.position(chainId, protocol, nft, at));
  },
  supply: (market, query, at) => {
    const chainId = tokenChainOf(market, query);
    return present(query.get("token"), (token) => market.supply(chainId, token, at));
  },
  balance: (market, query, at) => {
    const chainId = tokenChainOf(market, query);
    const wallet = single(query, "wallet") ?? "";
    return present(query.get("token"), (token) => market.balance(chainId, token, wallet, at));
  },
  holder_count: (market, query, at) => {
    const chainId = tokenChainOf(market, query);
    return present(query.get("token"), (token) => market.holderCount(chainId, token, at));
  },
  gas_hourly: (market, query, at) => {
    const chainId = chainOf(market, query);
    const { from, to } = hoursOf(query, at);
    return market.gasHours(chainId, from, to, at);
  },
};

/** A chain that the market does not have is refused; an empty answer would hide a slip. */
function chainOf(market: Market, query: Query): number {
  const chainId = Number(single(query, "chain_id"));
  if (market.hasChain(chainId)) return chainId;
  throw new Refusal(400, "unsupported_chain", `chain ${chainId} is not supported`);
}

/** A chain without the stablecoin is refused like one that is not there. */
function tokenChainOf(market: Market, query: Query): number {
  const chainId = chainOf(market, query);
  if (market.hasToken(chainId)) return chainId;
  throw new Refusal(400, "unsupported_chain", `no token is supported on chain ${chainId}`);
}

/** One record for each id, in the order of the question; unknown ids and tokens are left out. */
function present<T>(
  ids: readonly string[] | undefined,
  find: (id: string) => T | undefined,
): readonly T[] {
  return (ids ?? []).flatMap((id) => find(id) ?? []);
}

/**
 * The hours asked for, as the first and last possible start. Days are whole and both included.
 * What the specification leaves open: without `from` and `to` it is the last 24 hours, the running
 * one included; without `to`, up to now; without `from`, the day of `to`.
 */
function hoursOf(query: Query, at: number): { from: number; to: number } {
  const from = dayStart(single(query, "from") ?? "");
  const to = dayStart(single(query, "to") ?? "");
  if (from === null && to === null) return { from: at - DAY + 1, to: at };
  if (to === null) return { from: checkedSince(from ?? at, at), to: at };
  return { from: from ?? to, to: to + DAY - HOUR };
}

/** Without `to` the range ends today and is as limited as any other. */
function checkedSince(from: number, at: number): number {
  const days = ENDPOINTS.gas_hourly.maxRangeDays;
  if (Math.floor(at / DAY) * DAY - from <= days * DAY) return from;
  throw new Refusal(400, "range_too_long", `from is at most ${days} days ago`);
}
