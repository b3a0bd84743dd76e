import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  type GroupReads,
  NO_CHANGE,
  type RoundReads,
  type RoundRecord,
  type Run,
  type StorePlace,
  type Unread,
} from "../../../src/model/index.ts";
import { openRecorded, type Recorded } from "../../../src/store/operator-db/recorded.ts";
import { makeAlert } from "../../support/nouns.ts";
import type { StorePlace as Home } from "../store-suite.ts";

/** A store, and where commands find it. */
export interface RecordedHome extends Home {
  readonly place: StorePlace;
}

/** Everything that is asked for, page after page. */
export async function whole<T>(pages: AsyncIterable<readonly T[]>): Promise<T[]> {
  const all: T[] = [];
  for await (const page of pages) all.push(...page);
  return all;
}

/** The promises of what is shown of the past of a store. */
export function recordedSuite(where: string, home: () => Promise<RecordedHome>): void {
  describe(`what a daemon recorded ${where}`, () => {
    let place: RecordedHome;
    beforeEach(async () => {
      place = await home();
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
      const db = await openRecorded(place.place);
      if (db === null) throw new Error("no database");
      return db;
    }

    const all = (db: Recorded, ids: readonly number[], from: number, to: number): Promise<Run[]> =>
      whole(db.runs(ids, from, to));

    it("has each value as it was, whatever is in it", async () => {
      const odd = [
        "",
        "null",
        "true",
        '"',
        "\\",
        "a\nb",
        "a\\nb",
        "\u2028",
        "é€😀",
        "0",
        "-1.50",
        null,
      ];
      const padded = odd.flatMap((value) => [value, value && value.padEnd(12, "x")]);
      const long = Array.from({ length: 20 }, (_, at) => "123456789012345678901".slice(0, at + 1));
      const values = [...padded, ...long, ...long.map((value) => `${value}\n`)];
      // The last is the newest, which lies apart.
      const runs = [...values, "1"].map((value, at) => ({ series: 1, first: at, last: at, value }));
      const db = await recorded(runs);
      expect(await all(db, [1], 0, runs.length)).toEqual(runs);
      db.close();
    });

    it("is not there without a database", async () => {
      expect(await openRecorded(place.place)).toBeNull();
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
      expect(await all(db, [1, 2], 35, 60)).toEqual([
        run(2, 10, 90, "x"),
        run(1, 30, 40, "2"),
        run(1, 50, 60, null),
      ]);
      expect(await all(db, [1], 30, 1_000)).toEqual([
        run(1, 10, 20, "1"),
        run(1, 30, 40, "2"),
        run(1, 50, 60, null),
        run(1, 70, 80, "3"),
      ]);
      expect(await all(db, [1], 0, 5)).toEqual([]);
      expect(
        (await db.series(["v4_pool:1:1", "v4_pool:1:3"])).map(({ id, metric }) => [id, metric]),
      ).toEqual([
        [1, "price"],
        [3, "price"],
      ]);
      expect(await db.series([])).toEqual([]);
      expect(await db.watched(["v4_pool:1:2"])).toEqual([]);
      expect(await db.watched(["v4_pool:1:1", "none"])).toMatchObject([
        { rule: "r", subject: "v4_pool:1:1" },
      ]);
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
      const db = await openRecorded(place.place);
      if (db === null) throw new Error("no database");
      expect((await all(db, [1, 2], 0, 1e12)).map(({ value }) => Number(value))).toEqual(
        runs.map((_, i) => i),
      );
      expect(await all(db, [2], 0, 1e12)).toHaveLength(4_500);
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
      expect(await db.span()).toEqual({ first: 10, last: 30 });
      const shared = { rules: ["a", "b"], told: { unread: new Map(), reads: null } };
      expect(await whole(db.rounds(15, 30))).toEqual([
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
            "v4_pool@1": {
              answered: false,
              failed: true,
              refused: 0,
              byKey: false,
              detail: "late",
            },
          },
          rebased: { "v4_pool:1:0xab": 5 },
        },
        {
          rules: ["b"],
          scopes: {
            "gas_hour@137": {
              answered: true,
              failed: false,
              refused: 2,
              byKey: true,
              detail: null,
            },
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
      const told = (await whole(db.rounds(0, 30))).map((one) => one.told);
      expect(told.map((one) => ({ ...one, unread: [...one.unread.values()] }))).toEqual([
        { unread, reads },
        { unread, reads },
        { unread: [], reads: { ...reads, openedAt: 25 } },
      ]);
      expect(told[0]).toBe(told[1]);
      db.close();
    });

    it("tells when series began and ended, and what buckets said when", async () => {
      const store = await place.open();
      const series = [1, 2, 3].map((id) => ({ id, subject: `v4_pool:1:${id}`, metric: "price" }));
      await store.commit({ ...NO_CHANGE, series });
      const run = (id: number, first: number, seen?: number): Run => {
        const one = { series: id, first, last: first, value: `${id} ${first} ${seen ?? 0}` };
        return seen === undefined ? one : { ...one, seen };
      };
      await store.commit({ ...NO_CHANGE, runs: [run(1, 10), run(2, 20, 25)] });
      await store.commit({ ...NO_CHANGE, runs: [run(1, 30), run(2, 20, 35)] });
      await store.commit({ ...NO_CHANGE, runs: [run(2, 40, 45)] });
      await store.close();
      const db = await openRecorded(place.place);
      if (db === null) throw new Error("no database");
      expect(await db.spans([1, 2, 3, 99])).toEqual(
        new Map([
          [1, { first: 10, last: 30 }],
          [2, { first: 20, last: 40 }],
        ]),
      );
      expect(await db.revisedSince([1, 2])).toEqual(new Map([[2, 25]]));
      expect(await whole(db.revisions([1, 2], 30, 45))).toEqual([run(2, 20, 35), run(2, 40, 45)]);
      expect(await whole(db.revisions([1], 0, 45))).toEqual([]);
      db.close();
    });

    it("may be left before its last page, and asked for other things between two", async () => {
      const values = Array.from({ length: 5_000 }, (_, at) => at);
      const store = await place.open();
      const series = [{ id: 1, subject: "gas:1", metric: "tip_top10" }];
      const runs = values.map((at) => ({ series: 1, first: at, last: at, value: String(at) }));
      await store.commit({ ...NO_CHANGE, series, runs });
      const db = await openRecorded(place.place);
      if (db === null) throw new Error("no database");
      const left: unknown[] = [];
      for await (const page of db.runs([1], 0, 1e12)) {
        left.push(page[0]?.value);
        break;
      }
      for await (const page of db.runs([1], 0, 1e12)) {
        left.push(page[0]?.value, (await db.series(["gas:1"])).length);
        // A daemon goes on writing meanwhile.
        const last = 10_000 + left.length;
        await store.commit({ ...NO_CHANGE, runs: [{ series: 1, first: 9_999, last, value: "x" }] });
        if (left.length > 4) break;
      }
      expect(left.slice(0, 3)).toEqual(["0", "0", 1]);
      expect(Number(left[3])).toBeGreaterThan(0);
      db.close();
      await store.close();
    });
  });
}
