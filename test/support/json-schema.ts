type Schema = Readonly<Record<string, unknown>>;

/** What a small validator of JSON Schema has to say of a value: where it is wrong; empty if it is not. */
export function faultsOf(schema: unknown, value: unknown, root: unknown = schema): string[] {
  return new Validator(root).faults(mapOf(schema), value, "");
}

export function mapOf(value: unknown): Schema {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new Error(`${JSON.stringify(value)} is no map`);
  }
  return { ...value };
}

/** Words that say something to people only. */
const SILENT = new Set(["$schema", "$defs", "title", "description"]);

class Validator {
  constructor(private readonly root: unknown) {}

  /** Throws at a word of JSON Schema that it does not know, so that nothing passes for being unknown. */
  faults(schema: Schema, value: unknown, at: string): string[] {
    return Object.keys(schema).flatMap((word) => {
      if (SILENT.has(word)) return [];
      return this.#word(word, schema, value, at);
    });
  }

  #word(word: string, schema: Schema, value: unknown, at: string): string[] {
    const said = schema[word];
    const wrong = (is: boolean): string[] => (is ? [`${at}: ${word}`] : []);
    const map = isMap(value) ? value : null;
    const list: readonly unknown[] | null = Array.isArray(value) ? value : null;
    switch (word) {
      case "$ref":
        return this.faults(this.#find(String(said)), value, at);
      case "type":
        return wrong(![said].flat().some((type) => hasType(value, String(type))));
      case "const":
        return wrong(value !== said);
      case "enum":
        return wrong(!listOf(said).includes(value));
      case "pattern":
        return wrong(typeof value === "string" && !new RegExp(String(said), "u").test(value));
      case "minimum":
        return wrong(typeof value === "number" && value < Number(said));
      case "maximum":
        return wrong(typeof value === "number" && value > Number(said));
      case "minItems":
        return wrong(list !== null && list.length < Number(said));
      case "maxItems":
        return wrong(list !== null && list.length > Number(said));
      case "minProperties":
        return wrong(map !== null && Object.keys(map).length < Number(said));
      case "maxProperties":
        return wrong(map !== null && Object.keys(map).length > Number(said));
      case "required":
        return wrong(map !== null && listOf(said).some((key) => !(String(key) in map)));
      case "items":
        return (list ?? []).flatMap((one, i) => this.faults(mapOf(said), one, `${at}/${i}`));
      case "properties":
        return Object.entries(mapOf(said)).flatMap(([key, one]) =>
          map !== null && key in map ? this.faults(mapOf(one), map[key], `${at}/${key}`) : [],
        );
      case "additionalProperties": {
        const known = mapOf(schema.properties ?? {});
        const others = Object.keys(map ?? {}).filter((key) => !(key in known));
        if (said === false) return others.map((key) => `${at}/${key}: no such key`);
        return others.flatMap((key) => this.faults(mapOf(said), map?.[key], `${at}/${key}`));
      }
      case "anyOf":
        return this.#anyOf(listOf(said).map(mapOf), value, at);
      case "allOf":
        return listOf(said).flatMap((one) => this.faults(mapOf(one), value, at));
      case "not":
        return wrong(this.faults(mapOf(said), value, at).length === 0);
      default:
        throw new Error(`the validator does not know ${word}`);
    }
  }

  /** Of an implication, which is `not` this or else that, the fault is told where it lies. */
  #anyOf(schemas: readonly Schema[], value: unknown, at: string): string[] {
    const faults = schemas.map((one) => this.faults(one, value, at));
    if (faults.some((found) => found.length === 0)) return [];
    const [first, second] = schemas;
    const implication = schemas.length === 2 && first !== undefined && "not" in first;
    return implication && second !== undefined ? (faults[1] ?? []) : [`${at}: anyOf`];
  }

  #find(ref: string): Schema {
    if (!ref.startsWith("#/")) throw new Error(`${ref} leads elsewhere`);
    return ref
      .slice(2)
      .split("/")
      .reduce((one, key) => mapOf(one[key]), mapOf(this.root));
  }
}

function isMap(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function listOf(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new Error(`${JSON.stringify(value)} is no list`);
  return value;
}

function hasType(value: unknown, type: string): boolean {
  switch (type) {
    case "object":
      return isMap(value);
    case "array":
      return Array.isArray(value);
    case "integer":
      return Number.isInteger(value);
    case "string":
    case "number":
    case "boolean":
      return typeof value === type;
    default:
      throw new Error(`the validator does not know the type ${type}`);
  }
}
