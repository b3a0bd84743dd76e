import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import {
  CONFIGURATION_MARK,
  NO_CHANGE,
  RELOAD_MARK,
  type StorePlace,
} from "../../src/model/index.ts";
import { type OperatorDb, openOperatorDb } from "../../src/store/operator-db/operator-db.ts";
import { openPostgresStore } from "../../src/store/postgres/store.ts";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";
import type { Store } from "../../src/store/store.ts";
import { alert, message, notice } from "../store/store-suite.ts";
import { freshSchema, placeOf } from "./support/place.ts";
import { describeWhole, type Server, startServer } from "./support/server.ts";

const ACKED = {
  firings: null,
  gaps: null,
  worst: null,
  reminded: null,
  cooling: null,
  held: null,
  blindSince: null,
  blindTo: null,
  byMissing: false,
  lapse: null,
  once: "spent" as const,
  acked: { by: "anna", at: 77 },
};

async function fill(store: Store): Promise<void> {
  await store.commit({
    ...NO_CHANGE,
    marks: [
      { subject: CONFIGURATION_MARK, value: "{}" },
      { subject: RELOAD_MARK, value: "" },
    ],
    alerts: [
      alert("tvl-drop", "v4_pool:1:0xaa", { label: "ETH/USDC", state: "firing", life: ACKED }),
      alert("tvl-drop", "v4_pool:1:0xbb", { label: null }),
      alert("tips", "gas:137", { label: "Polygon" }),
    ],
    alertChanges: [10, 20, 30].map((at) => ({
      at,
      value: `${at}.5`,
      alert: alert("tvl-drop", "v4_pool:1:0xaa", { state: at === 20 ? "firing" : "ok" }),
    })),
  });
  for (const at of [1, 2, 3, 4, 5]) {
    await store.commit({
      ...NO_CHANGE,
      notices: [{ notice: notice(`n${at}`, at), channels: at === 5 ? ["Mail"] : ["lp", "Mail"] }],
    });
  }
  await store.freeze(message("m1", ["n1", "n2"]), 6);
  await store.settle("m1", { status: "waiting", at: 7, until: 9_000, error: "503" });
  await store.freeze(message("dead1", ["n1"], "Mail"), 8);
  await store.settle("dead1", { status: "dead", at: 9, error: "550" });
  await store.hold("lp", ["n3"], 500);
}

const SILENCE = {
  rule: "tvl-drop",
  subjects: ["v4_pool:1:0xaa"],
  labels: { team: "lp" },
  startsAt: 5,
  endsAt: 400,
  author: "anna",
  comment: null,
  createdAt: 5,
};
const DEED = {
  at: 60,
  author: "anna",
  via: "command" as const,
  action: "ack",
  rule: "tvl-drop",
  subject: null,
  about: "two alerts",
  comment: "on it",
  count: 2,
};

