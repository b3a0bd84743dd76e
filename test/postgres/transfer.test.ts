import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { NO_CHANGE } from "../../src/model/index.ts";
import { openPostgresStore } from "../../src/store/postgres/store.ts";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";
import type { Store } from "../../src/store/store.ts";
import { backUpServer, moveStore, restoreToServer } from "../../src/store/transfer/transfer.ts";
import { alert, message, notice, SERIES } from "../store/store-suite.ts";
import { freshSchema, placeOf } from "./support/place.ts";
import { describeWhole, type Server, startServer } from "./support/server.ts";

const DAY = 86_400_000;

/** Something in every table, over several days. */
async function fill(store: Store): Promise<void> {
  for (const step of [1, 2, 3, 4]) {
    const at = step * DAY + step;
    await store.commit({
      ...NO_CHANGE,
      series: SERIES,
      runs: SERIES.map(({ id }) => {
        return { series: id, first: at, last: at + 5, value: `${step}.${id}`, seen: at };
      }),
      facts: [
        { subject: "gas:137", at, decimals: { tip: step }, units: { tip: "gwei" }, closed: false },
      ],
      cursors: [{ subject: "v4_swaps:1:0xaa", value: `c${step}` }],
      marks: [{ subject: `mark ${step}`, value: "é🔴\\'\"{}," }],
      alerts: [alert(`rule ${step}`, "v4_pool:1:0xaa", { label: "ETH/USDC", since: at })],
      alertChanges: [{ at, value: "0.1", alert: alert("rule 1", "gas:137", { since: at }) }],
      rules: [{ name: `rule ${step}`, version: `v${step}`, startedAt: at, lastRound: null }],
      versions: [{ version: `v${step}`, source: '{"a": [1]}' }],
      ruleChanges: [{ rule: `rule ${step}`, at, version: `v${step}` }],
      closed: [{ date: at, rules: ["rule 1"] }],
      notices: [{ notice: notice(`n${step}`, at), channels: ["lp", "mail"] }],
      round: {
        date: at,
        rules: ["rule 1"],
        requests: 1,
        subjects: 2,
        failures: {},
        failed: 0,
        unread: [],
        tookMs: 1.5,
      },
    });
  }
  await store.freeze(message("m1", ["n1"]), 5);
  await store.settle("m1", { status: "waiting", at: 6, until: 9, error: "503" });
  await store.settle("m1", { status: "sent", at: 10 });
}

/** All that a store says of itself, whatever the order. */
async function seen(store: Store): Promise<unknown> {
  const { alerts, rules, series, newest, cursors, marks } = await store.load();
  const sorted = (all: Iterable<unknown>): string[] =>
    Array.from(all, (one) => JSON.stringify(one)).toSorted();
  return {
    loaded: [alerts, rules, series, newest, cursors, marks].map(sorted),
    window: await store.window([1, 2, 3], 0),
    late: await store.window([1, 2, 3], 3 * DAY),
    backlog: await store.backlog(),
    owed: await store.owed(),
  };
}

describeWhole("moving a store between SQLite and a real PostgreSQL", () => {
  let server: Server;
  let folder: string;
  beforeAll(async () => {
    server = await startServer();
    folder = mkdtempSync(join(tmpdir(), "tickwatch-transfer-"));
  });
  afterAll(async () => {
    await server.close();
    rmSync(folder, { recursive: true });
  });

  it("brings everything there and back, and both go on as if nothing had been", async () => {
    const [first, last] = [join(folder, "first.db"), join(folder, "last.db")];
    const place = placeOf(server.url(freshSchema()));
    const begun = await openSqliteStore(first);
    await fill(begun);
    const before = await seen(begun);
    await begun.close();
    const moved = await moveStore(first, place);
    expect(moved).toMatchObject({ tables: 25 });
    const there = await openPostgresStore(place);
    expect(await seen(there)).toEqual(before);
    await there.close();
    expect(await moveStore(place, last)).toEqual(moved);
    const back = await openSqliteStore(last);
    onTestFinished(() => back.close());
    expect(await seen(back)).toEqual(before);
    // Numbers go on where they were, and samples are still a chain.
    const again = await openPostgresStore(place);
    onTestFinished(() => again.close());
    for (const store of [again, back]) {
      await store.commit({
        ...NO_CHANGE,
        runs: [{ series: 1, first: 9 * DAY, last: 9 * DAY, value: "9" }],
        alerts: [alert("a new rule", "a new subject")],
        notices: [{ notice: notice("n9"), channels: ["lp"] }],
      });
      await store.freeze(message("m9", ["n9"]), 5);
    }
    expect(await seen(again)).toEqual(await seen(back));
  });

  it("refuses what holds something, what a daemon uses, and two of a kind", async () => {
    const file = join(folder, "refused.db");
    const place = placeOf(server.url(freshSchema()));
    const store = await openSqliteStore(file);
    await fill(store);
    await expect(moveStore(file, place)).rejects.toMatchObject({ reason: "leased" });
    await store.close();
    await moveStore(file, place);
    await expect(moveStore(file, place)).rejects.toThrow(/holds something already/);
    await expect(moveStore(place, file)).rejects.toThrow(/exists already: choose another name$/);
    await expect(moveStore(file, join(folder, "other.db"))).rejects.toThrow(/one of the two/);
    const running = await openPostgresStore(place);
    await expect(moveStore(place, join(folder, "beside.db"))).rejects.toMatchObject({
      reason: "leased",
    });
    await running.close();
  });

  it("leaves nothing behind where the copy fails", async () => {
    const file = join(folder, "failing.db");
    const place = placeOf(server.url(freshSchema()));
    const store = await openSqliteStore(file);
    await fill(store);
    await store.close();
    await (await openPostgresStore(place)).close();
    await server.sql(`CREATE FUNCTION ${place.schema}.refuse() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE EXCEPTION 'no'; END $$;
      CREATE TRIGGER refuse BEFORE INSERT ON ${place.schema}.audit FOR EACH STATEMENT
        EXECUTE FUNCTION ${place.schema}.refuse();
      CREATE TRIGGER refuse BEFORE INSERT ON ${place.schema}.marks FOR EACH STATEMENT
        EXECUTE FUNCTION ${place.schema}.refuse()`);
    await expect(moveStore(file, place)).rejects.toThrow("no");
    const { rows } = await server.sql(`SELECT count(*)::int AS count FROM ${place.schema}.names`);
    expect(rows).toEqual([{ count: 0 }]);
  });

  it("backs up beside a daemon into a file, which is restored into either", async () => {
    const place = placeOf(server.url(freshSchema()));
    const running = await openPostgresStore(place);
    onTestFinished(() => running.close());
    await fill(running);
    const before = await seen(running);
    const file = join(folder, "backup.db");
    expect(await backUpServer(place, file, false)).toMatchObject({ tables: 25 });
    await expect(backUpServer(place, file, false)).rejects.toThrow(/--force/);
    const other = placeOf(server.url(freshSchema()));
    await restoreToServer(other, file);
    for (const store of [await openSqliteStore(file), await openPostgresStore(other)]) {
      expect(await seen(store)).toEqual(before);
      await store.close();
    }
  });
});
