import { DAY } from "../base/duration.ts";
import { cleanText } from "../base/text.ts";
import type { EndpointSpec, ParamSpec } from "../contract/endpoints.ts";
import { Refusal } from "./refusal.ts";

/** The checked values by parameter name: one for a single parameter, none for an absent one. */
export type Query = ReadonlyMap<string, readonly string[]>;

/**
 * Holds a query string against what the contract says of the endpoint: no parameter that is not
 * there, none missing, none given too often, each value well-formed, `from` not after `to` and
 * not too far from it. Throws Refusal (400) for the first fault.
 */
export function readQuery(endpoint: EndpointSpec, search: URLSearchParams): Query {
  for (const name of search.keys()) {
    if (!Object.hasOwn(endpoint.params, name)) {
      throw new Refusal(400, "unknown_parameter", `unknown parameter ${cleanText(name, 40)}`);
    }
  }
  const query = new Map<string, readonly string[]>();
  for (const [name, spec] of Object.entries(endpoint.params)) {
    query.set(name, readValues(name, spec, search.getAll(name)));
  }
  if (endpoint.maxRangeDays !== undefined) checkRange(query, endpoint.maxRangeDays);
  return query;
}

/** The value of a single parameter; undefined if it was left out. */
export function single(query: Query, name: string): string | undefined {
  return query.get(name)?.[0];
}

/** Midnight UTC of a YYYY-MM-DD day in epoch milliseconds; null if there is no such day. */
export function dayStart(text: string): number | null {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return null;
  const at = Date.parse(`${text}T00:00:00Z`);
  if (Number.isNaN(at)) return null;
  // Date.parse takes 31 February for 3 March.
  return new Date(at).toISOString().startsWith(text) ? at : null;
}

function readValues(name: string, spec: ParamSpec, values: readonly string[]): readonly string[] {
  if (values.length === 0 && spec.required) {
    throw new Refusal(400, "missing_parameter", `${name} is required`);
  }
  if (spec.repeat === undefined && values.length > 1) {
    throw new Refusal(400, "duplicate_parameter", `${name} takes one value`);
  }
  if (spec.repeat !== undefined && values.length > spec.repeat) {
    throw new Refusal(400, "too_many_values", `${name} takes at most ${spec.repeat} values`);
  }
  for (const value of values) {
    if (!isWellFormed(spec, value)) {
      throw new Refusal(400, "bad_value", `${name} must be ${expected(spec)}`);
    }
  }
  return values;
}

function isWellFormed(spec: ParamSpec, value: string): boolean {
  if (spec.values !== undefined && !spec.values.includes(value)) return false;
  if (spec.pattern !== undefined && !spec.pattern.test(value)) return false;
  switch (spec.type) {
    case "number":
      return /^(?:0|[1-9]\d{0,14})$/.test(value);
    case "date":
      return dayStart(value) !== null;
    case "string":
      return value !== "";
  }
}

function expected(spec: ParamSpec): string {
  if (spec.values !== undefined) return `one of ${spec.values.join(", ")}`;
  if (spec.pattern !== undefined) return `of the form ${spec.pattern.source}`;
  return { number: "a whole number", date: "a day, YYYY-MM-DD", string: "text" }[spec.type];
}

function checkRange(query: Query, maxDays: number): void {
  const from = dayStart(single(query, "from") ?? "");
  const to = dayStart(single(query, "to") ?? "");
  if (from === null || to === null) return;
  if (from > to) throw new Refusal(400, "bad_value", "from must not be after to");
  if (to - from > maxDays * DAY) {
    throw new Refusal(400, "range_too_long", `from and to are at most ${maxDays} days apart`);
  }
}
