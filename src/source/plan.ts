import type { EndpointName } from "../contract/endpoints.ts";
import type { Ask } from "../model.ts";
import { Choice, type Served } from "./choice.ts";
import { batchSize, groupKey } from "./endpoint-facts.ts";
import { pathOf } from "./path.ts";
import type { Request } from "./source.ts";

/**
 * The fewest requests for these asks at the endpoints that are served: those that agree in all but
 * one parameter share requests of as many of its values as the contract allows, so that n of them
 * need ⌈n / 20⌉ (100 for the wallets of the earlier family). The order of the asks is kept within a
 * group. Equal asks must have been made one before. What nothing serves is planned as well, for its
 * failure to be told. Throws RangeError for asks of more days than can be had at once.
 */
export function plan(asks: readonly Ask[], served: Served = () => true): readonly Request[] {
  const choice = new Choice(served, asks);
  const groups = new Map<string, { readonly endpoint: EndpointName; readonly asks: Ask[] }>();
  for (const ask of asks) {
    const endpoint = choice.endpointFor(ask);
    const key = groupKey(endpoint, ask);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { endpoint, asks: [ask] });
    else group.asks.push(ask);
  }
  const requests: Request[] = [];
  for (const group of groups.values()) {
    const size = batchSize(group.endpoint);
    for (let from = 0; from < group.asks.length; from += size) {
      requests.push(requestOf(group.endpoint, group.asks.slice(from, from + size)));
    }
  }
  return requests;
}

/**
 * One request for asks of one group, no more than fit into one. Throws RangeError for none, and for
 * more days than can be had at once.
 */
export function requestOf(endpoint: EndpointName, asks: readonly Ask[]): Request {
  const [first, ...others] = asks;
  if (first === undefined) throw new RangeError("a request is for one ask at least");
  return { record: first.record, endpoint, asks, path: pathOf(endpoint, [first, ...others]) };
}
