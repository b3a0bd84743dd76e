import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { targetOf } from "../../src/base/postgres-url.ts";
import { begin, bringUp, enter, register, release, take } from "../../src/cluster/leases.ts";
import { connect, type Session } from "../../src/store/postgres/session.ts";
import { openPostgresStore } from "../../src/store/postgres/store.ts";
import { freshSchema, placeOf } from "./support/place.ts";
import { describeWhole, type Server, startServer } from "./support/server.ts";

const SLOT = "s017";

describeWhole("a slot that nobody has", () => {
  let server: Server;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server.close());

  /** Two daemons that are about to take the slot, which one that died still commits for. */
  async function contested() {
    const schema = freshSchema();
    const place = placeOf(server.url(schema));
    await (await openPostgresStore(place, { id: randomUUID(), held: () => new Map() })).close();
    const join = async (): Promise<{ readonly id: string; readonly session: Session }> => {
      const id = randomUUID();
      await server.sql(
        `INSERT INTO ${schema}.members (id, name, version, config, until)
         VALUES ('${id}', 'one', '1', '', now() + interval '1 minute')`,
      );
      const session = await connect(targetOf(place));
      onTestFinished(() => session.end());
      return { id, session };
    };
    const [dead, one, other] = [await join(), await join(), await join()];
    await take(dead.session, dead.id, 1, [SLOT]);
    const bury = ({ id }: { readonly id: string }) =>
      server.sql(`UPDATE ${schema}.members SET dead = true WHERE id = '${id}'`);
    await bury(dead);
    await dead.session.query("BEGIN");
    await dead.session.query("SELECT FROM leases WHERE name = $1 FOR SHARE", [SLOT]);
    const waits = async (count: number): Promise<void> => {
      for (;;) {
        const { rows } = await server.sql(
          `SELECT count(*)::integer AS waiting FROM pg_stat_activity
           WHERE wait_event_type = 'Lock' AND query LIKE '%leases%'`,
        );
        if (rows[0]?.waiting === count) return;
        await delay(20);
      }
    };
    const lease = async () => {
      const { rows } = await server.sql(
        `SELECT owner::text, epoch::integer, decides, config FROM ${schema}.leases WHERE name = '${SLOT}'`,
      );
      return rows[0];
    };
    return { dead, one, other, bury, waits, lease, commit: () => dead.session.query("COMMIT") };
  }

  it("is taken by one of two that want it at the same moment", async () => {
    const { one, other, waits, lease, commit } = await contested();
    const takes = [one, other].map(({ id, session }) => take(session, id, 1, [SLOT]));
    await waits(2);
    await commit();
    const taken = await Promise.all(takes);
    expect(new Set(taken)).toEqual(new Set([0, 1]));
    expect(await lease()).toMatchObject({
      owner: [one, other][taken.indexOf(1)]?.id,
      epoch: 2,
    });
  });

  it("is not taken by one that died while it waited for it", async () => {
    const { one, waits, lease, commit, bury } = await contested();
    const before = await lease();
    const taking = take(one.session, one.id, 1, [SLOT]);
    await waits(1);
    await bury(one);
    await commit();
    expect(await taking).toBe(0);
    expect(await lease()).toEqual(before);
  });

  it("is taken by nobody who decides by an older configuration than one that goes into force", async () => {
    const { one, other, lease, commit } = await contested();
    await commit();
    const before = await lease();
    await register(one.session, { hash: "old", files: null }, "one");
    await register(one.session, { hash: "new", files: null }, "one");
    // It waits to go into force as yet.
    await begin(one.session, 1);
    await one.session.query("BEGIN");
    await one.session.query("LOCK TABLE configs IN SHARE ROW EXCLUSIVE MODE");
    await one.session.query("UPDATE configs SET begun_at = now() WHERE number = 2");
    const late = take(other.session, other.id, 1, [SLOT]);
    await expect
      .poll(async () => {
        const { rows } = await server.sql(
          `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE 'LOCK TABLE%'`,
        );
        return rows.length;
      })
      .toBe(1);
    await one.session.query("COMMIT");
    expect(await late).toBe(0);
    expect(await lease()).toEqual(before);
    expect(await take(other.session, other.id, 2, [SLOT])).toBe(1);
  });

  it("is let be by one that had it, once another one has", async () => {
    const { dead, one, lease, commit } = await contested();
    await commit();
    await take(one.session, one.id, 1, [SLOT]);
    const before = await lease();
    await release(dead.session, dead.id, [SLOT]);
    await enter(dead.session, dead.id, [SLOT], 7);
    await bringUp(dead.session, dead.id, [SLOT], 7);
    expect(await lease()).toEqual(before);
    await enter(one.session, one.id, [SLOT], 7);
    await bringUp(one.session, one.id, [SLOT], 7);
    expect(await lease()).toMatchObject({ owner: one.id, decides: 7, config: 7 });
    await release(one.session, one.id, [SLOT]);
    expect(await lease()).toMatchObject({ owner: null });
  });
});
