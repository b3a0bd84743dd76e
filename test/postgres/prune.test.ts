import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { openPostgresStore } from "../../src/store/postgres/store.ts";
import { changeOf } from "./support/failing-store.ts";
import { freshSchema, placeOf } from "./support/place.ts";
import { describeWhole, type Server, startServer } from "./support/server.ts";

const DAY_MS = 86_400_000;

describeWhole("pruning a PostgreSQL that somebody reads", () => {
  let server: Server;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server.close());

  /** A store whose runs of the first day have all ended; the newest began on day `newest`. */
  async function setUp(newest: number) {
    const schema = freshSchema();
    const store = await openPostgresStore(placeOf(server.url(schema)));
    onTestFinished(() => store.close());
    for (const step of [1, 2, newest * DAY_MS + 3]) await store.commit(changeOf(step));
    const days = async (): Promise<number[]> => {
      const { rows } = await server.sql(`SELECT day FROM ${schema}.days_of_runs ORDER BY day`);
      return rows.map(({ day }) => Number(day)).filter((day) => day < 10);
    };
    return { schema, store, days };
  }

  it("holds nobody up: what cannot be dropped while a backup runs is dropped with the next pruning", async () => {
    const { schema, store, days } = await setUp(3);
    const backup = await server.admin();
    onTestFinished(() => backup.end());
    await backup.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
    await backup.query(`SELECT count(*) FROM ${schema}.runs`);
    const onlooker = await server.admin();
    onTestFinished(() => onlooker.end());
    const over = new AbortController();
    const pruned = store.prune(2 * DAY_MS).finally(() => over.abort());
    // Whoever waits for a lock on the runs keeps all commits waiting behind it.
    let waiting = 0;
    while (!over.signal.aborted) {
      const { rows } = await onlooker.query(
        "SELECT pid FROM pg_locks WHERE NOT granted AND locktype = 'relation'",
      );
      waiting += rows.length;
    }
    await pruned;
    expect(waiting).toBe(0);
    expect(await days()).toContain(0);
    await backup.query("COMMIT");
    await store.prune(2 * DAY_MS);
    expect(await days()).not.toContain(0);
    expect((await store.window([1], 0)).get(1)).toMatchObject([{ first: 3 * DAY_MS + 3 }]);
  });

  it("drops a day on which a run began that still goes on, and keeps that run when it ends", async () => {
    const { store, days } = await setUp(0);
    const going = { series: 1, first: 3, last: 5 * DAY_MS, value: "3" };
    await store.commit({ ...changeOf(4), runs: [going], notices: [] });
    await store.prune(4 * DAY_MS);
    expect(await days()).not.toContain(0);
    await store.commit({ ...changeOf(5 * DAY_MS + 1), notices: [] });
    await store.prune(4 * DAY_MS);
    expect(await days()).toContain(0);
    expect((await store.window([1], 0)).get(1)).toMatchObject([going, { first: 5 * DAY_MS + 1 }]);
  });
});
