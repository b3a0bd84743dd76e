import type { EndpointName } from "../api/endpoints.ts";
import type { Ask } from "../model/index.ts";
import type { SourceLog } from "./client.ts";
import { countRequests, endpointsOf, specOf } from "./endpoint-facts.ts";
import type { Bases } from "./origins.ts";
import { daysOf } from "./path.ts";
import type { Request } from "./source.ts";

/** Whether there is an address at which an endpoint can be asked. */
export type Served = (endpoint: EndpointName) => boolean;

/**
 * Chooses an endpoint for each ask of a round, as a function of the asks alone. Where two endpoints
 * serve a record, an ask that names a family goes to that; else one that does not know the chain, or has not that many entries or days, gives way
 * to the other. Of two that take batches, a chain's asks go to the one that needs fewer requests for
 * them; what is equal goes to the current family.
 */
export class Choice {
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

  /** Those that are served, of the family that the ask names if there are any. */
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

/** Those that fit; all, if none does. */
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
