import type { Quantity } from "../model/index.ts";
import type { FieldSpec, Fields } from "./endpoint.ts";

/** The fields that many records have, and short ways to write the others. */

export const text: FieldSpec = { type: "string", quantity: "text" };

export const address: FieldSpec = { type: "string", quantity: "address" };

/** A time as ISO 8601, or a day alone, which is its midnight in UTC. */
export const isoTime: FieldSpec = { type: "string", quantity: "seconds", iso: true };

export const chainId: FieldSpec = { type: "number", quantity: "integer" };

/** A JSON number. */
export function number(quantity: Quantity): FieldSpec {
  return { type: "number", quantity };
}

/** A number that JSON holds as a string. */
export function string(quantity: Quantity): FieldSpec {
  return { type: "string", quantity };
}

/** The same field where values below zero mean something. */
export function signed(field: FieldSpec): FieldSpec {
  return { ...field, signed: true };
}

export function object(fields: Fields): FieldSpec {
  return { type: "object", fields };
}

/** A list of objects that have these fields each. */
export function listOf(fields: Fields): FieldSpec {
  return { type: "array", fields };
}

/** What the values of parameters look like. */

export const POOL_ID = /^0x[0-9a-f]{64}$/i;

/** A uint256 as a decimal string has at most 78 digits. */
export const NFT_ID = /^\d{1,78}$/;

/** An account's address; upper and lower case are one address. */
export const ADDRESS = /^0x[0-9a-f]{40}$/i;

/** `dexa` is the pool protocol itself, `dexb` the second compatible one. */
export const PROTOCOLS = ["dexa", "dexb"] as const;
