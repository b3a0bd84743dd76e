import { existsSync, statSync } from "node:fs";
import { type Database, loadDriver } from "../sqlite/driver.ts";
import { checkLogBeside, mayMissLog } from "../sqlite/evidence.ts";
import { emptied, storeFailure } from "../sqlite/failure.ts";
import { checkHeader, formatOf } from "../sqlite/schema.ts";
import type { Access, Sql, Statement, Work } from "./work.ts";

/** Another process waits so long for the daemon's commit, which takes milliseconds. */
const BUSY_MS = 5_000;
/** The daemon itself does not wait so long, since its rounds do meanwhile. */
const OWN_BUSY_MS = 50;

export interface SqliteAccess extends Access {
  /** Looks at one moment of it, by what SQLite alone has. */
  look<T>(work: (db: Database) => T): T;
}

/**
 * Opens the database at `path` without the daemon's lease; with `mayWrite` false nothing can be changed. Null where
 * there is no database yet. Throws StoreError.
 */
export async function openSqliteAccess(
  path: string,
  mayWrite: boolean,
): Promise<SqliteAccess | null> {
  const size = statSync(path, { throwIfNoEntry: false })?.size;
  if (size === undefined) return null;
  if (size === 0 && existsSync(`${path}.lock`)) throw emptied(path);
  const driver = await loadDriver();
  const guarded = <R>(work: () => R): R => {
    try {
      return work();
    } catch (error) {
      throw storeFailure(error, path);
    }
  };
  guarded(() => checkHeader(path));
  await checkLogBeside(path);
  return guarded(() => {
    const db = new driver(path, { readonly: !mayWrite, fileMustExist: true, timeout: BUSY_MS });
    try {
      if (formatOf(db, path) === null) {
        db.close();
        return null;
      }
      mayMissLog(db, path, existsSync(`${path}.lock`));
      // As the daemon writes: what it is told must not be lost with the power.
      if (mayWrite) db.pragma("synchronous = FULL");
    } catch (error) {
      db.close();
      throw error;
    }
    return accessTo(db, path);
  });
}

/**
 * A second connection to the database that this process holds open and writes: nothing of the file is looked
 * at beside SQLite, since closing it would drop the locks that the process has on it. Throws StoreError.
 */
export async function openOwnSqliteAccess(path: string): Promise<SqliteAccess> {
  const driver = await loadDriver();
  try {
    const db = new driver(path, { fileMustExist: true, timeout: OWN_BUSY_MS });
    db.pragma("synchronous = FULL");
    db.pragma("foreign_keys = ON");
    return accessTo(db, path);
  } catch (error) {
    throw storeFailure(error, path);
  }
}

/** One that stands on an open connection and closes it. */
export function accessTo(db: Database, path: string): SqliteAccess {
  // What is put aside for a while needs no file, which a read-only machine could not make.
  db.pragma("temp_store = MEMORY");
  const guarded = <R>(work: () => R): R => {
    try {
      return work();
    } catch (error) {
      throw storeFailure(error, path);
    }
  };
  const look: SqliteAccess["look"] = (work) => guarded(() => db.transaction(() => work(db))());
  return {
    where: path,
    look,
    read: async (work) => look(() => done(db, work)),
    write: async (work) => guarded(() => db.transaction(() => done(db, work)).immediate()),
    close: () => db.close(),
  };
}

/** All of it at once. */
export function done<T>(db: Database, work: Work<T>): T {
  let step = work.next();
  while (step.done !== true) step = work.next(answer(db, step.value));
  return step.value;
}

function answer(db: Database, statement: Statement): unknown {
  if (statement.does === "has") return hasTable(db, statement.table);
  if (statement.does === "insert") {
    const { table, columns, rows } = statement;
    const names = Object.keys(columns);
    const put = db.prepare(
      `INSERT INTO ${table} (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`,
    );
    for (const row of rows) put.run(...row);
    return undefined;
  }
  const prepared = db.prepare<[Record<string, unknown>], unknown[]>(textOf(statement.sql));
  const values = Object.fromEntries(
    statement.values.map((one, at) => [at + 1, Array.isArray(one) ? JSON.stringify(one) : one]),
  );
  if (statement.does === "run") return prepared.run(values).changes;
  const names = prepared.columns().map(({ name }) => name);
  // Faster than the driver makes such rows, where they have many columns.
  return prepared
    .raw()
    .all(values)
    .map((row) => rowOf(names, row));
}

function rowOf(names: readonly string[], values: readonly unknown[]): Record<string, unknown> {
  const row: Record<string, unknown> = {};
  for (let at = 0; at < names.length; at += 1) row[names[at] ?? ""] = values[at];
  return row;
}

/** SQLite compares by bytes of itself. */
function textOf(sql: Sql): string {
  return (typeof sql === "string" ? sql : sql.sqlite)
    .replaceAll(' COLLATE "C"', "")
    .replaceAll(/= ANY\((\$\d+)\)/g, "IN (SELECT value FROM json_each($1))")
    .replaceAll("json_array_elements_text(", "json_each(")
    .replaceAll("strpos(", "instr(");
}

/** A database that only an older daemon has opened lacks some. */
export function hasTable(db: Database, name: string): boolean {
  return db.prepare("SELECT 1 FROM sqlite_schema WHERE name = ?").get(name) !== undefined;
}