/** What people do and look at, one after the other, and all that is answered. */
async function everything(db: OperatorDb, store: Store): Promise<unknown[]> {
  const { alerts, silences, outbox, outboxPages, history, audit, reload } = db;
  const told: unknown[] = [];
  const look = async (): Promise<void> => {
    told.push(
      await outboxPages.open(null, 0, 1_000),
      await outboxPages.dead(null, 0, 1_000),
      await outboxPages.open(null, 1, 2),
      await outboxPages.open("lp", 0, 9),
      await outboxPages.dead("Mail", 0, 9),
      await outboxPages.total("open"),
      await outboxPages.total("dead"),
      await outboxPages.letters(null),
      await outboxPages.letters("Mail"),
      await outboxPages.stuck(),
      await outboxPages.counts(),
      await outboxPages.lastAttempts(),
      await silences.all(),
      await audit.find({ most: 9 }),
      await audit.find({ rule: "tvl-drop", subject: "gas:137", before: 2, most: 9 }),
      await history.notices({ from: 0, to: 99, most: 9 }),
      // What people ask for may be anything.
      await history.notices({ from: 0, to: 99, most: 9, text: "%" }),
      await history.notices({ from: 0, to: 99, most: 9, text: "\0", channel: "l\0p" }),
      await outboxPages.open("l\0p", 0, 9),
      await outbox.find("m1\0"),
      await outbox.find("m_"),
      await audit.find({ rule: "\0\ud800", most: 9 }),
    );
  };
  await look();
  told.push(
    await alerts.of("tvl-drop"),
    await silences.labels(null),
    await silences.labels("tips"),
    await history.states("tvl-drop", "v4_pool:1:0xaa", 15, 30),
    await history.statesBefore("tvl-drop", "v4_pool:1:0xaa", 25, 1),
    await history.statesSince(20),
    await history.knownFrom(),
    await history.notices({
      rule: "tvl-drop",
      channel: "lp",
      severity: "critical",
      kind: "fired",
      text: "N2: TVL",
      from: 0,
      to: 99,
      most: 1,
      after: { at: 3, seq: 3 },
    }),
    await db.toldBy("n1"),
    await db.toldBy("m1"),
    await outbox.find("m"),
    await outbox.find("%"),
    await outbox.body("m1"),
    await outbox.body("none"),
  );
  const command = { rule: "tvl-drop", author: "anna", at: 50 };
  await alerts.give(
    [
      { ...command, kind: "ack", subject: "v4_pool:1:0xaa", comment: "on it" },
      { ...command, kind: "rearm", subject: null, comment: null },
    ],
    DEED,
  );
  told.push(
    await store.commands(),
    await history.commands("tvl-drop", "v4_pool:1:0xaa", 60, 5),
    await history.ackComment("tvl-drop", "v4_pool:1:0xaa"),
    await history.ackComment("tips", "gas:137"),
    await silences.add([SILENCE, { ...SILENCE, rule: null, subjects: null, startsAt: 300 }], DEED),
    await store.silences(100),
    await silences.expire(1, 100, DEED),
    await silences.expire(1, 101, DEED),
    await silences.expire(99, 101),
    await store.silences(100),
    await store.held("lp", 100),
  );
  const [waiting] = await outbox.find("m1");
  const [dead] = await outbox.find("dead1");
  const owed = (await outboxPages.open(null, 0, 1_000)).find(
    ({ notices }) => notices[0]?.id === "n5",
  );
  if (waiting === undefined || dead === undefined || owed === undefined) throw new Error("gone");
  told.push(
    await outbox.retry({ channel: "lp", dead: false }, ({ due }) => ({ ...DEED, count: due })),
    await outbox.retryOne(dead, DEED),
    await outbox.drop(waiting, 110, DEED),
    await outbox.drop(waiting, 111, DEED),
    await outbox.drop(owed, 112, DEED),
    await outbox.dropDead("Mail", (count) => ({ ...DEED, count })),
    await outbox.dropDead("lp"),
  );
  await look();
  told.push(
    await outbox.retry({ channel: null, dead: true }),
    await outbox.retryOne((await outbox.find(owed.id))[0] ?? owed),
    await store.backlog(),
  );
  await audit.note({ ...DEED, action: "send test" });
  await look();
  told.push(await reload.ask("r1"), await reload.state());
  await reload.takeBack("r0");
  told.push(await store.mark(RELOAD_MARK));
  await reload.takeBack("r1");
  told.push(await store.mark(RELOAD_MARK));
  return told;
}

describeWhole("what people do beside a daemon on a real PostgreSQL", () => {
  let server: Server;
  let folder: string;
  beforeAll(async () => {
    server = await startServer();
    folder = mkdtempSync(join(tmpdir(), "tickwatch-operator-"));
  });
  afterAll(async () => {
    await server.close();
    rmSync(folder, { recursive: true });
  });

  async function toldOn(place: StorePlace): Promise<unknown[]> {
    const store = await (typeof place === "string"
      ? openSqliteStore(place)
      : openPostgresStore(place));
    onTestFinished(() => store.close());
    await fill(store);
    const db = await openOperatorDb(place, true);
    if (db === null) throw new Error("there is no database");
    onTestFinished(() => db.close());
    return await everything(db, store);
  }

  it("is answered as on SQLite, step by step", async () => {
    const sqlite = await toldOn(join(folder, "tickwatch.db"));
    const postgres = await toldOn(placeOf(server.url(freshSchema())));
    expect(postgres).toHaveLength(sqlite.length);
    for (const [step, answer] of sqlite.entries()) {
      expect({ step, answer: postgres[step] }).toEqual({ step, answer });
    }
  });

  it("writes all of several commands or none", async () => {
    const place = placeOf(server.url(freshSchema()));
    const store = await openPostgresStore(place);
    onTestFinished(() => store.close());
    const db = await openOperatorDb(place, true);
    onTestFinished(() => db?.close());
    const good = {
      kind: "ack",
      rule: "r",
      subject: "s",
      author: "a",
      comment: null,
      at: 1,
    } as const;
    const wrong = { ...good, rule: null as unknown as string };
    await expect(db?.alerts.give([good, wrong], DEED)).rejects.toThrow("rule");
    expect(await store.commands()).toEqual([]);
    expect(await db?.audit.find({ most: 9 })).toEqual([]);
  });

  it("goes on over a connection that was cut", async () => {
    const place = placeOf(server.url(freshSchema()));
    const store = await openPostgresStore(place);
    onTestFinished(() => store.close());
    await fill(store);
    const db = await openOperatorDb(place, true);
    onTestFinished(() => db?.close());
    expect(await db?.outboxPages.open(null, 0, 1_000)).toHaveLength(7);
    await server.cut();
    await expect.poll(() => db?.outboxPages.open(null, 0, 1_000).catch(() => null)).toHaveLength(7);
  });
});
