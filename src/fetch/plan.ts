import type { EndpointName } from "../api/endpoints.ts";
import type { Ask } from "../model/index.ts";
import type { SourceLog } from "./client.ts";
import type { Bases } from "./dispatch.ts";
import {
  batchSize,
  countRequests,
  daysOf,
  endpointsOf,
  groupKey,
  pathOf,
  specOf,
} from "./endpoint.ts";
import type { Request } from "./source.ts";

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
    // An endpoint without batches is asked once for all asks that mean the same, whatever their keys.
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

/** Says where a value is asked for that two endpoints serve: once for each record, chain and choice. */
export class ChoiceLog {
  readonly #said = new Set<string>();

  constructor(private readonly log: SourceLog) {}

  note(requests: readonly Request[], bases: Bases): void {
    // With one address there is nothing to choose.
    if (bases.base_url === null || bases.legacy_base_url === null) return;
    for (const { record, endpoint, asks } of requests) {
      const [first] = asks;
      if (first === undefined || endpointsOf(first).length < 2) continue;
      const chain = first.chainId;
      const key = `${record}:${chain}:${endpoint}`;
      if (this.#said.has(key)) continue;
      this.#said.add(key);
      this.log("of two endpoints one was chosen", { record, chain, endpoint });
    }
  }
}
