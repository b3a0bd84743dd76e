import { afterAll, beforeAll, expect, it } from "vitest";
import { openPostgresStore } from "../../src/store/postgres/store.ts";
import { storeSuite } from "../store/store-suite.ts";
import { type Bouncer, hasBouncer, startBouncer } from "./support/bouncer.ts";
import { freshSchema, placeOf, postgresPlace } from "./support/place.ts";
import { describeWhole, type Server, startServer } from "./support/server.ts";

const isThere = hasBouncer();
if (!isThere) process.stderr.write("skipped: PgBouncer is missing (apt-get install pgbouncer)\n");
const describePooled = isThere || process.env.CI_PEERS === "1" ? describeWhole : describeWhole.skip;

describePooled("a PgBouncer before a real PostgreSQL", () => {
  let server: Server;
  let session: Bouncer;
  let transaction: Bouncer;
  beforeAll(async () => {
    server = await startServer();
    session = await startBouncer(server, "session");
    transaction = await startBouncer(server, "transaction");
  });
  afterAll(async () => {
    await session.close();
    await transaction.close();
    await server.close();
  });

  storeSuite("through a pooler in session mode", async () => postgresPlace(server, session.port));

  it("refuses a pooler in transaction mode, and leaves the schema as it was", async () => {
    const schema = freshSchema();
    const place = placeOf(server.url(schema, { port: transaction.port }));
    for (let tries = 0; tries < 3; tries += 1) {
      await expect(openPostgresStore(place)).rejects.toMatchObject({
        reason: "unwritable",
        message: expect.stringMatching(/set its pool mode to session/),
      });
    }
    const { rows } = await server.sql(`SELECT 1 FROM pg_namespace WHERE nspname = '${schema}'`);
    expect(rows).toEqual([]);
  });
});
