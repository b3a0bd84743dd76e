import { setTimeout as delay } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, expect, it, vi } from "vitest";
import { readCluster } from "../../src/cluster/members-view.ts";
import { NO_CHANGE } from "../../src/model/index.ts";
import { openPostgresStore } from "../../src/store/postgres/store.ts";
import { makeAlert } from "../support/nouns.ts";
import { until as eventually } from "../support/until.ts";
import { LEASE_MS, memberWorld } from "./support/member-world.ts";
import { freshSchema, placeOf } from "./support/place.ts";
import { type Relay, startRelay } from "./support/relay.ts";
import { describeWhole, type Server, startServer } from "./support/server.ts";

describeWhole("daemons of a cluster", () => {
  let server: Server;
  const { join, share, until, close } = memberWorld(() => server);
  const relays: Relay[] = [];
  beforeAll(async () => {
    server = await startServer();
  });
  afterEach(async () => {
    await Promise.all(relays.splice(0).map((one) => one.close()));
    await close();
  });
  afterAll(() => server.close());

  it("share all of the work, and none of it twice", async () => {
    const schema = freshSchema();
    const one = await share(schema, "one");
    await until(() => one.slots().length === 256);
    expect([...one.seat.holding.keys()]).toEqual(
      expect.arrayContaining(["keeper", "channel:slack"]),
    );
    const other = await share(schema, "other");
    await until(() => other.slots().length > 100 && one.slots().length < 150);
    const third = await share(schema, "third");
    await until(() => third.slots().length > 70 && one.slots().length + other.slots().length < 190);
    const all = [one, other, third];
    await until(() => all.reduce((sum, { slots }) => sum + slots().length, 0) === 256);
    expect(new Set(all.flatMap(({ slots }) => slots())).size).toBe(256);
    expect(all.flatMap(({ seat }) => seat.lost)).toEqual([]);
    // What one leaves goes to the others at once.
    await other.sharing.stop();
    await other.member.leave();
    await until(() => one.slots().length + third.slots().length === 256);
    expect([one.buried, third.buried]).toEqual([[], []]);
  });

  it("give more of the work to one of more weight", async () => {
    const schema = freshSchema();
    const one = await share(schema, "one");
    const strong = await share(schema, "strong", { weight: 3 });
    // A quarter of it is the other one's, but for a tenth more that each may have.
    const most = Math.ceil(256 * (3 / 4) * 1.1);
    await until(() => {
      const [weak, much] = [one.slots().length, strong.slots().length];
      return weak + much === 256 && much > 256 * (3 / 4) - 20 && much <= most;
    });
    expect(new Set([...one.slots(), ...strong.slots()]).size).toBe(256);
  });

  it("bury one that is cut off; it goes on meanwhile, and stops when it hears of it", async () => {
    const schema = freshSchema();
    const relay = await startRelay(server.port);
    relays.push(relay);
    const one = await share(schema, "one", { port: relay.port });
    await until(() => one.slots().length === 256);
    const other = await share(schema, "other");
    await until(
      () => one.slots().length + other.slots().length === 256 && one.slots().length < 200,
    );
    const store = await one.store();
    await store.commit(NO_CHANGE);
    let buried = false;
    one.member.onBuried(() => {
      buried = true;
    });
    relay.cut();
    await until(() => other.slots().length === 256);
    expect(other.buried).toEqual(["one"]);
    // Nobody can tell it: what it finds must be told by somebody.
    await one.member.mayWork();
    expect(buried).toBe(false);
    // What it decides is kept out by the database, though this way to it is open.
    await expect(store.commit(NO_CHANGE)).rejects.toMatchObject({ reason: "fenced" });
    relay.mend();
    await new Promise<void>((resolve) => {
      one.member.onBuried(resolve);
    });
    await expect(one.member.mayWork()).rejects.toMatchObject({ reason: "fenced" });
    await store.close();
    // It is one of them again, as if it had just come.
    await one.sharing.stop();
    expect(await one.member.rejoin()).toBe(true);
    await one.member.mayWork();
  });

  it("join anew, also where the connection broke that said that they were buried", async () => {
    const schema = freshSchema();
    const relay = await startRelay(server.port);
    relays.push(relay);
    const one = await share(schema, "one", { port: relay.port });
    await until(() => one.slots().length === 256);
    const other = await share(schema, "other");
    relay.cut();
    await until(() => other.slots().length === 256);
    relay.mend();
    await new Promise<void>((resolve) => {
      one.member.onBuried(resolve);
    });
    relay.cut();
    expect(await one.member.rejoin()).toBe(false);
    relay.mend();
    expect(await one.member.rejoin()).toBe(true);
    expect(one.member.isBuried).toBe(false);
  });

  it("wait while they are cut off, where the configuration says so", async () => {
    const schema = freshSchema();
    const relay = await startRelay(server.port);
    relays.push(relay);
    const one = await join(schema, "one", { port: relay.port, onOutage: "suspend" });
    await one.mayWork();
    relay.cut();
    await delay(LEASE_MS);
    let isOver = false;
    const waiting = one.mayWork().then(() => {
      isOver = true;
    });
    await delay(2 * LEASE_MS);
    expect(isOver).toBe(false);
    relay.mend();
    await waiting;
  });

  it("stay as they are when the server restarts", async () => {
    const schema = freshSchema();
    const one = await share(schema, "one");
    const other = await share(schema, "other");
    await until(() => one.slots().length > 100 && other.slots().length > 100);
    await until(() => one.slots().length + other.slots().length === 256);
    const before = one.slots();
    await server.stop();
    await delay(2 * LEASE_MS);
    await server.start();
    await delay(3 * LEASE_MS);
    await one.member.mayWork();
    expect(one.slots()).toEqual(before);
    expect([one.buried, other.buried]).toEqual([[], []]);
  });

  it("go over to a new configuration once all can decide by it, and keep what they hold", async () => {
    const schema = freshSchema();
    const one = await share(schema, "one", { hash: "old" });
    const other = await share(schema, "other", { hash: "old" });
    await until(() => one.slots().length > 100 && other.slots().length > 100);
    await until(() => one.slots().length + other.slots().length === 256);
    const before = [one.slots(), other.slots()];
    one.seat.can.add("new");
    await one.sharing.propose({ hash: "new", text: null });
    await delay(LEASE_MS);
    expect([one.seat.hash, other.seat.hash]).toEqual(["old", "old"]);
    expect(one.sharing.waitsFor).toEqual(["other"]);
    expect([one.slots(), other.slots()]).toEqual(before);
    // It has the new one as well.
    other.seat.can.add("new");
    await other.sharing.propose({ hash: "new", text: null });
    await until(() => one.seat.hash === "new" && other.seat.hash === "new");
    expect([one.slots(), other.slots()]).toEqual(before);
    // One that goes back to the old one means it, and all have it.
    await one.sharing.propose({ hash: "old", text: null });
    await until(() => one.seat.hash === "old" && other.seat.hash === "old");
    expect([one.slots(), other.slots()]).toEqual(before);
  });

  it("go on by the one before while one of them cannot decide by the newest, also when another one dies", async () => {
    const schema = freshSchema();
    const one = await share(schema, "one", { hash: "old" });
    const other = await share(schema, "other", { hash: "old" });
    await until(
      () => one.slots().length + other.slots().length === 256 && one.slots().length < 200,
    );
    const third = await share(schema, "third", { hash: "new" });
    await until(() => third.sharing.why !== null);
    expect(third.sharing.why).toContain("waits for");
    await other.sharing.stop();
    await other.member.leave();
    await until(() => one.slots().length === 256);
    expect([one.seat.hash, third.slots()]).toEqual(["old", []]);
    // Nobody decides by the one before any more.
    await one.sharing.stop();
    await one.member.leave();
    await until(() => third.slots().length === 256);
  });

  it("go over to a new configuration whatever its number, and know what was in force before", async () => {
    const schema = freshSchema();
    const one = await share(schema, "one", { hash: "old" });
    const other = await share(schema, "other", { hash: "old" });
    await until(() => one.slots().length > 100 && other.slots().length > 100);
    // A server that crashed, or a standby that became the primary, counts on later.
    await server.sql(`SELECT setval(pg_get_serial_sequence('${schema}.configs', 'number'), 100)`);
    // Many that one of them cannot decide by come before the one that goes into force.
    for (let count = 0; count < 12; count += 1) {
      one.seat.can.add(`mistaken ${count}`);
      await one.sharing.propose({ hash: `mistaken ${count}`, text: `files ${count}` });
    }
    for (const { seat } of [one, other]) seat.can.add("new");
    const files = { hash: "new", text: null };
    await Promise.all([one, other].map(({ sharing }) => sharing.propose(files)));
    await until(() => one.seat.hash === "new" && other.seat.hash === "new");
    expect(new Set([...one.seat.waitedFor, ...other.seat.waitedFor])).toEqual(new Set(["old"]));
  });

  it("go over to a new configuration though the connection breaks in what they say of it", async () => {
    const schema = freshSchema();
    const one = await share(schema, "one", { hash: "old" });
    const other = await share(schema, "other", { hash: "old" });
    await until(() => one.slots().length > 100 && other.slots().length > 100);
    const registers = vi.spyOn(one.member, "register").mockResolvedValueOnce(false);
    const shows = [one, other].map(({ member }) =>
      vi.spyOn(member, "show").mockResolvedValueOnce(false),
    );
    for (const { seat } of [one, other]) seat.can.add("new");
    await one.sharing.propose({ hash: "new", text: null });
    await until(() => one.seat.hash === "new" && other.seat.hash === "new");
    // One goes back to what all have had.
    registers.mockResolvedValueOnce(false);
    await one.sharing.propose({ hash: "old", text: null });
    await until(() => one.seat.hash === "old" && other.seat.hash === "old");
    for (const spy of shows) expect(spy.mock.calls.length).toBeGreaterThan(1);
    for (const spy of [registers, ...shows]) spy.mockRestore();
  });

  it("say how far the clock of their machine is off", async () => {
    const real = Date.now.bind(Date);
    const hour = 3_600_000;
    const clock = vi.spyOn(Date, "now").mockImplementation(() => real() + hour);
    try {
      const schema = freshSchema();
      await share(schema, "ahead");
      const shown = async (): Promise<number | undefined> =>
        (await readCluster(placeOf(server.url(schema)))).members[0]?.clockMs;
      await eventually(async () => (await shown()) !== 0);
      expect(await shown()).toBe(hour);
      clock.mockRestore();
      await eventually(async () => (await shown()) !== hour);
      expect(await shown()).toBe(0);
    } finally {
      clock.mockRestore();
    }
  });

  it("keep the files that are in force, however many wait to be", async () => {
    const schema = freshSchema();
    const one = await share(schema, "one", { hash: "old", text: "files in force" });
    await until(() => one.slots().length === 256);
    const other = await share(schema, "other", { hash: "old" });
    await until(() => one.sharing.others === 1);
    for (let count = 0; count < 12; count += 1) {
      one.seat.can.add(`mistaken ${count}`);
      await one.sharing.propose({ hash: `mistaken ${count}`, text: `files ${count}` });
    }
    const view = await other.member.look("old", () => {});
    const force = view?.configs.find(({ isBegun }) => isBegun);
    expect(force?.hash).toBe("old");
    expect(await other.member.files(force?.number ?? 0)).toBe("files in force");
  });

  it("wait with older files, which nobody can mend from afar, and share the work once they are edited", async () => {
    const schema = freshSchema();
    const one = await share(schema, "one", { hash: "old" });
    await until(() => one.slots().length === 256);
    one.seat.can.add("new");
    await one.sharing.propose({ hash: "new", text: null });
    await until(() => one.seat.hash === "new");
    const other = await share(schema, "other", { hash: "old" });
    await until(() => other.sharing.why !== null);
    expect(other.sharing.why).toBe("older configuration");
    other.seat.can.add("new");
    await other.sharing.propose({ hash: "new", text: null });
    await until(() => other.slots().length > 100 && other.seat.hash === "new");
  });

  it("go on by an older configuration once nobody has the newest any more", async () => {
    const schema = freshSchema();
    const one = await share(schema, "one", { hash: "old" });
    await until(() => one.slots().length === 256);
    one.seat.can.add("new");
    await one.sharing.propose({ hash: "new", text: null });
    await until(() => one.seat.hash === "new");
    const other = await share(schema, "other", { hash: "old" });
    await until(() => other.sharing.why !== null);
    await one.sharing.stop();
    await one.member.leave();
    expect(other.slots()).toEqual([]);
    await until(() => other.slots().length === 256);
    expect(other.seat.hash).toBe("old");
  });

  it("count how many alerts of a rule all of them have written", async () => {
    const one = await share(freshSchema(), "one");
    await until(() => one.slots().length === 256);
    const store = await one.store();
    const alerts = ["a", "b"].map((subject) => makeAlert({ rule: "low", subject }));
    await store.commit({ ...NO_CHANGE, alerts });
    expect(await store.alertCounts?.(["low", "high"])).toEqual(new Map([["low", 2]]));
    await store.close();
  });

  it("share a schema with nobody who runs alone", async () => {
    const schema = freshSchema();
    const place = placeOf(server.url(schema));
    const alone = await openPostgresStore(place);
    await expect(join(schema, "one")).rejects.toMatchObject({ reason: "leased" });
    await alone.close();
    await join(schema, "one");
    await expect(openPostgresStore(place)).rejects.toMatchObject({ reason: "leased" });
  });

  it("go by the server's clock", async () => {
    const one = await join(freshSchema(), "one");
    expect(Math.abs(one.now() - Date.now())).toBeLessThan(1_000);
  });
});
