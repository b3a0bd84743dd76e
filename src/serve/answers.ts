import { ENDPOINTS, type EndpointName, type SPECIFIED } from "../api/endpoints.ts";
import { midnightOf } from "../base/clock.ts";
import { DAY, HOUR } from "../base/duration.ts";
import { readJson } from "../base/json.ts";
import { dayStart, type Query, single, wholeNumber } from "./query.ts";
import { foundPool, foundToken, Refusal } from "./refusal.ts";
import type { Days, Page, PositionsBeyond, World, WorldBeyond } from "./world.ts";

type SpecifiedName = keyof typeof SPECIFIED;

/** The endpoints whose answers are the world's; verifying a key is the server's own. */
type WorldEndpoint = Exclude<SpecifiedName, "verify_key">;

/** What is answered to a checked query at a time (epoch ms), perhaps by a promise. May throw Refusal. */
type Answer = (world: World, query: Query, at: number) => unknown;

type Answers<Names extends EndpointName> = Readonly<Record<Names, Answer>>;

/** What is answered beyond the specification, where the world can. */
type BeyondAnswer = (beyond: WorldBeyond, query: Query, world: World) => unknown;

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
    return present(
      query.get("token"),
      (token) => world.holderCount(chainId, token, at),
      (token, { code, message }) => ({
        token_address: token.toLowerCase(),
        chain_id: chainId,
        holder_count: null,
        error: { code, message },
      }),
    );
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

/**
 * One record for each id, in the order of the question; unknown ids and tokens are left out. What is refused
 * about one of several is told in its place by `refused`; about all, it is refused as a whole.
 */
async function present(
  ids: readonly string[] | undefined,
  find: (id: string) => unknown,
  refused?: (id: string, refusal: Refusal) => unknown,
): Promise<readonly unknown[]> {
  // All are asked for before any is waited for: the world can read them together.
  const found = await Promise.all(
    (ids ?? []).map(async (id) => {
      try {
        return { id, record: await find(id), refusal: null };
      } catch (error) {
        if (!(error instanceof Refusal) || !OF_A_SUBJECT.has(error.code)) throw error;
        return { id, record: undefined, refusal: error };
      }
    }),
  );
  const first = found.find(({ refusal }) => refusal !== null)?.refusal ?? null;
  const isAll = found.every(({ refusal }) => refusal !== null);
  if (first !== null && (isAll || refused === undefined)) throw first;
  return found
    .map(({ id, record, refusal }) =>
      refusal === null || refused === undefined ? record : refused(id, refusal),
    )
    .filter((record) => record !== undefined);
}

/** What is refused of one token or pool, and may be answered of another one. */
const OF_A_SUBJECT: ReadonlySet<Refusal["code"]> = new Set<Refusal["code"]>([
  "not_indexed",
  "not_countable",
]);

/** What a checked query asks for, in the world's words; each may throw Refusal. */

/** A chain that the world does not have is refused; an empty answer would hide a slip. */
function chainOf(world: World, query: Query): number {
  const chainId = Number(single(query, "chain_id") ?? single(query, "chainid"));
  if (world.hasChain(chainId)) return chainId;
  throw new Refusal("unsupported_chain", `chain ${chainId} is not supported`);
}

/** A chain without the stablecoin is refused like one that is not there. */
function tokenChainOf(world: World, query: Query): number {
  const chainId = chainOf(world, query);
  if (world.hasToken(chainId)) return chainId;
  throw new Refusal("unsupported_chain", `no token is supported on chain ${chainId}`);
}

/** A parameter that the contract requires: it has been checked to be there. */
function textOf(query: Query, name: string): string {
  return single(query, name) ?? "";
}

/** The page that `first` or `limit`, and `offset`, choose. */
function pageOf(query: Query, size: "first" | "limit"): Page {
  return { size: wholeNumber(query, size), offset: wholeNumber(query, "offset") };
}

/** Hourly or daily. */
function periodOf(query: Query): "d" | "h" {
  return single(query, "period") === "h" ? "h" : "d";
}

/** What the specification leaves open: how long a daily history is if nothing else is asked. */
const DEFAULT_DAYS = 30;

/**
 * The days asked for. Without `from` and `to` they are the last 30, the running one included;
 * without `to`, all up to now; without `from`, the 30 up to `to`.
 */
