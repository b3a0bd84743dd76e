import { setTimeout as delay } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { createLogger } from "../../src/base/log.ts";
import { Member } from "../../src/cluster/member.ts";
import { memberStore } from "../../src/cluster/member-store.ts";
import { NO_CHANGE } from "../../src/model/index.ts";
import { openPostgresStore } from "../../src/store/postgres/store.ts";
import { freshSchema, placeOf } from "./support/place.ts";
import { type Relay, startRelay } from "./support/relay.ts";
import { describeWhole, type Server, startServer } from "./support/server.ts";

const LEASE_MS = 1_500;
const log = createLogger({
  level: "silent",
  stream: { write: () => true },
  pretty: false,
  secrets: [],
});
const NEVER = new AbortController().signal;

describeWhole("daemons of a cluster", () => {
  let server: Server;
  const members: Member[] = [];
  const relays: Relay[] = [];
  beforeAll(async () => {
    server = await startServer();
  });
  afterEach(async () => {
    await Promise.all(relays.splice(0).map((one) => one.close()));
    await Promise.all(members.splice(0).map((one) => one.leave()));
  });
  afterAll(() => server.close());

  async function join(
    schema: string,
    name: string,
    { port, onOutage = "continue" }: { port?: number; onOutage?: "continue" | "suspend" } = {},
  ): Promise<Member> {
    const member = await Member.join({
      place: placeOf(server.url(schema, port === undefined ? {} : { port })),
      cluster: { name, onOutage },
      version: "1",
      config: () => "same",
      log,
      leaseMs: LEASE_MS,
    });
    members.push(member);
    return member;
  }

  it("work one at a time, and the next one takes over as soon as one leaves", async () => {
    const schema = freshSchema();
    const one = await join(schema, "one");
    const other = await join(schema, "other");
    expect(await one.takeOver(NEVER)).toEqual({ fence: 1, from: null });
    let second: Awaited<ReturnType<Member["takeOver"]>> = null;
    const waiting = other.takeOver(NEVER).then((taken) => {
      second = taken;
    });
    await delay(3 * LEASE_MS);
    expect(second).toBeNull();
    await one.leave();
    await waiting;
    expect(second).toEqual({ fence: 2, from: null });
  });

  it("bury one that is cut off; it goes on meanwhile, and stops when it hears of it", async () => {
    const schema = freshSchema();
    const relay = await startRelay(server.port);
    relays.push(relay);
    const one = await join(schema, "one", { port: relay.port });
    const other = await join(schema, "other");
    const taken = await one.takeOver(NEVER);
    const place = placeOf(server.url(schema));
    const store = memberStore(await openPostgresStore(place, taken?.fence), () => one.mayWork());
    await store.commit(NO_CHANGE);
    let buried = false;
    one.onBuried(() => {
      buried = true;
    });
    relay.cut();
    const next = await other.takeOver(NEVER);
    expect(next).toEqual({ fence: 2, from: "one" });
    // Nobody can tell it: what it finds must be told by somebody.
    await one.mayWork();
    expect(buried).toBe(false);
    // What it decides is kept out by the database, though this way to it is open.
    await expect(store.commit(NO_CHANGE)).rejects.toMatchObject({ reason: "fenced" });
    relay.mend();
    await new Promise<void>((resolve) => {
      one.onBuried(resolve);
    });
    await expect(one.mayWork()).rejects.toMatchObject({ reason: "fenced" });
    await store.close();
    // It waits for its turn as if it had just come.
    const again = one.takeOver(NEVER);
    await other.leave();
    expect(await again).toEqual({ fence: 3, from: null });
    await one.mayWork();
  });

  it("do not name themselves when they come back after a crash", async () => {
    const schema = freshSchema();
    const relay = await startRelay(server.port);
    relays.push(relay);
    const one = await join(schema, "one", { port: relay.port });
    await one.takeOver(NEVER);
    relay.cut();
    const again = await join(schema, "one");
    expect(await again.takeOver(NEVER)).toEqual({ fence: 2, from: null });
  });

  it("wait while they are cut off, where the configuration says so", async () => {
    const schema = freshSchema();
    const relay = await startRelay(server.port);
    relays.push(relay);
    const one = await join(schema, "one", { port: relay.port, onOutage: "suspend" });
    await one.takeOver(NEVER);
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
    const one = await join(schema, "one");
    const other = await join(schema, "other");
    await one.takeOver(NEVER);
    const stop = new AbortController();
    const waiting = other.takeOver(stop.signal);
    await delay(2 * LEASE_MS);
    await server.stop();
    await delay(2 * LEASE_MS);
    await server.start();
    await delay(3 * LEASE_MS);
    await one.mayWork();
    stop.abort();
    expect(await waiting).toBeNull();
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
