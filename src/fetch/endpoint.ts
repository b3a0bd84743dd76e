import {
  ENDPOINTS,
  ENDPOINTS_OF,
  type EndpointName,
  type EndpointSpec,
  type ParamSpec,
} from "../api/endpoints.ts";
import type { Ask } from "../model/index.ts";

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

const DAY_MS = 86_400_000;

/**
 * Path and query of a request for asks of one group, without a key. Keeps to the contract's limits:
 * page sizes are cut to them. Throws RangeError for days that are too many, in the wrong order or no
 * days; both ends count, so that a range stays below the contract's by one.
 */
export function pathOf(endpoint: EndpointName, asks: readonly [Ask, ...Ask[]]): string {
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
export function daysOf({ from, to }: Ask): number | null {
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
