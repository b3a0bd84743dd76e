import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { targetOf } from "../../src/base/postgres-url.ts";
import { addLeases, release, take } from "../../src/cluster/leases.ts";
import { type Change, NO_CHANGE } from "../../src/model/index.ts";
import { KEEPER } from "../../src/store/postgres/member-access.ts";
import { connect } from "../../src/store/postgres/session.ts";
import { openPostgresStore } from "../../src/store/postgres/store.ts";
import { alert, message, notice } from "../store/store-suite.ts";
import { freshSchema, placeOf } from "./support/place.ts";
import { describeWhole, type Server, startServer } from "./support/server.ts";

const FENCED = { reason: "fenced" };
const LEASES = ["s001", "s002", KEEPER, "channel:lp", "channel:mail"];

const changeOf = (since: number): Change => ({
  ...NO_CHANGE,
  alerts: [alert("tvl-drop", "s", { since })],
});

describeWhole("the store of a daemon that shares the work", () => {
  let server: Server;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server.close());

  async function cluster() {
    const schema = freshSchema();
    const place = placeOf(server.url(schema));
    await (await openPostgresStore(place)).close();
    const session = await connect(targetOf(place));
    onTestFinished(() => session.end());
    await addLeases(session, LEASES);
    /** A daemon with these leases. */
    const join = async (...names: readonly string[]) => {
      const id = randomUUID();
      await session.run(
        `INSERT INTO members (id, name, version, config, until)
         VALUES ($1, 'one', '1', '', now() + interval '1 hour')`,
        [id],
      );
      let held: ReadonlyMap<string, number> = new Map();
      const store = await openPostgresStore(place, { id, held: () => held });
      onTestFinished(() => store.close());
      const its = {
        id,
        store,
        /** It knows what it has got. */
        async takes(...given: readonly string[]) {
          await take(session, id, 1, given);
          const rows = await session.query<{ name: string; epoch: number }>(
            "SELECT name, epoch FROM leases WHERE owner = $1",
            [id],
          );
          held = new Map(rows.map(({ name, epoch }) => [name, epoch]));
        },
        /** The others count it as dead, of which it does not hear. */
        dies: () => session.run("UPDATE members SET dead = true WHERE id = $1", [id]),
      };
      await its.takes(...names);
      return its;
    };
    const toldTo = (...channels: readonly string[]) => ({
      ...NO_CHANGE,
      notices: [{ notice: notice("n1"), channels }],
    });
    return { schema, session, join, toldTo };
  }

  it("sends what one that died had begun to send, as the same message, and the dead one no more", async () => {
    const { join, toldTo } = await cluster();
    const dead = await join("s001", "channel:lp");
    await dead.store.commit(toldTo("lp"));
    await dead.store.freeze(message("m1", ["n1"]), 5);
    await dead.dies();
    const next = await join("s002");
    expect(await next.store.claim("lp", 6)).toEqual({ kind: "idle", until: null });
    await next.takes("channel:lp");
    expect(await next.store.claim("lp", 6)).toMatchObject({
      message: { id: "m1", notices: ["n1"], attempts: 1 },
    });
    const waits = { status: "waiting", at: 6, until: 50, error: "503" } as const;
    await expect(dead.store.settle("m1", waits)).rejects.toMatchObject(FENCED);
    await expect(dead.store.freeze(message("m2", ["n1"]), 7)).rejects.toMatchObject(FENCED);
    await expect(dead.store.wake("lp")).rejects.toMatchObject(FENCED);
    expect(await next.store.claim("lp", 8)).toMatchObject({ message: { id: "m1", attempts: 1 } });
    await next.store.settle("m1", { status: "sent", at: 9 });
    expect(await next.store.claim("lp", 10)).toEqual({ kind: "idle", until: null });
  });

  it("lets be what is another one's to send", async () => {
    const { join, toldTo } = await cluster();
    const one = await join("s001", "channel:lp");
    const other = await join("s002", "channel:mail");
    await one.store.commit(toldTo("lp", "mail"));
    await other.store.freeze(message("m1", ["n1"], "mail"), 5);
    // What it sent from memory in the other one's place.
    await one.store.settle("m1", { status: "sent", at: 6 });
    await one.store.freeze(message("m2", ["n1"], "mail"), 6);
    await one.store.hold("mail", ["n1"], 900);
    expect(await one.store.claim("mail", 7)).toEqual({ kind: "idle", until: null });
    expect(await other.store.claim("mail", 7)).toMatchObject({ message: { id: "m1" } });
    await one.store.hold("lp", ["n1"], 900);
    expect(await one.store.held("lp", 900)).toHaveLength(1);
    expect(await other.store.held("lp", 900)).toEqual([]);
    const channels = async ({ store }: typeof one): Promise<readonly string[]> =>
      (await store.backlog()).notices.flatMap(({ owed }) => owed.map(({ channel }) => channel));
    expect([await channels(one), await channels(other)]).toEqual([["lp"], ["mail"]]);
  });

  it("writes nothing once another one has had a slot of its own, also if it has it again", async () => {
    const { session, join } = await cluster();
    const one = await join("s001", "s002");
    await one.store.commit(changeOf(1));
    await release(session, one.id, ["s002"]);
    await expect(one.store.commit(changeOf(2))).rejects.toMatchObject(FENCED);
    await expect(one.store.rewind([1], 0)).rejects.toMatchObject(FENCED);
    const other = await join("s002");
    await release(session, other.id, ["s002"]);
    await take(session, one.id, 1, ["s002"]);
    // It is its own again, but what the other one decided it does not know.
    await expect(one.store.commit(changeOf(3))).rejects.toMatchObject(FENCED);
    expect((await other.store.load()).alerts).toMatchObject([{ since: 1 }]);
    await one.takes();
    await one.store.commit(changeOf(4));
    expect((await other.store.load()).alerts).toMatchObject([{ since: 4 }]);
  });

  it("ends a commit before another one takes its slots", async () => {
    const { schema, session, join } = await cluster();
    const one = await join("s001");
    await one.store.commit(changeOf(1));
    const waiting = async (what: string): Promise<void> => {
      await expect
        .poll(async () => {
          const { rows } = await server.sql(
            `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%${what}%'`,
          );
          return rows.length;
        })
        .toBe(1);
    };
    // Its commit has looked whose the slot is, and is not over.
    const admin = await server.admin();
    onTestFinished(() => admin.end());
    await admin.query(`BEGIN; LOCK TABLE ${schema}.alerts IN ACCESS EXCLUSIVE MODE`);
    const committing = one.store.commit(changeOf(2));
    await waiting("INTO alerts");
    await one.dies();
    const next = randomUUID();
    await session.run(
      `INSERT INTO members (id, name, version, config, until)
       VALUES ($1, 'next', '1', '', now() + interval '1 hour')`,
      [next],
    );
    const taking = take(session, next, 1, ["s001"]);
    await waiting("FROM leases");
    await admin.query("COMMIT");
    await committing;
    expect(await taking).toBe(1);
    await expect(one.store.commit(changeOf(3))).rejects.toMatchObject(FENCED);
  });

  it("is pruned by one of them", async () => {
    const { join } = await cluster();
    const keeper = await join("s001", KEEPER);
    const other = await join("s002");
    const alertChanges = [1, 2].map((at) => {
      return { at, value: null, alert: alert("tvl-drop", "s", { since: at }) };
    });
    await keeper.store.commit({ ...changeOf(2), alertChanges });
    expect(await other.store.prune(Date.now())).toBe(0);
    expect(await keeper.store.prune(Date.now())).toBe(1);
  });
});
