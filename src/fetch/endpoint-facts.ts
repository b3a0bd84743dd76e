import { ENDPOINTS, ENDPOINTS_OF, type EndpointName, type EndpointSpec } from "../api/endpoints.ts";
import type { Ask } from "../model/index.ts";

/** What the source asks the contract again and again, in the words of asks. */

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

/** What tells an ask from the others of its request: mostly its id, or else the wallet. */
export function itemOf(endpoint: EndpointName, ask: Ask): string {
  return specOf(endpoint).batch?.field === "wallet_address" ? (ask.wallet ?? "") : ask.id;
}

/** What asks of one request must have in common; those of an endpoint without batches, everything. */
export function groupKey(endpoint: EndpointName, ask: Ask): string {
  const { batch } = specOf(endpoint);
  if (batch === undefined) return `${endpoint}:${ask.key}`;
  const rest = batch.field === "wallet_address" ? ask.id : (ask.protocol ?? ask.wallet ?? "");
  return `${endpoint}:${ask.chainId}:${rest}`;
}

/** The requests that these asks need at an endpoint. */
export function countRequests(endpoint: EndpointName, asks: readonly Ask[]): number {
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
