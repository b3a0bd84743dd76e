import { z } from "zod";

/** A JSON Schema (draft 2020-12) as plain data. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Text, also where YAML reads a number (`name: 5`, an unquoted `0x…`): every digit is kept. */
export const TEXT: JsonSchema = { type: ["string", "number"] };

/** A quantity such as `5 gwei`, `10%` or a plain number; its unit is checked when rules are read. */
export const QUANTITY: JsonSchema = {
  type: ["string", "number"],
  description: "a number, with a unit where the metric has one: 5 gwei, 10%, 1_000_000 usd",
};

export function textLike(pattern: RegExp, description: string): JsonSchema {
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
