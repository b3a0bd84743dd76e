import { insert } from "../postgres/rows.ts";
import { dayOf } from "../postgres/runs.ts";
import type { Session } from "../postgres/session.ts";
import type { Source, Table, Target, Value } from "./tables.ts";

const PAGE = 5_000;

/** The types of a table's columns, such as `bigint`, by their names. */
async function typesOf(
  session: Session,
  { name, columns }: Table,
): Promise<Record<string, string>> {
  const rows = await session.query<{ name: string; type: string }>(
    `SELECT attname AS name, format_type(atttypid, atttypmod) AS type FROM pg_attribute
     WHERE attrelid = $1::regclass AND attnum > 0`,
    [name],
  );
  const types = new Map(rows.map((row) => [row.name, row.type]));
  return Object.fromEntries(columns.map((column) => [column, types.get(column) ?? "text"]));
}

/** Reads a schema inside a transaction of the session, which holds one moment of it. */
export function postgresSource(session: Session): Source {
  return {
    async *read({ name, columns }) {
      const order = name === "runs" ? "ORDER BY series, first" : "";
      const list = columns.map((column) => `"${column}"`).join(", ");
      await session.query(`DECLARE page CURSOR FOR SELECT ${list} FROM ${name} ${order}`);
      for (;;) {
        const rows = await session.query<Record<string, Value>>(`FETCH ${PAGE} FROM page`);
        if (rows.length > 0) yield rows.map((row) => columns.map((column) => row[column] ?? null));
        if (rows.length < PAGE) break;
      }
      await session.query("CLOSE page");
    },
  };
}

/** Fills an empty schema inside a transaction of the session. */
export function postgresTarget(session: Session): Target {
  const types = new Map<string, Record<string, string>>();
  const days = new Set<number>();
  return {
    ...postgresSource(session),
    async write(table, rows) {
      const columns = types.get(table.name) ?? (await typesOf(session, table));
      types.set(table.name, columns);
      if (table.name === "runs") {
        for (const day of new Set(rows.map((row) => dayOf(Number(row[1]))))) {
          if (!days.has(day)) await session.query("SELECT add_day_of_runs($1)", [day]);
          days.add(day);
        }
      }
      await insert(session, { table: table.name, columns }, rows);
    },
    async finish() {
      // The next number of each column that counts on.
      await session.query(`DO $body$
        DECLARE counted record; highest bigint;
        BEGIN
          FOR counted IN SELECT relname, attname FROM pg_attribute
            JOIN pg_class ON pg_class.oid = attrelid
            WHERE attidentity <> '' AND relnamespace = current_schema()::regnamespace
          LOOP
            EXECUTE format('SELECT max(%I) FROM %I', counted.attname, counted.relname) INTO highest;
            PERFORM setval(pg_get_serial_sequence(counted.relname, counted.attname),
              coalesce(highest, 0) + 1, false);
          END LOOP;
        END $body$`);
    },
  };
}
