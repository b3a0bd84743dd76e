import type { EndpointName } from "../api/endpoints.ts";
import { EARLIER_ANSWERS, type EarlierEndpoint } from "./answers-earlier.ts";
import { chainOf, daysOf, hoursOf, pageOf, textOf, tokenChainOf } from "./asked.ts";
import { type Query, single } from "./query.ts";
import { foundToken } from "./refusal.ts";
import type { World } from "./world.ts";

/** The endpoints whose answers are the world's; verifying a key is the server's own. */
type WorldEndpoint = Exclude<EndpointName, "verify_key">;

/** What is answered to a checked query at a time (epoch ms). May throw Refusal. */
type Answers<Names extends EndpointName> = Readonly<
  Record<Names, (world: World, query: Query, at: number) => unknown>
>;

const CURRENT_ANSWERS: Answers<Exclude<WorldEndpoint, EarlierEndpoint>> = {
  v4_pool: (world, query, at) => {
    const chainId = chainOf(world, query);
    return present(query.get("pool_ids"), (id) => world.pool(chainId, id, at));
  },
  v4_position: (world, query, at) => {
    const chainId = chainOf(world, query);
    const protocol = textOf(query, "protocol");
    return present(query.get("nft_ids"), (nft) => world.position(chainId, protocol, nft, at));
  },
  supply: (world, query, at) => {
    const chainId = tokenChainOf(world, query);
    return present(query.get("token"), (token) => world.supply(chainId, token, at));
  },
  supply_history: (world, query, at) => {
    const chainId = tokenChainOf(world, query);
    const days = daysOf(query, at);
    return foundToken(world.supplyHistory(chainId, textOf(query, "token"), days, at));
  },
  balance: (world, query, at) => {
    const chainId = tokenChainOf(world, query);
    const wallet = textOf(query, "wallet");
    return present(query.get("token"), (token) => world.balance(chainId, token, wallet, at));
  },
  balance_history: (world, query, at) => {
    const chainId = tokenChainOf(world, query);
    const days = daysOf(query, at);
    const wallet = textOf(query, "wallet");
    return foundToken(world.balanceHistory(chainId, textOf(query, "token"), wallet, days, at));
  },
  holder_count: (world, query, at) => {
    const chainId = tokenChainOf(world, query);
    return present(query.get("token"), (token) => world.holderCount(chainId, token, at));
  },
  holders: (world, query, at) => {
    const chainId = tokenChainOf(world, query);
    const page = { ...pageOf(query, "first"), ascending: single(query, "sort") === "asc" };
    return foundToken(world.holders(chainId, textOf(query, "token"), page, at));
  },
  gas_hourly: (world, query, at) => {
    const chainId = chainOf(world, query);
    const { from, to } = hoursOf(query, at);
    return world.gasHours(chainId, from, to, at);
  },
};

/** What each endpoint answers. */
export const ANSWERS: Answers<WorldEndpoint> = { ...CURRENT_ANSWERS, ...EARLIER_ANSWERS };

/** One record for each id, in the order of the question; unknown ids and tokens are left out. */
function present<T>(
  ids: readonly string[] | undefined,
  find: (id: string) => T | undefined,
): readonly T[] {
  return (ids ?? []).flatMap((id) => find(id) ?? []);
}
