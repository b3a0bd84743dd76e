import { expect } from "vitest";
import { type Connection, openConnection } from "../../src/store/sqlite/connection.ts";
import { loadDriver } from "../../src/store/sqlite/driver.ts";

/** A database as a daemon holds it, with two tables that get a row each in every transaction. */
export async function daemonOn(
  path: string,
): Promise<{ readonly held: Connection; readonly write: () => Promise<void> }> {
  const held = await openConnection(path);
  held.db.exec("CREATE TABLE IF NOT EXISTS one (x); CREATE TABLE IF NOT EXISTS other (x)");
  const [one, other] = ["one", "other"].map((table) =>
    held.db.prepare(`INSERT INTO ${table} VALUES (randomblob(1000))`),
  );
  const write = (): Promise<void> =>
    held.write(() => {
      one?.run();
      other?.run();
    });
  return { held, write };
}

/** A database of so many pairs of rows that no daemon holds. */
export async function filled(path: string, pairs: number): Promise<void> {
  const { held } = await daemonOn(path);
  await held.write(() => {
    for (const table of ["one", "other"]) {
      held.db.exec(
        `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${pairs}) INSERT INTO ${table} SELECT randomblob(1000) FROM n`,
      );
    }
  });
  held.close();
}

/** The rows of both tables, after a look at the whole file. */
export async function pairsIn(path: string): Promise<readonly [one: number, other: number]> {
  const db = new (await loadDriver())(path, { readonly: true });
  try {
    expect(db.pragma("integrity_check", { simple: true })).toBe("ok");
    const count = (table: string): number =>
      Number(db.prepare(`SELECT count(*) FROM ${table}`).pluck().get());
    return [count("one"), count("other")];
  } finally {
    db.close();
  }
}
