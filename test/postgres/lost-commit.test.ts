import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { message } from "../store/store-suite.ts";
import { changeOf, hasSteps, openFailing } from "./support/failing-store.ts";
import { freshSchema, placeOf } from "./support/place.ts";
import { type CommitFate, startRelay } from "./support/relay.ts";
import { describeWhole, type Server, startServer } from "./support/server.ts";

describeWhole("a commit whose answer does not come", () => {
  let server: Server;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server.close());

  async function setUp() {
    const relay = await startRelay(server.port);
    onTestFinished(() => relay.close());
    const place = placeOf(server.url(freshSchema(), { port: relay.port }));
    return { relay, ...(await openFailing(place)) };
  }

  const FATES: readonly CommitFate[] = ["lost", "unsent"];

  it.each(FATES)("is settled at once where the server can be asked: %s", async (fate) => {
    const { relay, store, heard } = await setUp();
    await store.commit(changeOf(1));
    for (const step of [2, 3, 4]) {
      const spoilt = relay.spoil(fate);
      await store.commit(changeOf(step));
      await spoilt;
    }
    expect(heard).toEqual([]);
    await hasSteps(store, [1, 2, 3, 4]);
  });

  it("is settled where every second one of many is lost, in either way", async () => {
    const { relay, store, heard } = await setUp();
    const steps = Array.from({ length: 40 }, (_, at) => at + 1);
    for (const step of steps) {
      const fate = FATES[step % 4];
      const spoilt = fate === undefined ? null : relay.spoil(fate);
      await store.commit(changeOf(step));
      await spoilt;
    }
    expect(heard).toEqual([]);
    await hasSteps(store, steps);
  });

  it.each(FATES)("is settled of a message and of what came of it: %s", async (fate) => {
    const { relay, store } = await setUp();
    for (const step of [1, 2, 3]) await store.commit(changeOf(step));
    const frozen = relay.spoil(fate);
    await store.freeze(message("m1", ["n1", "n2"]), 5);
    await frozen;
    expect(await store.claim("lp", 6)).toMatchObject({ kind: "message", message: { id: "m1" } });
    const waiting = relay.spoil(fate);
    await store.settle("m1", { status: "waiting", at: 6, until: 7, error: "503" });
    await waiting;
    // Counted once: the second send is under way.
    expect(await store.claim("lp", 7)).toMatchObject({ message: { id: "m1", attempts: 2 } });
    const sent = relay.spoil(fate);
    await store.settle("m1", { status: "sent", at: 8 });
    await sent;
    await hasSteps(store, [1, 2, 3], [3]);
  });

  it.each(FATES)("is settled later where the server is gone as well: %s", async (fate) => {
    const { relay, place, store, heard, mended } = await setUp();
    await store.commit(changeOf(1));
    const spoilt = relay.spoil(fate).then(() => relay.cut());
    await store.commit(changeOf(2));
    await spoilt;
    expect(heard).toEqual([expect.stringMatching(/^cannot use the PostgreSQL schema /)]);
    // It is sent from memory all the same, and once.
    expect(await store.claim("lp", 3)).toMatchObject({ notices: [{ id: "n2" }] });
    await store.freeze(message("m2", ["n2"]), 3);
    await store.settle("m2", { status: "sent", at: 4 });
    await store.commit(changeOf(3));
    const { rows } = await server.sql(`SELECT id FROM ${place.schema}.notices ORDER BY id`);
    expect(rows).toEqual([{ id: "n1" }, ...(fate === "lost" ? [{ id: "n2" }] : [])]);
    relay.mend();
    await mended();
    await store.commit(changeOf(4));
    await hasSteps(store, [1, 2, 3, 4], [1, 3, 4]);
  });
});
