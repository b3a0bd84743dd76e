import { existsSync } from "node:fs";
import { loadDriver } from "./driver.ts";
import { storeFailure } from "./failure.ts";
import { checkHeader } from "./schema.ts";

/** What a look at the database of a running daemon shows. */
export interface Peek {
  /** The date of each rule's last whole round; null: it had none yet. */
  readonly lastRounds: ReadonlyMap<string, number | null>;
  readonly firing: number;
  /** Notices that are still to be delivered. */
  readonly owed: number;
}

/**
 * Reads the database beside the daemon that holds it: no lease is taken and nothing is written.
 * Null where there is no database yet. Throws StoreError.
 */
export async function peek(path: string): Promise<Peek | null> {
  if (!existsSync(path)) return null;
  const driver = await loadDriver();
  try {
    checkHeader(path);
    const db = new driver(path, { readonly: true, timeout: 1_000 });
    try {
      const rules = db
        .prepare<[], [string, number | null]>(
          "SELECT names.text, last_round FROM rules JOIN names ON names.id = rules.name",
        )
        .raw()
        .all();
      const count = (sql: string): number => Number(db.prepare(sql).pluck().get());
      return {
        lastRounds: new Map(rules),
        firing: count("SELECT count(*) FROM alerts WHERE state IN ('firing', 'recovering')"),
        owed: count(
          `SELECT count(*) FROM owed LEFT JOIN messages ON messages.seq = owed.message
           WHERE messages.settled_at IS NULL`,
        ),
      };
    } finally {
      db.close();
    }
  } catch (error) {
    throw storeFailure(error, path);
  }
}
