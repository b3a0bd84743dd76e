import { type PostgresPlace, targetOf } from "../../base/postgres-url.ts";
import { storeFailure } from "./failure.ts";
import { leaseKey } from "./lease.ts";
import { numberOf } from "./schema.ts";
import { connect } from "./session.ts";

/** What can be seen of a PostgreSQL store beside a daemon or without one. */
export interface ServerView {
  readonly version: string;
  /** Or it does not leave this machine. */
  readonly encrypted: boolean;
  /** The number of its schema; null: it has no tables yet. */
  readonly number: number | null;
  /** A daemon holds it now, or several do. */
  readonly inUse: boolean;
  /** The role may make the tables, or they are there. */
  readonly mayMake: boolean;
  /** Of its tables with their indexes. */
  readonly bytes: number;
}

/** Connects, looks and changes nothing. Throws StoreError. */
export async function readServer(place: PostgresPlace): Promise<ServerView> {
  const { schema } = place;
  const target = targetOf(place);
  try {
    const session = await connect(target);
    try {
      const [seen] = await session.query<Omit<ServerView, "number" | "inUse">>(
        `SELECT current_setting('server_version') AS version,
           coalesce((SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()), false) AS encrypted,
           (SELECT coalesce(sum(pg_total_relation_size(pg_class.oid)), 0) FROM pg_class
            JOIN pg_namespace ON pg_namespace.oid = relnamespace
            WHERE nspname = $1 AND relkind IN ('r', 'm')) AS bytes,
           coalesce((SELECT has_schema_privilege(oid, 'CREATE') AND has_schema_privilege(oid, 'USAGE')
             FROM pg_namespace WHERE nspname = $1),
             has_database_privilege(current_database(), 'CREATE')) AS "mayMake"`,
        [schema],
      );
      // Who looks takes no lock. The two halves of its number are apart in the list of all locks.
      const [held] = await session.query<{ isHeld: boolean }>(
        `SELECT EXISTS (SELECT 1 FROM pg_locks, hashtextextended($1, 0) AS key
           WHERE locktype = 'advisory' AND granted AND objsubid = 1
             AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
             AND classid::bigint = (key >> 32) & 4294967295
             AND objid::bigint = key & 4294967295) AS "isHeld"`,
        [leaseKey(schema)],
      );
      if (seen === undefined) throw new Error("the server said nothing");
      const number = await numberOf((...asked) => session.query(...asked), schema);
      // What stays on this machine is as good as encrypted.
      const encrypted = seen.encrypted || (target.tls === "none" && !target.isOpen);
      const mayMake = number !== null || seen.mayMake;
      return { ...seen, encrypted, number, mayMake, inUse: held?.isHeld === true };
    } finally {
      await session.end();
    }
  } catch (error) {
    throw storeFailure(error, `the PostgreSQL schema ${schema}`);
  }
}
