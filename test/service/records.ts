import { expect } from "vitest";
import {
  type FieldSpec,
  type Fields,
  HOOK_METADATA,
  TOKEN_METADATA,
} from "../../src/contract/endpoints.ts";

/** Holds a record against the contract both ways: its fields' names and their JSON types. */
export function expectFields(record: unknown, fields: Fields): void {
  const found = Object.entries(record as Record<string, unknown>).map(([name, value]) => [
    name,
    typeof value,
  ]);
  const wanted = Object.entries(fields).map(([name, spec]) => [name, spec.type]);
  expect(Object.fromEntries(found)).toEqual(Object.fromEntries(wanted));
  const malformed = Object.entries(record as Record<string, unknown>).filter(([name, value]) => {
    const spec = fields[name];
    return spec === undefined || !isWellFormed(spec, value);
  });
  expect(malformed).toEqual([]);
}

/** A pool's record with the objects in it. */
export function expectPool(record: unknown, fields: Fields): void {
  expectFields(record, fields);
  const { token0, token1, hook } = record as Record<string, unknown>;
  expectFields(token0, TOKEN_METADATA);
  expectFields(token1, TOKEN_METADATA);
  expectFields(hook, HOOK_METADATA);
}

/** Integers without a leading zero, `_d` amounts with six digits, addresses, finite numbers. */
function isWellFormed({ type, quantity }: FieldSpec, value: unknown): boolean {
  if (type === "number") return Number.isFinite(value);
  if (typeof value !== "string") return true;
  switch (quantity) {
    case "raw":
    case "raw(token0)":
    case "raw(token1)":
    case "wei":
    case "integer":
    case "count":
    case "seconds":
      return /^(?:0|[1-9]\d*)$/.test(value);
    case "tokens":
      return /^(?:0|[1-9]\d*)\.\d{6}$/.test(value);
    case "address":
      return /^0x[0-9a-fA-F]{40}$/.test(value);
    default:
      return value !== "";
  }
}
