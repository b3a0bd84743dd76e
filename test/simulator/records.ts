import { expect } from "vitest";
import {
  type FieldSpec,
  type Fields,
  HOOK_METADATA,
  TOKEN_METADATA,
} from "../../src/api/endpoints.ts";
import type { Market } from "../../src/simulator/market.ts";

type Answer<Name extends keyof Market> = Market[Name] extends (...args: never) => infer Told
  ? NonNullable<Told>
  : never;

/** What the market tells, by the names of its parts. */
export type PoolRecord = Answer<"pool">;
export type PositionRecord = Answer<"position">;
export type SwapEntry = Answer<"swaps">["swaps"][number];
export type LiquidityEntry = Answer<"liquidityChanges">["modify_liquidity_history"][number];
export type PoolPoint = Answer<"poolHistory">["data"][number];

/**
 * Holds a record against the contract both ways, and the objects and lists in it: the names of its
 * fields, their JSON types and the forms of their values. Only the `unknown` ones are null, and are so;
 * `sometimes` ones may be.
 */
export function expectFields(
  record: unknown,
  fields: Fields,
  unknown: ReadonlySet<string> = NONE,
  sometimes: ReadonlySet<string> = NONE,
): void {
  const all = Object.entries(record as Record<string, unknown>);
  const lacks = (name: string): boolean =>
    unknown.has(name) ||
    (sometimes.has(name) && (record as Record<string, unknown>)[name] === null);
  const entries = all.filter(([name, value]) => !(lacks(name) && value === null));
  const found = all.map(([name, value]) => [name, value === null ? null : typeOf(value)]);
  const wanted = Object.entries(fields).map(([name, spec]) => [
    name,
    lacks(name) ? null : spec.type,
  ]);
  expect(Object.fromEntries(found)).toEqual(Object.fromEntries(wanted));
  const malformed = entries.filter(([name, value]) => {
    const spec = fields[name];
    return spec === undefined || !isWellFormed(spec, value);
  });
  expect(malformed).toEqual([]);
  for (const [name, value] of entries) {
    const inner = fields[name]?.fields;
    if (inner === undefined) continue;
    for (const one of Array.isArray(value) ? value : [value]) {
      expectFields(one, inner, unknown, sometimes);
    }
  }
}

const NONE: ReadonlySet<string> = new Set();

/** A pool's record with the objects in it. */
export function expectPool(record: unknown, fields: Fields): void {
  expectFields(record, fields);
  const { token0, token1, hook } = record as Record<string, unknown>;
  expectFields(token0, TOKEN_METADATA);
  expectFields(token1, TOKEN_METADATA);
  expectFields(hook, HOOK_METADATA);
}

function typeOf(value: unknown): string {
  return Array.isArray(value) ? "array" : typeof value;
}

const ISO = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\d(?:Z|[+-]\d\d:\d\d))?$/;

/**
 * Integers without a leading zero, amounts in tokens with six digits, `+` or `-` only where the
 * contract says signed, ISO times, addresses, finite numbers.
 */
function isWellFormed({ type, quantity, signed, iso }: FieldSpec, value: unknown): boolean {
  if (type === "number") {
    const mayBeBelow = signed === true || quantity === "tick" || quantity === "percent";
    return Number.isFinite(value) && (mayBeBelow || Number(value) >= 0);
  }
  if (typeof value !== "string") return true;
  if (iso) return ISO.test(value) && !Number.isNaN(Date.parse(value));
  switch (quantity) {
    case "raw":
    case "raw(token0)":
    case "raw(token1)":
    case "wei":
    case "integer":
    case "count":
    case "seconds":
      return (signed ? /^(?:0|[+-]?[1-9]\d*)$/ : /^(?:0|[1-9]\d*)$/).test(value);
    case "tokens":
      return (signed ? /^[+-](?:0|[1-9]\d*)\.\d{6}$/ : /^(?:0|[1-9]\d*)\.\d{6}$/).test(value);
    case "address":
      return /^0x[0-9a-fA-F]{40}$/.test(value);
    default:
      return value !== "";
  }
}
