import {
  ENDPOINTS,
  ENDPOINTS_OF,
  type EndpointName,
  type EndpointSpec,
  type ParamSpec,
} from "../api/endpoints.ts";
import type { Ask } from "../model/index.ts";
import type { Request } from "./source.ts";

/** The facts of the contract that the source uses often, in the terms of asks. */

export function specOf(endpoint: EndpointName): EndpointSpec {
  return ENDPOINTS[endpoint];
}

/** The endpoints that can answer an ask, the current family's first. */
export function endpointsOf({
  record,
  instead,
}: Pick<Ask, "record" | "instead">): readonly [EndpointName, ...EndpointName[]] {
  const own = ENDPOINTS_OF[record];
  return instead === undefined ? own : [...own, ...ENDPOINTS_OF[instead]];
}

/** How many asks one request of an endpoint takes. */
export function batchSize(endpoint: EndpointName): number {
  const { params, batch } = specOf(endpoint);
  const many = batch === undefined ? undefined : params[batch.param];
  return many?.repeat ?? many?.joined?.max ?? 1;
}

/** The part that tells an ask from the others of its request: usually its id, else the wallet. */
export function itemOf(endpoint: EndpointName, ask: Ask): string {
  return specOf(endpoint).batch?.field === "wallet_address" ? (ask.wallet ?? "") : ask.id;
}

/** The part that asks of one request must share; without batches, everything. */
export function groupKey(endpoint: EndpointName, ask: Ask): string {
  const { batch } = specOf(endpoint);
  if (batch === undefined) return `${endpoint}:${ask.key}`;
  const { protocol, wallet, owner, spender } = ask;
  const rest =
    batch.field === "wallet_address"
      ? ask.id
      : owner === undefined
        ? (protocol ?? wallet ?? "")
        : `${owner}:${spender ?? ""}`;
  return `${endpoint}:${ask.chainId}:${rest}`;
}

/** The requests that these asks need at an endpoint. */
function countRequests(endpoint: EndpointName, asks: readonly Ask[]): number {
  const size = batchSize(endpoint);
  const counts = new Map<string, number>();
  let requests = 0;
  for (const ask of asks) {
    const key = groupKey(endpoint, ask);
    const count = counts.get(key) ?? 0;
    if (count % size === 0) requests += 1;
    counts.set(key, count + 1);
  }
  return requests;
}

const DAY_MS = 86_400_000;

/**
 * Path and query of a request for asks of one group, without a key. Keeps to the contract's limits:
 * page sizes are cut to them. Throws RangeError for days that are too many, in the wrong order or no
 * days; both ends count, so that a range stays below the contract's by one.
 */
function pathOf(endpoint: EndpointName, asks: readonly [Ask, ...Ask[]]): string {
  const spec = specOf(endpoint);
  const [first] = asks;
  checkRange(spec, first);
  const query: string[] = [];
  for (const [name, param] of Object.entries(spec.params)) {
    if (name === spec.batch?.param) {
      // Two asks may want the same item.
      const items = [...new Set(asks.map((ask) => encodeURIComponent(itemOf(endpoint, ask))))];
      if (param.joined === undefined) for (const item of items) query.push(`${name}=${item}`);
      else query.push(`${name}=${items.join(param.joined.separator)}`);
    } else {
      const value = valueOf(name, param, spec, first);
      if (value !== undefined) query.push(`${name}=${encodeURIComponent(value)}`);
    }
  }
  return query.length === 0 ? spec.path : `${spec.path}?${query.join("&")}`;
}

