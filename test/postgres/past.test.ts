import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import type { PostgresPlace } from "../../src/base/postgres-url.ts";
import {
  CHANNELS_MARK,
  CONFIGURATION_MARK,
  NO_CHANGE,
  type StorePlace,
} from "../../src/model/index.ts";
import { openHistoryCache } from "../../src/store/operator-db/history-cache.ts";
import { openOperatorDb } from "../../src/store/operator-db/operator-db.ts";
import { readStatus } from "../../src/store/operator-db/read-status.ts";
import { openOwnRecorded, openRecorded } from "../../src/store/operator-db/recorded.ts";
import { readServer } from "../../src/store/postgres/server-view.ts";
import { openPostgresStore } from "../../src/store/postgres/store.ts";
import { vacuum } from "../../src/store/postgres/vacuum.ts";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";
import type { Store } from "../../src/store/store.ts";
import { recordedSuite, whole } from "../store/operator-db/recorded-suite.ts";
import { alert, message, notice } from "../store/store-suite.ts";
import { freshSchema, placeOf, postgresPlace } from "./support/place.ts";
import { describeWhole, type Server, startServer } from "./support/server.ts";

const POOL = "v4_pool:1:0xaa";
const OTHER = "v4_pool:1:0xbb";
const ACKED = { acked: { by: "anna", at: 77 } };
const LIFE = {
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
  once: null,
  acked: null,
};

/** What a daemon leaves behind in some rounds. */
async function fill(store: Store): Promise<void> {
  const source = JSON.stringify({
    schedule: "every 60000",
    subjects: [{ key: POOL }, { key: "x" }, { key: OTHER }],
  });
  await store.commit({
    ...NO_CHANGE,
    marks: [
      { subject: CONFIGURATION_MARK, value: "{}" },
      { subject: CHANNELS_MARK, value: "[]" },
      {
        subject: `priming:${POOL}`,
        value: JSON.stringify([
          ["tvl_usd", 40],
          ["price", 50],
        ]),
      },
    ],
    rules: [
      { name: "tvl-drop", version: "v2", startedAt: 5, lastRound: 20 },
      { name: "Tips", version: "none", startedAt: 5, lastRound: null },
    ],
    versions: [
      { version: "v1", source: "{}" },
      { version: "v2", source },
    ],
    ruleChanges: [
      { rule: "tvl-drop", at: 5, version: "v1" },
      { rule: "tvl-drop", at: 15, version: "v2" },
      { rule: "gone", at: 25, version: null },
    ],
    series: [POOL, `${POOL}@1`, `${POOL}~2`, `${POOL}0`, OTHER].map((subject, id) => {
      return { id, subject, metric: "tvl_usd" };
    }),
    facts: [10, 20, 30].map((at) => ({
      subject: at === 30 ? `${POOL}@1` : POOL,
      at,
      decimals: { amount: at },
      units: { amount: "ETH" },
      closed: false,
      label: `ETH/USDC ${at}`,
      link: null,
      range: null,
    })),
    alerts: [
      alert("tvl-drop", POOL, { state: "firing", firedAt: 20, life: { ...LIFE, ...ACKED } }),
      alert("tvl-drop", OTHER, { missing: { since: 3, rounds: 9, told: true }, label: "b" }),
      alert("tvl-drop", "v4_pool:1:0xcc", { missing: { since: 3, rounds: 9, told: true } }),
      alert("Tips", "gas:137", { state: "recovering", firedAt: null, since: 9, label: "Polygon" }),
      alert("Tips", "gas:1", { missing: { since: 8, rounds: 1, told: false } }),
    ],
    alertChanges: [10, 20, 5, 40].map((at) => ({
      at,
      value: `${at}.5`,
      alert: alert("tvl-drop", POOL, { state: at === 20 ? "firing" : "ok", since: at }),
    })),
  });
  for (const [date, rules] of [
    [10, ["tvl-drop"]],
    [20, ["Tips", "tvl-drop"]],
    [30, ["Tips"]],
    [40, ["tvl-drop"]],
  ] as const) {
    const failures = { "v4_pool:1:0xaa": { reason: "timeout", detail: "late" } } as const;
    await store.commit({
      ...NO_CHANGE,
      round: {
        date,
        rules: [...rules],
        requests: date,
        subjects: 2,
        failures: date === 20 ? failures : {},
        failed: date === 20 ? 1 : 0,
        unread: [],
        tookMs: 1,
      },
    });
  }
  for (const at of [1, 2, 3, 4]) {
    await store.commit({
      ...NO_CHANGE,
      notices: [{ notice: notice(`n${at}`, at), channels: at === 4 ? ["Mail"] : ["lp", "Mail"] }],
    });
  }
  await store.freeze(message("m1", ["n1", "n2"]), 6);
  await store.settle("m1", { status: "waiting", at: 7, until: 9_000, error: "503" });
  await store.freeze(message("dead1", ["n1"], "Mail"), 8);
  await store.settle("dead1", { status: "dead", at: 9, error: "550" });
  await store.hold("lp", ["n3"], 500);
}

