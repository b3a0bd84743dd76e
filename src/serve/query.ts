import type { EndpointSpec, ParamSpec } from "../api/endpoints.ts";
import { DAY } from "../base/duration.ts";
import { cleanText } from "../base/text.ts";
import { Refusal } from "./refusal.ts";

/** The checked values by parameter name: one for a single parameter, none for an absent one. */
export type Query = ReadonlyMap<string, readonly string[]>;

/**
 * Holds a query string against what the contract says of the endpoint: no parameter that is not
 * there, none missing, none given too often, each value well-formed and within its limits, `from`
 * not after `to` and not too far from it. What was left out has its default. A parameter of which
 * the specification does not say whether it is required is required if it has none. The values of a
 * joined parameter are told one by one. Throws Refusal (400) for the first fault; `secret` never
 * stands in its message, whatever was sent.
 */
export function readQuery(endpoint: EndpointSpec, search: URLSearchParams, secret: string): Query {
  for (const name of search.keys()) {
    if (!Object.hasOwn(endpoint.params, name)) {
      const shown = name.includes(secret) ? "" : ` ${cleanText(name, 40)}`;
      throw new Refusal("unknown_parameter", `unknown parameter${shown}`);
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

/** The value of a number that has been checked and is required or has a default. */
export function wholeNumber(query: Query, name: string): number {
  return Number(single(query, name));
}

/** Midnight UTC of a YYYY-MM-DD day in epoch milliseconds; null if there is no such day. */
export function dayStart(text: string): number | null {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return null;
  const at = Date.parse(`${text}T00:00:00Z`);
  if (Number.isNaN(at)) return null;
  // Date.parse takes 31 February for 3 March.
  return new Date(at).toISOString().startsWith(text) ? at : null;
}

function readValues(name: string, spec: ParamSpec, given: readonly string[]): readonly string[] {
  const { repeat, joined } = spec;
  if (given.length === 0 && spec.default !== undefined) return [String(spec.default)];
  if (given.length === 0 && spec.required !== false) {
    throw new Refusal("missing_parameter", `${name} is required`);
  }
  if (repeat === undefined && given.length > 1) {
    throw new Refusal("duplicate_parameter", `${name} takes one value`);
  }
  const values =
    joined === undefined ? given : given.flatMap((text) => text.split(joined.separator));
  const most = repeat ?? joined?.max ?? 1;
  if (values.length > most) {
    throw new Refusal("too_many_values", `${name} takes at most ${most} values`);
  }
  for (const value of values) {
    if (!isWellFormed(spec, value)) {
      throw new Refusal("bad_value", `${name} must be ${expected(spec)}`);
    }
  }
  return values;
}

function isWellFormed(spec: ParamSpec, value: string): boolean {
  if (spec.values !== undefined && !spec.values.includes(value)) return false;
  if (spec.pattern !== undefined && !spec.pattern.test(value)) return false;
  switch (spec.type) {
    case "number":
      if (!/^(?:0|[1-9]\d{0,14})$/.test(value)) return false;
      return Number(value) >= (spec.min ?? 0) && Number(value) <= (spec.max ?? Infinity);
    case "date":
      return dayStart(value) !== null;
    case "string":
      return value !== "";
  }
}

function expected({ values, pattern, type, min, max, joined }: ParamSpec): string {
  if (values !== undefined) return `one of ${values.join(", ")}`;
  if (pattern !== undefined) {
    const many = joined === undefined ? "" : `, or several joined by "${joined.separator}"`;
    return `of the form ${pattern.source}${many}`;
  }
  if (max !== undefined) return `a whole number from ${min ?? 0} to ${max}`;
  return { number: "a whole number", date: "a day, YYYY-MM-DD", string: "text" }[type];
}

function checkRange(query: Query, maxDays: number): void {
  const from = dayStart(single(query, "from") ?? "");
  const to = dayStart(single(query, "to") ?? "");
  if (from === null || to === null) return;
  if (from > to) throw new Refusal("bad_value", "from must not be after to");
  if (to - from > maxDays * DAY) {
    throw new Refusal("range_too_long", `from and to are at most ${maxDays} days apart`);
  }
}
