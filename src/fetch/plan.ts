import type { EndpointName } from "../api/endpoints.ts";
import type { Ask } from "../model/index.ts";
import { Choice, type Served } from "./choice.ts";
import { batchSize, groupKey, specOf } from "./endpoint-facts.ts";
import { pathOf } from "./path.ts";
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
    // What takes no batches is asked once for all asks that mean the same, under whatever keys.
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