/** How many days an ask is for, both ends included; null if it is for none. NaN for no days. */
function daysOf({ from, to }: Ask): number | null {
  if (from === undefined || to === undefined) return null;
  return (Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / DAY_MS + 1;
}

function checkRange({ maxRangeDays }: EndpointSpec, ask: Ask): void {
  const days = daysOf(ask);
  if (maxRangeDays === undefined || days === null) return;
  if (days >= 1 && days <= maxRangeDays) return;
  throw new RangeError(`${ask.record} can be asked for 1 to ${maxRangeDays} days at once`);
}

/** The value of a parameter that is the same for a whole request; undefined: it is left out. */
function valueOf(
  name: string,
  param: ParamSpec,
  { paging }: EndpointSpec,
  ask: Ask,
): string | undefined {
  if (name === paging?.size) return pageSize(param, ask);
  if (name === paging?.offset) {
    return ask.offset === undefined ? undefined : String(Math.max(0, Math.trunc(ask.offset)));
  }
  // The largest first: a page from the top is the only one of use.
  if (name === paging?.order) return "desc";
  switch (name) {
    case "chain_id":
    case "chainid":
      return String(ask.chainId);
    case "token":
    case "address":
    case "poolid":
      return ask.id;
    case "protocol":
      return ask.protocol;
    case "wallet":
      return ask.wallet;
    case "owner":
      return ask.owner;
    case "spender":
      return ask.spender;
    case "to":
      return ask.record === "call" ? ask.id : ask.to;
    case "function":
      return ask.function;
    case "args":
      return ask.args;
    case "decimals":
      return ask.decimals === undefined ? undefined : String(ask.decimals);
    case "blocks":
      return ask.limit === undefined ? undefined : String(ask.limit);
    case "from":
      return ask.from;
    case "period":
      return ask.period;
    default:
      return undefined;
  }
}

/** A history that is asked for by days has a point for each of them, the newest first. */
function pageSize({ min = 1, max = Number.MAX_SAFE_INTEGER }: ParamSpec, ask: Ask) {
  const wanted = ask.limit ?? daysOf(ask);
  if (wanted === null || Number.isNaN(wanted)) return undefined;
  return String(Math.min(max, Math.max(min, Math.trunc(wanted))));
}

/**
 * The fewest requests for these asks at the endpoints that are served: those that agree in all but
 * one parameter share requests of as many of its values as the contract allows, so that n of them
 * need ⌈n / 20⌉ (100 for the wallets of the earlier family). The order of the asks is kept within a
 * group, and the requests come in the order of their first asks: chains go on side by side, and what
 * is answered together lies together in memory and on the disk. Equal asks must have been made one
 * before. What nothing serves is planned as well, for its failure to be told. Throws RangeError for
 * asks of more days than can be had at once.
 */
export function plan(asks: readonly Ask[], served: Served = () => true): readonly Request[] {
  const choice = new Choice(served, asks);
  const batches: Batch[] = [];
  /** The last batch of each group, which may have room. */
  const open = new Map<string, Batch>();
  for (const ask of asks) {
    const endpoint = choice.endpointFor(ask);
    const size = batchSize(endpoint);
    // An endpoint without batches is asked once for all asks with the same path.
    const key = size > 1 ? groupKey(endpoint, ask) : pathOf(endpoint, [ask]);
    const batch = open.get(key);
    if (batch !== undefined && (size === 1 || batch.asks.length < size)) batch.asks.push(ask);
    else {
      const fresh = { endpoint, asks: [ask] };
      batches.push(fresh);
      open.set(key, fresh);
    }
  }
  return batches.map((batch) => requestOf(batch.endpoint, batch.asks));
}

/** Asks that go in one request. */
interface Batch {
  readonly endpoint: EndpointName;
  readonly asks: Ask[];
}

/**
 * One request for asks of one group, no more than fit into one. Throws RangeError for none, and for
 * more days than can be had at once.
 */
export function requestOf(endpoint: EndpointName, asks: readonly Ask[]): Request {
  const [first, ...others] = asks;
  if (first === undefined) throw new RangeError("a request is for one ask at least");
  const path = pathOf(endpoint, [first, ...others]);
  return { record: first.record, endpoint, family: specOf(endpoint).family, asks, path };
}

/** Whether there is an address at which an endpoint can be asked. */
export type Served = (endpoint: EndpointName) => boolean;

/**
 * Chooses an endpoint for each ask of a round, as a function of the asks alone. Where two endpoints
 * serve a record, an ask that names a family goes to that; else one that does not know the chain, or has not that many entries or days, gives way
 * to the other. Of two that take batches, a chain's asks go to the one that needs fewer requests for
 * them; what is equal goes to the current family.
 */
class Choice {
  readonly #ways = new Map<string, readonly EndpointName[]>();
  readonly #byChain = new Map<string, EndpointName>();

  constructor(
    private readonly served: Served,
    asks: readonly Ask[],
  ) {
    const shared = new Map<string, Ask[]>();
    for (const ask of asks) {
      if (this.#waysFor(ask).length < 2 || !isBatched(ask)) continue;
      const key = chainKey(ask);
      const others = shared.get(key);
      if (others === undefined) shared.set(key, [ask]);
      else others.push(ask);
    }
    for (const [key, list] of shared) {
      const [first] = list;
      if (first === undefined) continue;
      const able = this.#ableFor(first);
      this.#byChain.set(key, fewest(able, list));
    }
  }

  endpointFor(ask: Ask): EndpointName {
    const ways = this.#waysFor(ask);
    const [first] = endpointsOf(ask);
    if (ways.length < 2) return ways[0] ?? first;
    if (isBatched(ask)) {
      const chosen = this.#byChain.get(chainKey(ask));
      if (chosen !== undefined) return chosen;
    }
    return this.#ableFor(ask)[0] ?? first;
  }

  /** The served endpoints, of the ask's family if there are any. */
  #waysFor({ record, instead, family }: Ask): readonly EndpointName[] {
    const key = `${record}:${instead ?? ""}:${family ?? ""}`;
    let ways = this.#ways.get(key);
    if (ways === undefined) {
      const served = endpointsOf({ record, ...(instead === undefined ? {} : { instead }) }).filter(
        (endpoint) => this.served(endpoint),
      );
      ways = these(
        served,
        (endpoint) => family === undefined || specOf(endpoint).family === family,
      );
      this.#ways.set(key, ways);
    }
    return ways;
  }

  #ableFor(ask: Ask): readonly EndpointName[] {
    const knowing = these(this.#waysFor(ask), (endpoint) => {
      const { chains } = specOf(endpoint);
      return chains === undefined || chains.includes(ask.chainId);
    });
    return these(knowing, (endpoint) => isWithin(endpoint, ask));
  }
}

