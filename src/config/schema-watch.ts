import { z } from "zod";
import { ENDPOINTS } from "../api/endpoints.ts";
import { CHAINS } from "../base/chains.ts";
import { DURATION_SCHEMA } from "../base/settings.ts";
import type { OptionSpec, TargetSpec, WatchKind } from "../kinds/kind.ts";
import type { OPS } from "../rules/parse/comparison-keys.ts";
import { oneOrMore } from "./rules/rule-keys.ts";

/** A JSON Schema (draft 2020-12) as plain data. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Text, also where YAML reads a number (`name: 5`, an unquoted `0x…`): every digit is kept. */
export const TEXT: JsonSchema = { type: ["string", "number"] };

/** A quantity such as `5 gwei`, `10%` or a plain number; its unit is checked when rules are read. */
export const QUANTITY: JsonSchema = {
  type: ["string", "number"],
  description: "a number, with a unit where the metric has one: 5 gwei, 10%, 1_000_000 usd",
};

function textLike(pattern: RegExp, description: string): JsonSchema {
  return { type: ["string", "number"], pattern: sourceOf(pattern), description };
}

/** What stands under the keys of a zod schema, as a file has it before anything is read. */
export function propertiesOf(schema: z.ZodType): {
  readonly properties: Readonly<Record<string, JsonSchema>>;
  readonly required: readonly string[];
} {
  const { properties = {}, required = [] } = z.toJSONSchema(schema, {
    io: "input",
    unrepresentable: "any",
    override({ jsonSchema }) {
      // Where a list may also be one thing, that is said in place of the list alone.
      if (jsonSchema.anyOf === undefined) return;
      delete jsonSchema.type;
      delete jsonSchema.items;
    },
  });
  const plain: Record<string, JsonSchema> = {};
  for (const [key, value] of Object.entries(properties)) {
    plain[key] = typeof value === "object" ? { ...value } : {};
  }
  return { properties: plain, required };
}

/** A map with these keys and no other. */
export function closed(
  properties: Readonly<Record<string, JsonSchema>>,
  required: readonly string[] = [],
): JsonSchema {
  return {
    type: "object",
    properties,
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  };
}

/** JSON Schema knows no flags: where letter case does not count, both cases are written out. */
function sourceOf({ source, flags }: RegExp): string {
  if (!flags.includes("i")) return source;
  return source.replaceAll("a-f", "a-fA-F").replaceAll("0x", "0[xX]");
}

const ADDRESS = /^0x[0-9a-f]{40}$/i;
const LIST = closed({ list: TEXT }, ["list"]);
const PLAIN_VALUE: JsonSchema = { type: ["string", "number", "boolean"] };
const RANGE: JsonSchema = { type: "array", items: QUANTITY, minItems: 2, maxItems: 2 };

const CHAIN: JsonSchema = {
  anyOf: [
    { enum: CHAINS.map(({ alias }) => alias) },
    { type: "integer", minimum: 1 },
    { type: "string", pattern: "^(?:[1-9]\\d{0,14}|[A-Za-z].*)$" },
  ],
  description: "a chain by name, such as ethereum, or by number",
};

const DECIMALS: JsonSchema = { type: ["integer", "string"], minimum: 0, maximum: 36 };

/** What stands after each key that compares. */
const COMPARED: Readonly<Record<(typeof OPS)[number], JsonSchema>> = {
  above: QUANTITY,
  below: QUANTITY,
  at_least: QUANTITY,
  at_most: QUANTITY,
  equals: PLAIN_VALUE,
  not_equals: PLAIN_VALUE,
  inside: RANGE,
  outside: RANGE,
  rises: QUANTITY,
  falls: QUANTITY,
  moves: QUANTITY,
  crosses: QUANTITY,
  changes: { const: true },
  unchanged: DURATION_SCHEMA,
  no_update_for: DURATION_SCHEMA,
};

