import { ENDPOINTS } from "../api/endpoints.ts";
import { DAY, HOUR } from "../base/duration.ts";
import { midnightOf } from "../base/times.ts";
import { dayStart, type Query, single, wholeNumber } from "./query.ts";
import { Refusal } from "./refusal.ts";
import type { Days, Page, World } from "./world.ts";

/** What a checked query asks for, in the world's words; each may throw Refusal. */

/** A chain that the world does not have is refused; an empty answer would hide a slip. */
export function chainOf(world: World, query: Query): number {
  const chainId = Number(single(query, "chain_id") ?? single(query, "chainid"));
  if (world.hasChain(chainId)) return chainId;
  throw new Refusal("unsupported_chain", `chain ${chainId} is not supported`);
}

/** A chain without the stablecoin is refused like one that is not there. */
export function tokenChainOf(world: World, query: Query): number {
  const chainId = chainOf(world, query);
  if (world.hasToken(chainId)) return chainId;
  throw new Refusal("unsupported_chain", `no token is supported on chain ${chainId}`);
}

/** A parameter that the contract requires: it has been checked to be there. */
export function textOf(query: Query, name: string): string {
  return single(query, name) ?? "";
}

/** The page that `first` or `limit`, and `offset`, choose. */
export function pageOf(query: Query, size: "first" | "limit"): Page {
  return { size: wholeNumber(query, size), offset: wholeNumber(query, "offset") };
}

/** Hourly or daily. */
export function periodOf(query: Query): "d" | "h" {
  return single(query, "period") === "h" ? "h" : "d";
}

/** What the specification leaves open: how long a daily history is if nothing else is asked. */
const DEFAULT_DAYS = 30;

/**
 * The days asked for. Without `from` and `to` they are the last 30, the running one included;
 * without `to`, all up to now; without `from`, the 30 up to `to`.
 */
export function daysOf(query: Query, at: number): Days {
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
export function hoursOf(query: Query, at: number): { from: number; to: number } {
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