function chainKey({ record, chainId }: Ask): string {
  return `${record}:${chainId}`;
}

function isBatched(ask: Ask): boolean {
  return endpointsOf(ask).every((endpoint) => specOf(endpoint).batch !== undefined);
}

/** Whether one answer can hold all that is asked for. */
function isWithin(endpoint: EndpointName, ask: Ask): boolean {
  const { params, paging, maxRangeDays } = specOf(endpoint);
  if (maxRangeDays !== undefined && (daysOf(ask) ?? 0) > maxRangeDays) return false;
  const most = paging === undefined ? undefined : params[paging.size]?.max;
  return most === undefined || ask.limit === undefined || ask.limit <= most;
}

/** The fitting ones; all, if none fits. */
function these(
  endpoints: readonly EndpointName[],
  fits: (endpoint: EndpointName) => boolean,
): readonly EndpointName[] {
  const some = endpoints.filter(fits);
  return some.length > 0 ? some : endpoints;
}

/** The current family comes first and keeps what is equal. */
function fewest(endpoints: readonly EndpointName[], asks: readonly Ask[]): EndpointName {
  const [first, ...others] = endpoints;
  if (first === undefined) throw new RangeError("there is nothing to choose from");
  let best = first;
  let least = others.length === 0 ? 0 : countRequests(first, asks);
  for (const other of others) {
    const count = countRequests(other, asks);
    if (count < least) [best, least] = [other, count];
  }
  return best;
}
