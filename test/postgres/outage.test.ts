import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { setTimeout as delay, setImmediate as nextTurn } from "node:timers/promises";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { openPostgresStore } from "../../src/store/postgres/store.ts";
import { message } from "../store/store-suite.ts";
import { changeOf, hasSteps, openFailing } from "./support/failing-store.ts";
import { freshSchema, placeOf } from "./support/place.ts";
import { describeWhole, type Server, startServer } from "./support/server.ts";

describeWhole("a PostgreSQL that fails", () => {
  let server: Server;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server.close());

  const setUp = () => openFailing(placeOf(server.url(freshSchema())));

  it("is gone on without from memory, and has everything when it is back", async () => {
    const { store, clock, heard, mended } = await setUp();
    await store.commit(changeOf(1));
    await server.stop();
    await store.commit(changeOf(2));
    await store.commit(changeOf(3));
    expect(await store.claim("lp", 5)).toMatchObject({ notices: [{ id: "n2" }, { id: "n3" }] });
    expect((await store.window([1], 2)).get(1)).toMatchObject([{ first: 2 }, { first: 3 }]);
    await clock.advance(5_000);
    expect(heard).toEqual([
      expect.stringMatching(/^cannot use the PostgreSQL schema .*check the server/),
    ]);
    await server.start();
    await mended();
    await store.commit(changeOf(4));
    expect(heard.slice(1)).toEqual(["over"]);
    await hasSteps(store, [1, 2, 3, 4]);
  });

  it("is no outage where it was restarted or connections were cut between two commits", async () => {
    const { store, heard } = await setUp();
    await store.commit(changeOf(1));
    await server.stop();
    await server.start();
    await store.commit(changeOf(2));
    await server.cut();
    await store.commit(changeOf(3));
    await store.freeze(message("m1", ["n1"]), 1);
    await server.cut();
    await store.settle("m1", { status: "sent", at: 2 });
    expect(heard).toEqual([]);
    await hasSteps(store, [1, 2, 3], [2, 3]);
  });

  it("writes each change once while its connections are cut again and again", async () => {
    const { store, clock, heard, mended } = await setUp();
    const CUTS = 10;
    const over = new AbortController();
    const cutting = (async () => {
      for (let cuts = 0; cuts < CUTS; cuts += 1) {
        await server.cut();
        await delay(7);
      }
    })().finally(() => over.abort());
    // However fast the machine commits: as many as it takes, so that each cut falls among commits.
    const steps: number[] = [];
    while (!over.signal.aborted && steps.length < 5_000) {
      const step = steps.length + 1;
      steps.push(step);
      await store.commit(changeOf(step));
      if (step % 10 === 0) await clock.advance(5_000);
      await nextTurn();
    }
    await cutting;
    await mended();
    expect(heard.filter((line) => !/^(cannot use|over)/.test(line))).toEqual([]);
    await hasSteps(store, steps);
  });

  it("says that a statement was held up, and has it later", async () => {
    const { place, store, heard, mended } = await setUp();
    await store.commit(changeOf(1));
    const other = await server.admin();
    await other.query("BEGIN");
    await other.query(`LOCK TABLE ${place.schema}.alerts IN ACCESS EXCLUSIVE MODE`);
    await store.commit(changeOf(2));
    expect(heard).toEqual([expect.stringMatching(/something holds the server up/)]);
    await other.query("COMMIT");
    await other.end();
    await mended();
    await store.commit(changeOf(3));
    await hasSteps(store, [1, 2, 3]);
  });

  it("is used by one daemon at a time, and again right after one was killed", async () => {
    const { place, store, inner } = await setUp();
    await store.commit(changeOf(1));
    await expect(openPostgresStore(place)).rejects.toMatchObject({
      reason: "leased",
      message: expect.stringMatching(/in use by another tickwatch \(process \d+ on .*\): stop/),
    });
    // What the kernel does for a process that is killed.
    await server.cut();
    const next = await openPostgresStore(place);
    onTestFinished(() => next.close());
    await next.commit(changeOf(2));
    await expect(inner.commit(changeOf(3))).rejects.toMatchObject({ reason: "fenced" });
    await hasSteps(next, [1, 2]);
  });

  it("is refused where it is newer, holds something else, or the role may not", async () => {
    const place = placeOf(server.url(freshSchema()));
    await (await openPostgresStore(place)).close();
    await server.sql(`UPDATE ${place.schema}.meta SET number = 999`);
    await expect(openPostgresStore(place)).rejects.toMatchObject({ reason: "newer" });
    const foreign = freshSchema();
    await server.sql(`CREATE SCHEMA ${foreign}; CREATE TABLE ${foreign}.theirs (a int)`);
    await expect(openPostgresStore(placeOf(server.url(foreign)))).rejects.toMatchObject({
      reason: "corrupt",
    });
    await server.sql("CREATE ROLE nobody_much LOGIN");
    const url = server.url(freshSchema(), { user: "nobody_much" });
    await expect(openPostgresStore(placeOf(url))).rejects.toMatchObject({
      reason: "unwritable",
      message: expect.stringMatching(/permission denied.*docs\/postgres\.md/),
    });
  });

  it.each([
    ["alone", null],
    [
      "as one of a cluster",
      {
        id: randomUUID(),
        held: () =>
          new Map([
            ["keeper", 1],
            ["channel:lp", 1],
          ]),
      },
    ],
  ])(
    "runs %s with the rights that the documentation gives to a role that cannot change tables",
    async (_how, member) => {
      const schema = freshSchema();
      const role = `${schema}_run`;
      const before = await openPostgresStore(placeOf(server.url(schema)));
      await before.commit(changeOf(1));
      await before.close();
      await server.sql(`CREATE ROLE ${role} LOGIN; ${grantsFor(schema, role)}`);
      const store = await openPostgresStore(placeOf(server.url(schema, { user: role })), member);
      onTestFinished(() => store.close());
      await store.commit(changeOf(2));
      await store.commit(changeOf(3));
      expect(await store.prune(3)).toBeGreaterThan(0);
      await hasSteps(store, [3], [1, 2, 3]);
    },
  );
});

/** What docs/postgres.md says for the role that runs the daemon. */
function grantsFor(schema: string, role: string): string {
  const [, block = ""] =
    /```sql\n(GRANT [^`]+)```/.exec(readFileSync("docs/postgres.md", "utf8")) ?? [];
  return block
    .replaceAll("tickwatch_run", role)
    .replaceAll("SCHEMA tickwatch", `SCHEMA ${schema}`)
    .replaceAll("ROLE tickwatch", "ROLE CURRENT_USER");
}
