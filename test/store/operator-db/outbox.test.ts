import { writeFile } from "node:fs/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { NO_CHANGE } from "../../../src/model/index.ts";
import { type OperatorDb, openOperatorDb } from "../../../src/store/operator-db/operator-db.ts";
import type { Store } from "../../../src/store/store.ts";
import { noticeOf } from "../../support/notices.ts";
import { type SqlitePlace, sqlitePlace } from "../sqlite/place.ts";

const NOW = Date.UTC(2026, 10, 28, 12);
const MINUTE = 60_000;

/** The store stays open throughout, as that of a running daemon does. */
describe("the outbox beside a running daemon", () => {
  let place: SqlitePlace;
  let store: Store;
  let db: OperatorDb;

  beforeEach(async () => {
    place = await sqlitePlace();
    store = await place.open();
    db = await open(true);
  });
  afterEach(async () => {
    db.close();
    await store.close();
    await place.remove();
  });

  async function open(write: boolean): Promise<OperatorDb> {
    const opened = await openOperatorDb(place.path, write);
    if (opened === null) throw new Error("no database");
    return opened;
  }

  async function owe(id: string, channels: readonly string[] = ["lp"]): Promise<void> {
    const notice = noticeOf({ id, headline: `about ${id}`, at: NOW });
    await store.commit({ ...NO_CHANGE, notices: [{ notice, channels }] });
  }

  async function freeze(id: string, notices: readonly string[], body = "{}"): Promise<void> {
    await store.freeze({ id, channel: "lp", notices, body, attempts: 1 }, NOW);
  }

  const states = async (): Promise<string[]> =>
    (await db.outboxPages.open(null, 0, 1_000)).map(({ id, state }) => `${id} ${state}`);
  const next = async (): Promise<string> => {
    const claim = await store.claim("lp", NOW);
    return claim.kind === "message" ? `${claim.message.id} ${claim.message.attempts}` : claim.kind;
  };

  it("shows what is owed, due and waiting, by channel and in the order of delivery", async () => {
    await owe("n1", ["lp", "mail"]);
    await owe("n2");
    await freeze("m1", ["n1"]);
    await store.settle("m1", {
      status: "waiting",
      at: 1,
      until: NOW + MINUTE,
      error: "answered 500",
    });
    const [first, second, mail] = await db.outboxPages.open(null, 0, 1_000);
    expect(first).toMatchObject({
      id: "m1",
      state: "waiting",
      sends: 1,
      until: NOW + MINUTE,
      error: "answered 500",
      notices: [{ id: "n1", kind: "fired", severity: "warning", headline: "about n1", at: NOW }],
    });
    expect(second).toMatchObject({ channel: "lp", state: "owed", sends: 0, error: null });
    expect(second?.notices.map(({ id }) => id)).toEqual(["n2"]);
    expect(mail).toMatchObject({ channel: "mail", state: "owed" });
    expect(mail?.id).not.toBe(second?.id);
    expect(await db.outboxPages.dead(null, 0, 1_000)).toEqual([]);
  });

  it("says how many there are without reading them, and finds one among many by the beginning of its id", async () => {
    for (let at = 0; at < 30; at += 1) await owe(`n${at}`, ["lp", "mail"]);
    await freeze("m1", ["n0"]);
    await freeze("m2", ["n1"]);
    await store.settle("m1", { status: "dead", at: NOW, error: "550" });
    await store.settle("m2", { status: "waiting", at: 1, until: NOW + MINUTE, error: "500" });
    expect(await db.outboxPages.open(null, 0, 5)).toHaveLength(5);
    expect(await db.outboxPages.total("open")).toBe(59);
    expect(await db.outboxPages.total("dead")).toBe(1);
    expect(await db.outboxPages.letters("lp")).toBe(1);
    expect(await db.outboxPages.letters("mail")).toBe(0);
    expect(await db.outboxPages.stuck()).toMatchObject([{ channel: "lp", id: "m2" }]);
    const [last] = await db.outboxPages.open("mail", 29, 5);
    expect(last).toMatchObject({ channel: "mail", notices: [{ id: "n29" }] });
    expect(await db.outbox.find(last?.id.slice(0, 12) ?? "")).toEqual([last]);
  });

  it("makes what waits due at once, which the daemon's next claim sees", async () => {
    await owe("n1");
    await freeze("m1", ["n1"]);
    await store.settle("m1", { status: "waiting", at: 1, until: NOW + MINUTE, error: "refused" });
    expect(await next()).toBe("idle");
    expect(await db.outbox.retry({ channel: "mail", dead: true })).toEqual({ due: 0, revived: 0 });
    expect(await db.outbox.retry({ channel: "lp", dead: false })).toEqual({ due: 1, revived: 0 });
    expect(await next()).toBe("m1 2");
  });

  it("brings a dead letter back as the same message, before what came after it", async () => {
    await owe("n1");
    await owe("n2");
    await freeze("m1", ["n1"], "first");
    await store.settle("m1", { status: "dead", at: NOW, error: "550" });
    await freeze("m2", ["n2"], "second");
    expect(await db.outboxPages.dead(null, 0, 1_000)).toMatchObject([
      { id: "m1", sends: 1, error: "550", settledAt: NOW },
    ]);
    expect(await store.owed()).toEqual(new Map([["lp", 1]]));
    expect(await db.outbox.retry({ channel: null, dead: false })).toEqual({ due: 0, revived: 0 });
    expect(await db.outbox.retry({ channel: null, dead: true })).toEqual({ due: 0, revived: 1 });
    expect(await store.claim("lp", NOW)).toEqual({
      kind: "message",
      message: { id: "m1", channel: "lp", notices: ["n1"], body: "first", attempts: 2 },
    });
    expect(await store.owed()).toEqual(new Map([["lp", 2]]));
    await store.settle("m1", { status: "sent", at: NOW });
    expect(await next()).toBe("m2 1");
    const [sent] = await db.outbox.find("m1");
    if (sent === undefined) throw new Error("m1 is gone");
    expect(sent).toMatchObject({ state: "sent", sends: 2 });
    expect(await db.outbox.retryOne(sent)).toBe(false);
    expect(await db.outbox.drop(sent, NOW)).toBe(false);
  });

  it("drops a message so that it is neither sent nor retried with the others", async () => {
    await owe("n1");
    await freeze("m1", ["n1"]);
    const [entry] = await db.outboxPages.open(null, 0, 1_000);
    if (entry === undefined) throw new Error("nothing is open");
    expect(await db.outbox.drop(entry, NOW + 5)).toBe(true);
    expect(await next()).toBe("idle");
    expect(await store.owed()).toEqual(new Map());
    const [dead] = await db.outboxPages.dead(null, 0, 1_000);
    if (dead === undefined) throw new Error("nothing is dead");
    expect(dead).toMatchObject({
      id: "m1",
      error: "dropped by hand",
      settledAt: NOW + 5,
      sends: 0,
    });
    expect(await db.outbox.drop(dead, NOW)).toBe(false);
    expect(await db.outbox.retry({ channel: "lp", dead: true })).toEqual({ due: 0, revived: 0 });
    expect(await db.outbox.retryOne(dead)).toBe(true);
    expect(await next()).toBe("m1 1");
    // What the daemon then writes finds the message as it was.
    await store.settle("m1", { status: "sent", at: NOW });
    expect(await states()).toEqual([]);
  });

  it("leaves a dead letter alone once it is dropped, alone or with the others of its channel", async () => {
    for (const [id, message] of [
      ["n1", "m1"],
      ["n2", "m2"],
      ["n3", "m3"],
    ] as const) {
      await owe(id);
      await freeze(message, [id]);
      await store.settle(message, { status: "dead", at: NOW, error: "HTTP 400" });
    }
    const [dead] = await db.outbox.find("m1");
    if (dead === undefined) throw new Error("m1 is gone");
    expect(await db.outbox.drop(dead, NOW + 5)).toBe(true);
    expect(await db.outbox.drop(dead, NOW + 5)).toBe(false);
    expect(await db.outbox.dropDead("mail")).toBe(0);
    expect(await db.outbox.dropDead("lp")).toBe(2);
    expect(await db.outbox.dropDead("lp")).toBe(0);
    expect((await db.outboxPages.dead(null, 0, 1_000)).map(({ error }) => error)).toEqual(
      Array(3).fill("dropped by hand"),
    );
    expect(await db.outbox.retry({ channel: "lp", dead: true })).toEqual({ due: 0, revived: 0 });
    expect(await db.outbox.retryOne(dead)).toBe(true);
    expect(await next()).toBe("m1 2");
  });

  it("drops a notice that is in no message for its channel alone, and owes it again", async () => {
    await owe("n1", ["lp", "mail"]);
    const [lp] = await db.outboxPages.open(null, 0, 1_000);
    if (lp === undefined) throw new Error("nothing is open");
    expect(await db.outbox.drop(lp, NOW)).toBe(true);
    expect(await store.owed()).toEqual(new Map([["mail", 1]]));
    expect(await db.outboxPages.dead(null, 0, 1_000)).toMatchObject([
      { id: lp.id, channel: "lp", sends: 0 },
    ]);
    const [dead] = await db.outbox.find(lp.id.slice(0, 8));
    if (dead === undefined) throw new Error("it is not found");
    expect(await db.outbox.retryOne(dead)).toBe(true);
    // It never had a body: the daemon makes one, under the same id.
    expect(await store.claim("lp", NOW)).toMatchObject({ kind: "notices" });
    expect(await states()).toContain(`${lp.id} owed`);
    await freeze(lp.id, ["n1"]);
    expect(await next()).toBe(`${lp.id} 1`);
  });

  it("renders anew what could not be rendered, rather than send nothing", async () => {
    await owe("n1");
    await freeze("m1", ["n1"], "");
    await store.settle("m1", { status: "dead", at: NOW, error: "it cannot be rendered" });
    expect(await db.outbox.retry({ channel: null, dead: true })).toEqual({ due: 0, revived: 1 });
    expect(await store.claim("lp", NOW)).toMatchObject({ kind: "notices" });
  });

  it("finds by the beginning of an id, and the whole id first", async () => {
    await owe("n1");
    await owe("n2");
    await freeze("abcd", ["n1"]);
    await freeze("abcdef", ["n2"]);
    expect((await db.outbox.find("abc")).map(({ id }) => id)).toEqual(["abcd", "abcdef"]);
    expect((await db.outbox.find("abcd")).map(({ id }) => id)).toEqual(["abcd"]);
    expect(await db.outbox.find("%")).toEqual([]);
  });

  it("waits for a commit that is under way, and the daemon for it", async () => {
    await owe("n1");
    await freeze("m1", ["n1"]);
    await store.settle("m1", { status: "waiting", at: 1, until: NOW + MINUTE, error: "x" });
    const other = await place.look();
    other.exec("BEGIN IMMEDIATE");
    const commit = owe("n2");
    other.exec("COMMIT");
    other.close();
    expect(await db.outbox.retry({ channel: null, dead: false })).toEqual({ due: 1, revived: 0 });
    await commit;
    expect(await states()).toHaveLength(2);
  });

  it("can be opened for looking only", async () => {
    await owe("n1");
    const looking = await open(false);
    const [entry] = await looking.outboxPages.open(null, 0, 1_000);
    if (entry === undefined) throw new Error("nothing is open");
    await expect(looking.outbox.drop(entry, NOW)).rejects.toThrow("readonly");
    expect(await looking.outboxPages.open(null, 0, 1_000)).toHaveLength(1);
    looking.close();
  });
});

describe("the outbox without a daemon", () => {
  it("is not there without a database, and refuses what is none", async () => {
    const place = await sqlitePlace();
    expect(await openOperatorDb(place.path, true)).toBeNull();
    await writeFile(place.path, "no database".repeat(20));
    await expect(openOperatorDb(place.path, true)).rejects.toMatchObject({ reason: "corrupt" });
    await place.remove();
  });

  it("leaves a database that the next daemon takes up", async () => {
    const place = await sqlitePlace();
    const before = await place.open();
    const notice = noticeOf({ id: "n1" });
    await before.commit({ ...NO_CHANGE, notices: [{ notice, channels: ["lp"] }] });
    await before.freeze({ id: "m1", channel: "lp", notices: ["n1"], body: "b", attempts: 1 }, NOW);
    await before.settle("m1", { status: "waiting", at: 1, until: NOW + MINUTE, error: "x" });
    await before.close();
    const db = await openOperatorDb(place.path, true);
    expect(await db?.outbox.retry({ channel: null, dead: false })).toEqual({ due: 1, revived: 0 });
    db?.close();
    const after = await place.open();
    expect(await after.claim("lp", NOW)).toMatchObject({ kind: "message" });
    await after.close();
    await place.remove();
  });
});