/** Everything that people are shown of the past, and how things are. */
async function shown(place: StorePlace): Promise<unknown[]> {
  const db = await openOperatorDb(place, false);
  const recorded = await openOwnRecorded(place);
  if (db === null) throw new Error("there is no database");
  onTestFinished(() => {
    db.close();
    recorded.close();
  });
  const { past } = db;
  return [
    sorted(await past.alerts("tvl-drop")),
    await past.alerts("none"),
    await past.alert("tvl-drop", POOL),
    await past.alert("Tips", POOL),
    await past.alert("none", POOL),
    await past.alert("Tips", "none"),
    await past.changes("tvl-drop", POOL, 0, 99),
    await past.changes("tvl-drop", POOL, 15, 99),
    await past.changes("tvl-drop", POOL, 15, 30),
    await past.changes("tvl-drop", OTHER, 0, 99),
    await past.edits("tvl-drop"),
    await past.edits("gone"),
    await past.version("v2"),
    await past.version("v9"),
    await past.notices("tvl-drop", POOL, 0, 99, 2),
    await past.notices("tvl-drop", POOL, 2, 3, 9),
    await past.rounds("tvl-drop", 99, 2),
    await past.rounds("Tips", 25, 9),
    await past.roundAfter("Tips", 20),
    await past.roundAfter("Tips", 30),
    await past.backfilledAt(POOL),
    await past.backfilledAt(OTHER),
    await past.facts(POOL, 25),
    await past.facts(POOL, 1),
    await past.facts(OTHER, 1),
    await recorded.facts([POOL, OTHER]),
    await recorded.facts([OTHER]),
    await recorded.series([POOL]),
    await recorded.rules(),
    await recorded.span(),
    sorted(await recorded.watched([POOL, "gas:137"])),
    await whole(recorded.rounds(15, 40)),
    (await readStatus(place)).seen,
    await db.status(),
    await loadedOf(db.loaded(20)),
    await loadedOf(db.loaded(41)),
  ];
}

async function loadedOf(
  view: Promise<{ readonly loaded: { readonly alerts: readonly object[] } }>,
) {
  const { loaded, ...seen } = await view;
  return { ...seen, loaded: { ...loaded, alerts: sorted(loaded.alerts) } };
}

/** What has no order of its own. */
function sorted(all: readonly object[]): readonly object[] {
  return all.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}

