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