function daysOf(query: Query, at: number): Days {
  const from = dayStart(single(query, "from") ?? "");
  const to = dayStart(single(query, "to") ?? "");
  const last = to ?? midnightOf(at);
  if (from === null) return { from: last - (DEFAULT_DAYS - 1) * DAY, to: last };
  return { from: to === null ? checkedSince(from, at, "supply_history") : from, to: last };
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
  if (to === null) return { from: checkedSince(from ?? at, at, "gas_hourly"), to: at };
  return { from: from ?? to, to: to + DAY - HOUR };
}

/** Without `to` the range ends today, and the limit of its length holds all the same. */
function checkedSince(from: number, at: number, name: "gas_hourly" | "supply_history"): number {
  const days = ENDPOINTS[name].maxRangeDays;
  if (midnightOf(at) - from <= days * DAY) return from;
  throw new Refusal("range_too_long", `from is at most ${days} days ago`);
}

/** The endpoints of the earlier family, V3 pools included. */
export type EarlierEndpoint = {
  [Name in SpecifiedName]: (typeof ENDPOINTS)[Name]["family"] extends "earlier" ? Name : never;
}[SpecifiedName];

const EARLIER_ANSWERS: Answers<EarlierEndpoint> = {
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

const BEYOND_ANSWERS: Readonly<Record<Exclude<EndpointName, SpecifiedName>, BeyondAnswer>> = {
  native_balance: (beyond, query, world) => {
    const chainId = chainOf(world, query);
    return present(query.get("wallet"), (wallet) => beyond.nativeBalance(chainId, wallet));
  },
  allowance: (beyond, query, world) => {
    const chainId = chainOf(world, query);
    const [owner, spender] = [textOf(query, "owner"), textOf(query, "spender")];
    return present(query.get("token"), (token) => beyond.allowance(chainId, token, owner, spender));
  },
  call: (beyond, query, world) => {
    const chainId = chainOf(world, query);
    const args = argumentsOf(textOf(query, "args"));
    const [to, called] = [textOf(query, "to"), textOf(query, "function")];
    return beyond.call(chainId, to, called, args, wholeNumber(query, "decimals"));
  },
  gas_now: (beyond, query, world) =>
    beyond.gasNow(chainOf(world, query), wholeNumber(query, "blocks")),
  v3_position: ofPositions("v3Position"),
  v3_hold: ofPositions("v3Hold"),
  v4_fees: ofPositions("v4Fees"),
  v4_hold: ofPositions("v4Hold"),
  v3_owned: ofOwner("v3Owned"),
  v4_owned: ofOwner("v4Owned"),
};

/** One record for each of the positions that are asked about. */
function ofPositions(name: keyof PositionsBeyond): BeyondAnswer {
  return (beyond, query, world) => {
    const chainId = chainOf(world, query);
    return present(query.get("nft_ids"), (nft) => beyond[name](chainId, BigInt(nft).toString()));
  };
}

function ofOwner(name: keyof PositionsBeyond): BeyondAnswer {
  return (beyond, query, world) =>
    beyond[name](chainOf(world, query), textOf(query, "wallet").toLowerCase());
}

/** The arguments of a call, a JSON list of texts. */
function argumentsOf(text: string): readonly string[] {
  const json = readJson(text);
  const list: readonly unknown[] = Array.isArray(json) ? json : [null];
  const texts = list.filter((one) => typeof one === "string");
  if (texts.length === list.length) return texts;
  throw new Refusal("bad_value", "args must be a JSON list of texts");
}

const ANSWERS: Answers<WorldEndpoint> = { ...CURRENT_ANSWERS, ...EARLIER_ANSWERS };

/** Whether a world has an endpoint at all. */
export function isServed(name: EndpointName, { beyond }: World): boolean {
  return beyond !== undefined || !isBeyond(name);
}

/** What is answered to a checked query at an endpoint that is served, at a time (epoch ms). May throw Refusal. */
export function answerOf(
  name: Exclude<EndpointName, "verify_key">,
  world: World,
  query: Query,
  at: number,
): unknown {
  if (!isBeyond(name)) return ANSWERS[name](world, query, at);
  if (world.beyond !== undefined) return BEYOND_ANSWERS[name](world.beyond, query, world);
  throw new Refusal("not_found", "there is no such path");
}

function isBeyond(name: EndpointName): name is Exclude<EndpointName, SpecifiedName> {
  return Object.hasOwn(BEYOND_ANSWERS, name);
}

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
