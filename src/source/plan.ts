import { ENDPOINTS, ENDPOINTS_OF, type EndpointSpec } from "../contract/endpoints.ts";
import type { Ask } from "../model.ts";
import type { Request } from "./source.ts";

/**
 * The fewest requests for these asks: those that agree in record, chain, protocol and wallet
 * share requests of as many ids as the contract allows, so that n of them need ⌈n / 20⌉. The order
 * of the asks is kept within a group. Equal asks must have been made one before.
 */
export function plan(asks: readonly Ask[]): readonly Request[] {
  const groups = new Map<string, Ask[]>();
  for (const ask of asks) {
    const key = groupKey(ask);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [ask]);
    else group.push(ask);
  }
  const requests: Request[] = [];
  for (const group of groups.values()) {
    for (const batch of batches(group)) requests.push(requestOf(batch));
  }
  return requests;
}

/** What asks of one request must have in common; gas asks are alone in theirs. */
export function groupKey(ask: Ask): string {
  if (ask.record === "gas_hour") return ask.key;
  return `${ask.record}:${ask.chainId}:${ask.protocol ?? ask.wallet ?? ""}`;
}

/** How many asks of a record one request takes. */
export function batchSize(record: Ask["record"]): number {
  const { params, batch }: EndpointSpec = ENDPOINTS[ENDPOINTS_OF[record][0]];
  return batch === undefined ? 1 : (params[batch.param]?.repeat ?? 1);
}

function* batches(group: readonly Ask[]): Generator<readonly Ask[]> {
  const [first] = group;
  if (first === undefined) return;
  const size = batchSize(first.record);
  for (let from = 0; from < group.length; from += size) yield group.slice(from, from + size);
}

/** One request for asks of one group, no more than fit into one. Throws RangeError for none. */
export function requestOf(asks: readonly Ask[]): Request {
  const [first] = asks;
  if (first === undefined) throw new RangeError("a request is for one ask at least");
  const [endpoint] = ENDPOINTS_OF[first.record];
  const { path, params, batch }: EndpointSpec = ENDPOINTS[endpoint];
  const query: string[] = [];
  for (const name of Object.keys(params)) {
    if (name === batch?.param) for (const ask of asks) query.push(pair(name, ask.id));
    else {
      const value = parameter(first, name);
      if (value !== undefined) query.push(pair(name, value));
    }
  }
  return { record: first.record, endpoint, asks, path: `${path}?${query.join("&")}` };
}

/** The value of a parameter that is the same for a whole request. */
function parameter(ask: Ask, name: string): string | undefined {
  switch (name) {
    case "chain_id":
      return String(ask.chainId);
    case "protocol":
      return ask.protocol;
    case "wallet":
      return ask.wallet;
    case "from":
      return ask.from;
    case "to":
      return ask.to;
    default:
      return undefined;
  }
}

function pair(name: string, value: string): string {
  return `${name}=${encodeURIComponent(value)}`;
}
