/** What JSON, or YAML, may hold where nothing is known of it. */

export type JsonMap = Readonly<Record<string, unknown>>;

/** Undefined for a text that is no JSON. */
export function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A JSON object's members; null for any other text. */
export function readMap(text: string): JsonMap | null {
  return asMap(readJson(text));
}

/** A map's members; null for a list and for anything else. */
export function asMap(value: unknown): JsonMap | null {
  return isMap(value) ? value : null;
}

/** A plain object: no list, and nothing that was made by a class. */
export function isMap(value: unknown): value is JsonMap {
  return (
    typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype
  );
}

/** A list's items; none for anything else. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The texts of a list; none for anything else. */
export function textsOf(value: unknown): string[] {
  return listOf(value).filter((one) => typeof one === "string");
}
