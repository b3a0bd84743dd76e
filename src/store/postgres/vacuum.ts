import { type PostgresPlace, storeName, targetOf } from "../../base/postgres-url.ts";
import { storeFailure, unusable } from "./failure.ts";
import { numberOf } from "./schema.ts";
import { connect } from "./session.ts";

/** One table may take long. */
const TABLE_MS = 3_600_000;

/**
 * Lets the server clean all tables of a schema up and look at what is in them (VACUUM, ANALYZE), which holds up no
 * daemon; resolves to the bytes of all tables with their indexes. Throws StoreError, also for a role that may not.
 */
export async function vacuum(place: PostgresPlace): Promise<number> {
  const where = storeName(place);
  try {
    const session = await connect(targetOf(place));
    try {
      const number = await numberOf((...asked) => session.query(...asked), place.schema);
      if (number === null) throw unusable(where, "it holds nothing yet");
      const tables = await session.query<{ name: string; mayBe: boolean }>(
        // A partition is done with its table.
        `SELECT quote_ident(relname) AS name, pg_has_role(relowner, 'USAGE') AS "mayBe" FROM pg_class
         WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p')
           AND NOT relispartition ORDER BY relname`,
      );
      // The server would only warn.
      if (tables.some(({ mayBe }) => !mayBe)) {
        throw unusable(where, "only the owner of its tables may do that: use the owner's URL");
      }
      await session.query(`SET statement_timeout = ${TABLE_MS}`);
      for (const { name } of tables) await session.query(`VACUUM (ANALYZE) ${name}`);
      const bytes = await session.value<number>(
        `SELECT coalesce(sum(pg_total_relation_size(oid)), 0) FROM pg_class
         WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'm')`,
      );
      return bytes ?? 0;
    } finally {
      await session.end();
    }
  } catch (error) {
    throw storeFailure(error, where);
  }
}