/** A condition on metrics with these names; `self` is where it stands in the schema. */
export function conditionSchema(metrics: readonly string[], self: string): JsonSchema {
  const again = { $ref: self };
  const several = { type: "array", items: again, minItems: 1 };
  return closed({
    metric: { enum: metrics },
    ...COMPARED,
    within: DURATION_SCHEMA,
    since: { anyOf: [DURATION_SCHEMA, { const: "last" }] },
    all: several,
    any: several,
    not: again,
  });
}

/** What `watch` of one kind may say. */
export function watchSchema({ kind, targets }: WatchKind): JsonSchema {
  const { key, accounts = [], protocols } = targets;
  const properties: Record<string, JsonSchema> = { kind: { const: kind } };
  if (key !== "endpoints") properties.chain = oneOrMore(CHAIN);
  if (key === "endpoints") {
    const items = { enum: Object.keys(ENDPOINTS) };
    properties.endpoints = { type: "array", items, minItems: 1 };
  } else if (key !== null) properties[key] = targetsSchema(targets);
  for (const name of accounts) {
    properties[name] = oneOrMore({ anyOf: [...idOr(ACCOUNT, {}), LIST] });
  }
  if (key === "token") properties.decimals = DECIMALS;
  if (protocols !== null) properties.protocol = protocolSchema(protocols);
  for (const [name, spec] of Object.entries(targets.options ?? {})) {
    properties[name] = optionSchema(spec);
  }
  const required = Object.entries(targets.options ?? {})
    .filter(([, spec]) => spec.kind === "text" && spec.default === null)
    .map(([name]) => name);
  const needed = key === null ? ["chain"] : key === "endpoints" ? [] : [key];
  if (targets.owned !== undefined && key !== null) {
    const owner = oneOrMore({ anyOf: [...idOr(ACCOUNT, {}), LIST] });
    const either = [{ required: [key] }, { required: ["chain", "owner"] }];
    return { ...closed({ ...properties, owner, deposited: DEPOSITED }, ["kind"]), anyOf: either };
  }
  return closed(properties, ["kind", ...needed, ...accounts, ...required]);
}

const ACCOUNT = textLike(ADDRESS, "an address, 0x and 40 hex digits");

const AMOUNT: JsonSchema = { type: ["number", "string"] };
const DEPOSITED = closed({ token0: AMOUNT, token1: AMOUNT }, ["token0", "token1"]);

function targetsSchema({ key, id, protocols, deposits }: TargetSpec): JsonSchema {
  const one = {
    anyOf: [
      ...idOr(id === null ? TEXT : textLike(id.pattern, id.expected), {
        chain: oneOrMore(CHAIN),
        ...(protocols === null ? {} : { protocol: protocolSchema(protocols) }),
        ...(key === "token" ? { decimals: DECIMALS } : {}),
        ...(deposits === true ? { deposited: DEPOSITED } : {}),
      }),
      LIST,
    ],
  };
  if (key === "token" || key === "wallet" || key === "to") return oneOrMore(one);
  return { anyOf: [LIST, { type: "array", items: one, minItems: 1 }] };
}

/** An id alone, or with a name and what else belongs to it. */
function idOr(id: JsonSchema, more: Readonly<Record<string, JsonSchema>>): readonly JsonSchema[] {
  return [id, closed({ id, name: TEXT, ...more }, ["id"])];
}

/** Their letter case does not count. */
function protocolSchema(protocols: readonly string[]): JsonSchema {
  return { anyOf: [{ enum: protocols }, { type: "string", pattern: "[A-Z]" }] };
}

function optionSchema(spec: OptionSpec): JsonSchema {
  switch (spec.kind) {
    case "whole":
      return { type: ["integer", "string"], minimum: spec.min, maximum: spec.max };
    case "word":
      return { enum: spec.values };
    case "flag":
      return { type: "boolean" };
    case "text":
      return { ...TEXT, description: spec.expected };
    case "list":
      return {
        type: "array",
        items: { type: ["string", "number", "boolean"] },
        description: spec.expected,
      };
  }
}