describeWhole("what is shown of the past on a real PostgreSQL", () => {
  let server: Server;
  let folder: string;
  beforeAll(async () => {
    server = await startServer();
    folder = mkdtempSync(join(tmpdir(), "tickwatch-past-"));
  });
  afterAll(async () => {
    await server.close();
    rmSync(folder, { recursive: true });
  });

  async function shownOf(place: StorePlace): Promise<unknown[]> {
    const store = await (typeof place === "string"
      ? openSqliteStore(place)
      : openPostgresStore(place));
    onTestFinished(() => store.close());
    await fill(store);
    return await shown(place);
  }

  it("is as on SQLite, question by question", async () => {
    const sqlite = await shownOf(join(folder, "tickwatch.db"));
    const postgres = await shownOf(placeOf(server.url(freshSchema())));
    expect(postgres).toHaveLength(sqlite.length);
    for (const [question, answer] of sqlite.entries()) {
      expect({ question, answer: postgres[question] }).toEqual({ question, answer });
    }
  });

  async function opened(place: PostgresPlace): Promise<Store> {
    const store = await openPostgresStore(place);
    onTestFinished(() => store.close());
    return store;
  }

  /** Five thousand runs of one series. */
  async function manyRuns() {
    const place = placeOf(server.url(freshSchema()));
    const store = await opened(place);
    const series = [{ id: 1, subject: "gas:1", metric: "tip_top10" }];
    const runs = Array.from({ length: 5_000 }, (_, at) => {
      return { series: 1, first: at, last: at, value: String(at) };
    });
    await store.commit({ ...NO_CHANGE, series, runs });
    return { place, store };
  }

  it("is not there before the first daemon, and says so of an older schema", async () => {
    const place = placeOf(server.url(freshSchema()));
    expect(await openOperatorDb(place, false)).toBeNull();
    expect(await openRecorded(place)).toBeNull();
    expect(await readStatus(place)).toEqual({ seen: null, runs: null });
    await (await openPostgresStore(place)).close();
    await server.sql(`UPDATE ${place.schema}.meta SET number = 1`);
    await expect(openRecorded(place)).rejects.toMatchObject({ reason: "older" });
  });

  it("locks nothing and keeps nothing from being cleaned up while somebody goes through it", async () => {
    const { place, store } = await manyRuns();
    await store.commit({
      ...NO_CHANGE,
      runs: [{ series: 1, first: 90_000_000, last: 90_000_000, value: "a day later" }],
    });
    const recorded = await openRecorded(place);
    let seen = 0;
    for await (const page of recorded?.runs([1], 0, 1e12) ?? []) {
      // Drops the whole day that is being gone through.
      if (seen === 0) expect(await store.prune(86_400_000)).toBe(5_000);
      seen += page.length;
    }
    expect(seen).toBe(5_001);
    recorded?.close();
  });

  it("says what to do where the connection is cut between two pages", async () => {
    const { place } = await manyRuns();
    const recorded = await openRecorded(place);
    onTestFinished(() => recorded?.close());
    const pages = recorded?.runs([1], 0, 1e12);
    await pages?.next();
    await server.cut();
    await expect(pages?.next()).rejects.toMatchObject({
      reason: "unwritable",
      message: expect.stringMatching(/check the server/),
    });
    // What is asked anew is answered over a new connection.
    await expect.poll(() => recorded?.series(["gas:1"]).catch(() => null)).toHaveLength(1);
  });

  it("keeps what backtests fetched for the next one, until retention is over", async () => {
    const place = placeOf(server.url(freshSchema()));
    // Before the first daemon there is nowhere to keep it.
    expect(await openHistoryCache(place, 0, true)).toBeNull();
    const store = await opened(place);
    const open = async () => {
      const cache = await openHistoryCache(place, 0, true);
      if (cache === null) throw new Error("there is no cache");
      onTestFinished(() => cache.close());
      return cache;
    };
    const [one, other] = [await open(), await open()];
    const body = Buffer.from([0, 1, 255, 128]);
    expect(await one.find("k")).toBeNull();
    await one.put("k", { first: 5, last: 9, body }, 100);
    expect(await other.find("k")).toEqual({ first: 5, last: 9, body });
    // Two backtests that fetched the same at once.
    await Promise.all([one, other].map((its) => its.put("k", { first: 1, last: 9, body }, 200)));
    expect(await one.find("k")).toEqual({ first: 1, last: 9, body });
    await one.put("old", { first: 1, last: 2, body }, 150);
    await store.prune(180);
    expect(await one.find("old")).toBeNull();
    expect(await one.find("k")).toEqual({ first: 1, last: 9, body });
  });

  it("is cleaned up by the server beside a daemon, for the owner of its tables", async () => {
    const place = placeOf(server.url(freshSchema()));
    await expect(vacuum(place)).rejects.toThrow("it holds nothing yet");
    const store = await opened(place);
    await fill(store);
    expect(await vacuum(place)).toBeGreaterThan(0);
    const cleaned = async () => {
      const { rows } = await server.sql(
        `SELECT relname AS name FROM pg_stat_user_tables
         WHERE schemaname = '${place.schema}' AND vacuum_count = 1 AND analyze_count = 1`,
      );
      return rows;
    };
    // The server writes down what it did a little later.
    await expect
      .poll(cleaned)
      .toEqual(expect.arrayContaining([{ name: "names" }, { name: "alerts" }]));
    expect(await readServer(place)).toMatchObject({ inUse: true, encrypted: true, mayMake: true });
    await server.sql(`CREATE ROLE ${place.schema}_run LOGIN;
      GRANT USAGE ON SCHEMA ${place.schema} TO ${place.schema}_run;
      GRANT SELECT ON ALL TABLES IN SCHEMA ${place.schema} TO ${place.schema}_run`);
    const its = placeOf(server.url(place.schema, { user: `${place.schema}_run` }));
    await expect(vacuum(its)).rejects.toThrow(/use the owner's URL/);
    const other = placeOf(server.url(freshSchema(), { user: `${place.schema}_run` }));
    expect(await readServer(other)).toMatchObject({ number: null, mayMake: false });
    await store.close();
    expect(await readServer(place)).toMatchObject({ inUse: false });
  });

  recordedSuite("in PostgreSQL", async () => {
    const home = postgresPlace(server);
    return { ...home, place: placeOf(server.url(home.schema)) };
  });
});
