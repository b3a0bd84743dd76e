import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { MIGRATIONS } from "../../src/store/postgres/schema.ts";
import { openPostgresStore } from "../../src/store/postgres/store.ts";
import { changeOf } from "./support/failing-store.ts";
import { freshSchema, placeOf } from "./support/place.ts";
import { describeWhole, type Server, startServer } from "./support/server.ts";

/** What somebody's schema was made with is never edited: a new migration gets its line here, and none of the old changes. */
const RELEASED: readonly (readonly [number: number, sha256: string])[] = [
  [1, "3ad3c8598024f0f11c396050c4f696f29f1f1b6e08c89137d26b8a6315c4fd72"],
  [2, "6366cde8b5fe3bf56713a0e5ec036630ed74e4bf385c498a2277de6e65560933"],
  [3, "19748840121fd26ee9a791128bf5afc38dcc7c052217590592da171dfdebd04c"],
  [4, "cbb9526f37a58c8b84d8b9dde75e7be6eecf54ea65b69432dcde0ab9504c28d0"],
  [5, "51bad39d0e800900665e875dea26ff1281b9313c3d5ff30d77cbe9c04308473e"],
  [6, "ef0c7c9d3a3bf637d886cfe098fd691a3cd70f10d183e6ae8fe9293b36258c36"],
];

describe("the migrations of PostgreSQL", () => {
  it("are never edited", () => {
    const hashes = MIGRATIONS.map(({ number, sql }) => [
      number,
      createHash("sha256").update(sql).digest("hex"),
    ]);
    expect(hashes).toEqual(RELEASED);
  });
});

describeWhole("a schema of an earlier number", () => {
  let server: Server;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server.close());

  /** Every table, column, index, function and view. */
  async function look(schema: string): Promise<unknown> {
    const { rows } = await server.sql(
      `SELECT what, name, replace(about, '${schema}', '') AS about FROM (
         SELECT 'column' AS what, table_name || '.' || column_name AS name,
           data_type || coalesce(column_default, '') || is_nullable AS about
         FROM information_schema.columns WHERE table_schema = '${schema}'
         UNION ALL SELECT 'index', indexname, indexdef FROM pg_indexes WHERE schemaname = '${schema}'
         UNION ALL SELECT 'function', proname, prosrc FROM pg_proc WHERE pronamespace = '${schema}'::regnamespace
         UNION ALL SELECT 'constraint', conname, pg_get_constraintdef(oid) FROM pg_constraint
           WHERE connamespace = '${schema}'::regnamespace
         UNION ALL SELECT 'storage', relname, reloptions::text FROM pg_class
           WHERE relnamespace = '${schema}'::regnamespace
       ) AS everything ORDER BY 1, 2, 3`,
    );
    return rows;
  }

  it("becomes what a new one is, and keeps what it holds", async () => {
    const [fresh, old] = [freshSchema(), freshSchema()];
    await (await openPostgresStore(placeOf(server.url(fresh)))).close();
    const [first] = MIGRATIONS;
    await server.sql(
      `CREATE SCHEMA ${old}; SET search_path = ${old}; ${first?.sql}; INSERT INTO meta VALUES (1, 1)`,
    );
    const store = await openPostgresStore(placeOf(server.url(old)));
    await store.commit(changeOf(Date.now()));
    await store.close();
    const place = placeOf(server.url(old));
    const again = await openPostgresStore(place);
    expect((await again.load()).alerts).toHaveLength(1);
    await again.close();
    expect(await look(old)).toEqual(await look(fresh));
  });
});
