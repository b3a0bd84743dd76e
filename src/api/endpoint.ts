import type { Quantity } from "../model/index.ts";

/** What can be said of an endpoint: the words in which the contract is written. */

/** The JSON type of a field as the specification gives it, and what its number counts. */
export interface FieldSpec {
  readonly type: "string" | "number" | "boolean" | "object" | "array";
  /** Objects and lists have none. */
  readonly quantity?: Quantity;
  /** A change or a direction: below zero it means something. Any other number below is no data. */
  readonly signed?: true;
  /** Of the quantity `seconds`: written as ISO 8601 and read as Unix time. */
  readonly iso?: true;
  /** The fields of an object, or of each entry of a list. */
  readonly fields?: Fields;
}

export type Fields = Readonly<Record<string, FieldSpec>>;

export interface ParamSpec {
  readonly type: "number" | "string" | "date";
  /** Null: the specification does not say. */
  readonly required: boolean | null;
  /** A batch parameter: repeated once for each value, at most so often. */
  readonly repeat?: number;
  /** A batch parameter whose values stand in one text, at most so many. */
  readonly joined?: { readonly separator: ","; readonly max: number };
  readonly values?: readonly string[];
  /** What each single value looks like. */
  readonly pattern?: RegExp;
  /** The range of a number, both ends included. */
  readonly min?: number;
  readonly max?: number;
  /** What the service takes when the parameter is left out. */
  readonly default?: number | string;
}

export interface EndpointSpec {
  /** Decides how the key is sent: KEY_HEADER (current) or KEY_PARAMETER (earlier). */
  readonly family: "current" | "earlier";
  /** The configuration's key for the address that `path` follows; `rpc`: EVM nodes, and no service. */
  readonly base: "base_url" | "legacy_base_url" | "rpc";
  readonly path: string;
  /** In the order in which they are sent; the key is not among them. */
  readonly params: Readonly<Record<string, ParamSpec>>;
  /** `array`: one record for each entry; `object`: one record; `list`: one with a list in it. */
  readonly shape: "array" | "object" | "list";
  /** Of the shape `list`: the field that holds the list. */
  readonly list?: string;
  /** Beside a list: the field that says how many entries there are on all pages. */
  readonly total?: string;
  /** The record's name; no two endpoints share one. */
  readonly record: string;
  readonly fields: Fields;
  /** Batch endpoints: the parameter with many values, and the field of an entry that names its item. */
  readonly batch?: { readonly param: string; readonly field: string };
  /** The longest distance between `from` and `to`. */
  readonly maxRangeDays?: number;
  /** The parameters that choose a page: how many entries, after how many, in which order. */
  readonly paging?: { readonly size: string; readonly offset: string; readonly order?: string };
  /** The only chains that the specification names, "temporarily": others are worth a warning. */
  readonly chains?: readonly number[];
}

/** The header that carries the key of the current family. */
export const KEY_HEADER = "x-api-key";

/** The query parameter that carries the key of the earlier family: its URLs are secrets. */
export const KEY_PARAMETER = "apikey";

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
