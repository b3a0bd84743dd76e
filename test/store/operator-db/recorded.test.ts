import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  type GroupReads,
  NO_CHANGE,
  type RoundReads,
  type RoundRecord,
  type Run,
  type Unread,
} from "../../../src/model/index.ts";
import { openRecorded, type Recorded } from "../../../src/store/operator-db/recorded.ts";
import { makeAlert } from "../../support/nouns.ts";
import { type SqlitePlace, sqlitePlace } from "../sqlite/place.ts";

describe("what a daemon recorded", () => {
  let place: SqlitePlace;
  beforeEach(async () => {
    place = await sqlitePlace();
  });
  afterEach(() => place.remove());

  async function recorded(runs: readonly Run[], rounds: readonly RoundRecord[] = []) {
    const store = await place.open();
    const series = [...new Set(runs.map((run) => run.series))].map((id) => ({
      id,
      subject: `v4_pool:1:${id}`,
      metric: "price",
    }));
    await store.commit({ ...NO_CHANGE, series });
    for (const run of runs) await store.commit({ ...NO_CHANGE, runs: [run] });
    for (const round of rounds) await store.commit({ ...NO_CHANGE, round });
    await store.commit({
      ...NO_CHANGE,
      alerts: [makeAlert({ rule: "r", subject: "v4_pool:1:1" })],
    });
    await store.close();
    const db = await openRecorded(place.path);
    if (db === null) throw new Error("no database");
    return db;
  }

  const all = (db: Recorded, ids: readonly number[], from: number, to: number): Run[] =>
    [...db.runs(ids, from, to)].flat();

  it("is not there without a database", async () => {
    expect(await openRecorded(place.path)).toBeNull();
  });

  it("gives the runs of some series in the order of their dates, with what is in force before", async () => {
    const run = (series: number, first: number, last: number, value: string | null): Run => ({
      series,
      first,
      last,
      value,
    });
    const db = await recorded([
      run(1, 10, 20, "1"),
      run(2, 10, 90, "x"),
      run(3, 10, 90, "not asked for"),
      run(1, 30, 40, "2"),
      run(1, 50, 60, null),
      run(1, 70, 80, "3"),
    ]);
    expect(all(db, [1, 2], 35, 60)).toEqual([
      run(2, 10, 90, "x"),
      run(1, 30, 40, "2"),
      run(1, 50, 60, null),
    ]);
    expect(all(db, [1], 30, 1_000)).toEqual([
      run(1, 10, 20, "1"),
      run(1, 30, 40, "2"),
      run(1, 50, 60, null),
      run(1, 70, 80, "3"),
    ]);
    expect(all(db, [1], 0, 5)).toEqual([]);
    expect(db.series().map(({ subject, metric }) => `${subject} ${metric}`)).toEqual([
      "v4_pool:1:1 price",
      "v4_pool:1:2 price",
      "v4_pool:1:3 price",
    ]);
    expect(db.watched()).toMatchObject([{ rule: "r", subject: "v4_pool:1:1" }]);
    db.close();
  });

  it("goes over many pages without losing or repeating a run", async () => {
    const store = await place.open();
    const name = (id: number) => ({ id, subject: `gas:${id}`, metric: "tip_top10" });
    await store.commit({ ...NO_CHANGE, series: [name(1), name(2)] });
    const runs = Array.from({ length: 9_000 }, (_, i) => ({
      series: 1 + (i % 2),
      first: 60_000 * Math.floor(i / 2),
      last: 60_000 * Math.floor(i / 2),
      value: String(i),
    }));
    await store.commit({ ...NO_CHANGE, runs });
    await store.close();
    const db = await openRecorded(place.path);
    if (db === null) throw new Error("no database");
    expect([...db.runs([1, 2], 0, 1e12)].flat().map(({ value }) => Number(value))).toEqual(
      runs.map((_, i) => i),
    );
    expect([...db.runs([2], 0, 1e12)].flat()).toHaveLength(4_500);
    db.close();
  });

  it("gives the rounds with their rules and what failed in them", async () => {
    const failure = { reason: "timeout", detail: "no answer after 10s" } as const;
    const round = (date: number, failed: number): RoundRecord => ({
      date,
      rules: ["a", "b"],
      requests: 1,
      subjects: 1,
      failures: failed === 0 ? {} : { "gas_hour:1": failure },
      failed,
      unread: [],
      tookMs: 1,
    });
    const db = await recorded([], [round(10, 0), round(20, 2), round(30, 0)]);
    expect(db.span()).toEqual({ first: 10, last: 30 });
    const shared = { rules: ["a", "b"], told: { unread: new Map(), reads: null } };
    expect([...db.rounds(15, 30)].flat()).toEqual([
      { ...shared, date: 20, failed: 2, failures: { "gas_hour:1": failure } },
      { ...shared, date: 30, failed: 0, failures: {} },
    ]);
    db.close();
  });

  it("gives what a round read too little of, and how each group of its rules fared", async () => {
    const unread: readonly Unread[] = [
      { subject: "v4_pool:1:0xab", metrics: null, unanswered: "v4_pool", trouble: "timed out" },
      { subject: "v4_position:1:dexa:42", metrics: ["in_range"] },
      { subject: "holder_count:1:0x2e", metrics: null, absent: true },
    ];
    const groups: readonly GroupReads[] = [
      {
        rules: ["a"],
        scopes: {
          "v4_pool@1": { answered: false, failed: true, refused: 0, byKey: false, detail: "late" },
        },
        rebased: { "v4_pool:1:0xab": 5 },
      },
      {
        rules: ["b"],
        scopes: {
          "gas_hour@137": { answered: true, failed: false, refused: 2, byKey: true, detail: null },
        },
        rebased: {},
      },
    ];
    const reads: RoundReads = { openedAt: 3, groups };
    const rounds = [10, 20, 30].map((date): RoundRecord => {
      const counts = { requests: 1, subjects: 1, failures: {}, failed: 0, tookMs: 1 };
      const said =
        date === 30 ? { unread: [], reads: { ...reads, openedAt: 25 } } : { unread, reads };
      return { date, rules: ["a", "b"], ...counts, ...said };
    });
    const db = await recorded([], rounds);
    const told = [...db.rounds(0, 30)].flat().map((one) => one.told);
    expect(told.map((one) => ({ ...one, unread: [...one.unread.values()] }))).toEqual([
      { unread, reads },
      { unread, reads },
      { unread: [], reads: { ...reads, openedAt: 25 } },
    ]);
    expect(told[0]).toBe(told[1]);
    db.close();
  });
});
