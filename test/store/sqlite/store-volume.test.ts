import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { NO_CHANGE, type RoundRecord } from "../../../src/model/index.ts";
import type { Database } from "../../../src/store/sqlite/driver.ts";
import type { Store } from "../../../src/store/store.ts";
import { owing } from "../store-suite.ts";
import { type SqlitePlace, sqlitePlace } from "./place.ts";

let place: SqlitePlace;
let store: Store;
let shell: Database;
beforeEach(async () => {
  place = await sqlitePlace();
  store = await place.open();
  shell = await place.look();
});
afterEach(async () => {
  shell.close();
  await store.close();
  await place.remove();
});

const rows = (sql: string): unknown[] => shell.prepare(sql).all();

/** Runs `work` and counts the turns that the event loop took meanwhile. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let done = false;
  const turn = (): void => {
    turns++;
    if (!done) setImmediate(turn);
  };
  setImmediate(turn);
  await work();
  done = true;
  return turns;
}

describe("many rows", () => {
  const SERIES = 300;
  const ROUNDS = 61;
  const ids = Array.from({ length: SERIES }, (_, i) => i + 1);

  it("are read and pruned in steps that let the event loop turn", async () => {
    const series = ids.map((id) => ({ id, subject: `s${id}`, metric: "m" }));
    for (let date = 1; date <= ROUNDS; date++) {
      const runs = ids.map((id) => ({ series: id, first: date, last: date, value: `${date}` }));
      await store.commit({ ...NO_CHANGE, series: date === 1 ? series : [], runs });
    }
    const reading = await turnsDuring(async () => {
      const found = await store.window(ids, 1);
      expect(found.size).toBe(SERIES);
      for (const runs of found.values()) expect(runs.length).toBe(ROUNDS);
    });
    // Without pauses it would take none.
    expect(reading).toBeGreaterThanOrEqual(3);

    const pruning = await turnsDuring(async () => {
      expect(await store.prune(ROUNDS)).toBe(SERIES * (ROUNDS - 1));
    });
    expect(pruning).toBeGreaterThanOrEqual(3);
    expect(rows("SELECT count(*) AS n FROM runs")).toEqual([{ n: 0 }]);
    expect((await store.load()).newest.size).toBe(SERIES);
  });

  it("keep the runs that began before the limit and reach beyond it", async () => {
    const series = ids.map((id) => ({ id, subject: `s${id}`, metric: "m" }));
    const run = (id: number, first: number, last: number) => ({
      series: id,
      first,
      last,
      value: "1",
    });
    await store.commit({
      ...NO_CHANGE,
      series,
      runs: ids.flatMap((id) => [
        ...Array.from({ length: 20 }, (_, at) => run(id, at, at)),
        run(id, 20, id % 2 === 0 ? 100 : 30),
        run(id, 101, 101),
      ]),
    });
    expect(await store.prune(100)).toBe(SERIES * 20 + SERIES / 2);
    const found = await store.window(ids, 0);
    for (const id of ids) {
      const kept = id % 2 === 0 ? [run(id, 20, 100), run(id, 101, 101)] : [run(id, 101, 101)];
      expect(found.get(id)).toEqual(kept);
    }
  });
});

describe("one series with many runs", () => {
  it("is read whole, and only as far back as asked", async () => {
    const runs = Array.from({ length: 10_000 }, (_, i) => ({
      series: 1,
      first: i * 10,
      last: i * 10 + 5,
      value: `${i}`,
    }));
    const series = [{ id: 1, subject: "s", metric: "m" }];
    await store.commit({ ...NO_CHANGE, series, runs });
    expect((await store.window([1], 0)).get(1)).toEqual(runs);
    expect((await store.window([1], 50_005)).get(1)).toEqual(runs.slice(4_999));
    expect((await store.window([1], 50_006)).get(1)).toEqual(runs.slice(5_000));
    // As many runs as one step reads, one fewer and one more.
    for (const count of [4_000, 4_001, 4_002, 8_001]) {
      const from = runs.at(-count)!.last + 1;
      expect((await store.window([1], from)).get(1)).toEqual(runs.slice(-count));
    }
  });
});

describe("what only explanations read", () => {
  const round = (date: number, rules: readonly string[]): RoundRecord => ({
    date,
    rules,
    requests: 3,
    subjects: 41,
    failures: { "gas:1": { reason: "timeout", detail: "no answer in 10s" } },
    failed: 2,
    unread: [],
    tookMs: 12.5,
  });

  it("keeps rounds, with the list of their rules once for all rounds that share it", async () => {
    await store.commit({ ...NO_CHANGE, round: round(10, ["a", "b"]) });
    await store.commit({ ...NO_CHANGE, round: round(20, ["a", "b"]) });
    await store.commit({ ...NO_CHANGE, round: round(30, ["a"]) });
    await store.commit({ ...NO_CHANGE, round: { ...round(30, ["a"]), failed: 7, failures: {} } });
    const joined = `SELECT date, names, requests, subjects, failures, failed, took_ms
                    FROM rounds JOIN rule_sets ON hash = rule_set ORDER BY date`;
    const numbers = { requests: 3, subjects: 41, took_ms: 12.5 };
    const failures = '{"gas:1":{"reason":"timeout","detail":"no answer in 10s"}}';
    expect(rows(joined)).toEqual([
      { date: 10, names: '["a","b"]', ...numbers, failures, failed: 2 },
      { date: 20, names: '["a","b"]', ...numbers, failures, failed: 2 },
      { date: 30, names: '["a"]', ...numbers, failures: "{}", failed: 7 },
    ]);
    expect(rows("SELECT * FROM rule_sets")).toHaveLength(2);
    expect(await store.prune(30)).toBe(2);
    expect(rows("SELECT names FROM rule_sets")).toEqual([{ names: '["a"]' }]);
  });

  it("writes one row for a round of many rules, and keeps their list while it says their last", async () => {
    const names = Array.from({ length: 500 }, (_, i) => `rule-${i}`);
    const states = names.map((name) => ({ name, version: "1", startedAt: 1, lastRound: null }));
    await store.commit({ ...NO_CHANGE, rules: states });
    for (const date of [10, 20]) {
      await store.commit({
        ...NO_CHANGE,
        closed: [{ date, rules: names }],
        round: round(date, names),
      });
    }
    expect(rows("SELECT max(last_round) AS last FROM rules")).toEqual([{ last: null }]);
    expect(rows("SELECT date FROM closed_rounds")).toEqual([{ date: 20 }]);
    await store.prune(100);
    expect(rows("SELECT count(*) AS count FROM rounds")).toEqual([{ count: 0 }]);
    expect(rows("SELECT DISTINCT last_round AS last FROM rule_states")).toEqual([{ last: 20 }]);
    await store.commit({
      ...NO_CHANGE,
      rules: states.map((state) => ({ ...state, lastRound: 30 })),
    });
    await store.prune(100);
    expect(rows("SELECT * FROM rule_sets")).toEqual([]);
    expect(rows("SELECT DISTINCT last_round AS last FROM rule_states")).toEqual([{ last: 30 }]);
  });

  it("keeps of very many lists those that say the last round of some rule", async () => {
    const names = Array.from({ length: 8 }, (_, i) => `rule-${i}`);
    const states = names.map((name) => ({ name, version: "1", startedAt: 1, lastRound: null }));
    await store.commit({ ...NO_CHANGE, rules: states });
    // Each time another company, as of rules with cron expressions that seldom meet.
    const last = new Map<string, number>();
    for (let date = 1; date < 256; date += 1) {
      const due = names.filter((_, i) => ((date >> i) & 1) === 1);
      for (const name of due) last.set(name, date);
      await store.commit({ ...NO_CHANGE, closed: [{ date, rules: due }] });
    }
    expect(rows("SELECT count(*) AS count FROM closed_rounds")).toEqual([{ count: 255 }]);
    await store.prune(1_000);
    expect(rows("SELECT date FROM closed_rounds")).toEqual([{ date: 255 }]);
    expect(rows("SELECT count(*) AS count FROM rule_sets")).toEqual([{ count: 1 }]);
    const { rules } = await store.load();
    expect(new Map(rules.map(({ name, lastRound }) => [name, lastRound]))).toEqual(last);
  });

  it("keeps each version of a rule once", async () => {
    const version = { version: "abc", source: "name: my-range" };
    await store.commit({ ...NO_CHANGE, versions: [version] });
    await store.commit({ ...NO_CHANGE, versions: [version, { version: "d", source: "x" }] });
    expect(rows("SELECT * FROM rule_versions")).toEqual([version, { version: "d", source: "x" }]);
  });

  it("keeps what became of each message, with the last error while it waits or is dead", async () => {
    for (const id of ["n1", "n2", "n3"]) {
      await store.commit(owing(id));
      const message = { id: `m-${id}`, channel: "lp", notices: [id], body: "b", attempts: 1 };
      await store.freeze(message, 5);
      await store.settle(`m-${id}`, { status: "waiting", at: 1, until: 50, error: "503" });
    }
    await store.settle("m-n1", { status: "sent", at: 60 });
    await store.settle("m-n2", { status: "dead", at: 61, error: "550" });
    expect(
      rows(`SELECT messages.id, state, attempts, until, error, created_at, settled_at, notices.id
              AS notice FROM messages JOIN owed ON owed.message = messages.seq
              JOIN notices ON notices.seq = owed.notice ORDER BY messages.seq`),
    ).toEqual([
      {
        id: "m-n1",
        state: "sent",
        attempts: 2,
        until: null,
        error: null,
        created_at: 5,
        settled_at: 60,
        notice: "n1",
      },
      {
        id: "m-n2",
        state: "dead",
        attempts: 2,
        until: null,
        error: "550",
        created_at: 5,
        settled_at: 61,
        notice: "n2",
      },
      {
        id: "m-n3",
        state: "waiting",
        attempts: 2,
        until: 50,
        error: "503",
        created_at: 5,
        settled_at: null,
        notice: "n3",
      },
    ]);
  });

  it("finds everything by a key or an index while it works", () => {
    const scans = [
      "SELECT 1 FROM messages WHERE channel = 'c' AND settled_at IS NULL ORDER BY seq LIMIT 1",
      `SELECT 1 FROM owed JOIN notices ON notices.seq = owed.notice
         WHERE owed.channel = 'c' AND owed.message IS NULL ORDER BY owed.notice LIMIT 1`,
      "SELECT 1 FROM owed WHERE message = 5 ORDER BY place",
      "SELECT seq FROM messages WHERE settled_at < 5 LIMIT 10",
      "DELETE FROM runs WHERE (first, series) > (1, 2) AND (first, series) <= (3, 4) AND last < 5",
      "SELECT 1 FROM runs WHERE (first, series) > (1, 2) AND first < 3 ORDER BY first, series",
    ].flatMap((sql) =>
      shell
        .prepare<[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
        .all()
        .map(({ detail }) => detail)
        .filter((detail) => /SCAN|TEMP B-TREE/.test(detail)),
    );
    expect(scans).toEqual([]);
  });
});
