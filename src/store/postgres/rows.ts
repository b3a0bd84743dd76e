import type { Session } from "./session.ts";

/** Rows of a table that are written in one statement: its columns with their types, and a row's values in their order. */
export interface Rows {
  readonly table: string;
  readonly columns: Readonly<Record<string, string>>;
  /** What follows ON CONFLICT; absent: a row that is there already is an error. */
  readonly conflict?: string;
}

type Value = string | number | null | Buffer;

/** Writes rows in their order; of none does nothing. Two of one key are for the caller to see to. Returns how many. */
export async function insert(
  session: Session,
  { table, columns, conflict }: Rows,
  rows: readonly (readonly Value[])[],
): Promise<number> {
  if (rows.length === 0) return 0;
  const names = Object.keys(columns).map((name) => `"${name}"`);
  const types = Object.values(columns);
  // json is sent as text: an array of it would be quoted twice.
  const arrays = types.map((type, at) => `$${at + 1}::${type === "json" ? "text" : type}[]`);
  const picked = names.map((name, at) => (types[at] === "json" ? `${name}::json` : name));
  return await session.run(
    `INSERT INTO ${table} (${names.join(", ")})
     SELECT ${picked.join(", ")}
     FROM unnest(${arrays.join(", ")}) WITH ORDINALITY AS given (${names.join(", ")}, "ordinality")
     ORDER BY "ordinality"${conflict === undefined ? "" : ` ON CONFLICT ${conflict}`}`,
    types.map((_, at) => rows.map((row) => row[at] ?? null)),
  );
}

/** `DO UPDATE` of every column that is no key. */
export function replacing(key: readonly string[], columns: Rows["columns"]): string {
  const others = Object.keys(columns).filter((name) => !key.includes(name));
  return `(${key.join(", ")}) DO UPDATE SET ${others
    .map((name) => `"${name}" = excluded."${name}"`)
    .join(", ")}`;
}

/** Of several with the same key the last, in the place of the last. */
export function lastOfEach<T>(all: readonly T[], keyOf: (one: T) => string | number): T[] {
  const found = new Map<string | number, T>();
  for (const one of all) {
    const key = keyOf(one);
    found.delete(key);
    found.set(key, one);
  }
  return [...found.values()];
}
