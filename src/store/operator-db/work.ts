/**
 * What is done in a database, one statement after the other by `yield*`, whichever database it is. SQLite does all of
 * it at once: nothing else of the process comes between the statements of a transaction. PostgreSQL answers each later.
 */
export type Work<T> = Generator<Statement, T, unknown>;

/** As PostgreSQL has it, where SQLite's access knows how its own words differ; else the text for each. */
export type Sql = string | { readonly sqlite: string; readonly postgres: string };

/** The values are `$1`, `$2` and so on in the text; a list is for `= ANY($1)`. */
export type Statement =
  | { readonly does: "query" | "run"; readonly sql: Sql; readonly values: readonly unknown[] }
  | ({ readonly does: "insert" } & Insertion)
  | { readonly does: "has"; readonly table: string };

/** Rows of a table in their order: its columns with their types, and the values of each row. */
export interface Insertion {
  readonly table: string;
  readonly columns: Readonly<Record<string, "text" | "bigint" | "integer">>;
  readonly rows: readonly (readonly (string | number | null)[])[];
}

/** A database that is open beside a daemon or without one. Its methods throw StoreError. */
export interface Access {
  /** Its name, for people. */
  readonly where: string;
  /** Looks at one moment of it; `long`: a statement may take a minute on a server. */
  read<T>(work: Work<T>, long?: boolean): Promise<T>;
  /** Does all of the work or nothing. */
  write<T>(work: Work<T>): Promise<T>;
  close(): void;
}

/** The rows, by the names of their columns. */
export function* query<Row>(sql: Sql, values: readonly unknown[] = []): Work<Row[]> {
  return (yield { does: "query", sql, values }) as Row[];
}

/** The first column of the first row; null where there is no row, or nothing in it. */
export function* value<T>(sql: Sql, values: readonly unknown[] = []): Work<T | null> {
  const [row = {}] = yield* query<Readonly<Record<string, T | null>>>(sql, values);
  return Object.values(row)[0] ?? null;
}

/** Changes rows; returns how many. */
export function* run(sql: Sql, values: readonly unknown[] = []): Work<number> {
  return (yield { does: "run", sql, values }) as number;
}

export function* insert(insertion: Insertion): Work<void> {
  yield { does: "insert", ...insertion };
}

/** Whether a table is there: a SQLite database that only an older daemon has opened lacks some. */
export function* hasTable(table: string): Work<boolean> {
  return (yield { does: "has", table }) as boolean;
}
