import type { EndpointName, EndpointSpec, ParamSpec } from "../api/endpoints.ts";
import type { Ask } from "../model/index.ts";
import { itemOf, specOf } from "./endpoint-facts.ts";

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
    case "from":
      return ask.from;
    case "to":
      return ask.to;
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
