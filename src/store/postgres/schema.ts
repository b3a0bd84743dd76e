import { StoreError } from "../store.ts";
import { BASELINE } from "./baseline.ts";
import type { Query } from "./session.ts";
import { MEMBERS, NOTIFICATIONS, ORDERS, ROLLOUT, SLOT_TABLES } from "./upgrades.ts";

interface Migration {
  /** The number of a schema to which it was applied: that in its table `meta`. */
  readonly number: number;
  readonly sql: string;
}

/**
 * The steps that make the tables, each from the number before it. One that was released is never edited: what
 * changes is a step more.
 */
export const MIGRATIONS: readonly Migration[] = [
  { number: 1, sql: BASELINE },
  { number: 2, sql: MEMBERS },
  { number: 3, sql: SLOT_TABLES },
  { number: 4, sql: ROLLOUT },
  { number: 5, sql: NOTIFICATIONS },
  { number: 6, sql: ORDERS },
];

export const NEWEST_NUMBER = MIGRATIONS.at(-1)?.number ?? 0;

/** The number of a schema; null: it has no tables of tickwatch yet. Throws StoreError `corrupt`, `newer`. */
export async function numberOf(query: Query, schema: string): Promise<number | null> {
  const [found] = await query<{ meta: string | null; tables: number }>(
    `SELECT to_regclass(format('%I.meta', $1::text))::text AS meta,
       (SELECT count(*) FROM pg_tables WHERE schemaname = $1) AS tables`,
    [schema],
  );
  if (found === undefined || found.meta === null) {
    if ((found?.tables ?? 0) === 0) return null;
    throw new StoreError(
      "corrupt",
      `the schema ${schema} holds tables of something else: name another one with ?schema= in \`store\``,
    );
  }
  const [row] = await query<{ number: number }>("SELECT number FROM meta");
  const number = row?.number ?? 0;
  if (number > NEWEST_NUMBER) {
    throw new StoreError(
      "newer",
      `the schema ${schema} was written by a newer tickwatch (number ${number}, this one knows ` +
        `${NEWEST_NUMBER}): use the newer one, or another schema`,
    );
  }
  return number;
}

/**
 * Brings the schema to the newest number in one transaction, one process at a time. Throws StoreError, and what
 * the server says where the role may not.
 */
export async function migrate(query: Query, schema: string): Promise<void> {
  await query("BEGIN");
  await query("SET LOCAL lock_timeout = '20s'");
  await query("SET LOCAL statement_timeout = '60s'");
  await query("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", [
    `tickwatch migrates ${schema}`,
  ]);
  const number = await numberOf(query, schema);
  if (number !== NEWEST_NUMBER) {
    // Who may not make schemas may still use one that is there.
    const there = await query("SELECT 1 FROM pg_namespace WHERE nspname = $1", [schema]);
    if (there.length === 0) await query(`CREATE SCHEMA "${schema}"`);
    for (const step of MIGRATIONS) if (step.number > (number ?? 0)) await query(step.sql);
    await query(
      "INSERT INTO meta VALUES (1, $1) ON CONFLICT (id) DO UPDATE SET number = excluded.number",
      [NEWEST_NUMBER],
    );
  }
  await query("COMMIT");
}
