import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  type Alert,
  type Change,
  type Message,
  NO_CHANGE,
  type Notice,
  type Run,
} from "../../src/model/index.ts";
import type { Store } from "../../src/store/store.ts";

/** A place that keeps a store: what one opening commits, the next one finds. */
export interface StorePlace {
  open(): Promise<Store>;
  remove(): Promise<void>;
}

export const SERIES = [
  { id: 1, subject: "v4_pool:1:0xaa", metric: "tvl_usd" },
  { id: 2, subject: "v4_pool:1:0xaa", metric: "current_tick" },
  { id: 3, subject: "gas:137", metric: "tip_top10" },
] as const;

export function notice(id: string, at = 1_000): Notice {
  return {
    id,
    kind: "fired",
    severity: "critical",
    rule: "tvl-drop",
    subject: "v4_pool:1:0xaa",
    at,
    headline: `🔴 ${id}: TVL -18%`,
    title: "A title",
    note: null,
    fields: [{ name: "Value", value: "115792089237316195423570985008687907853" }],
    link: "https://etherscan.io/address/0x00",
    range: {
      lower: "2,050.0",
      upper: "2,250.0",
      price: "2,310.0",
      unit: "USDC per ETH",
      inverted: false,
      lowerTick: -200_000,
      upperTick: -199_000,
      tick: -198_890,
    },
    recent: ["1", "0.000001"],
    values: [
      {
        subject: "v4_pool:1:0xaa",
        metric: "amount1",
        quantity: "raw(token1)",
        value: "115792089237316195423570985008687907853",
        decimals: 18,
        unit: "USDC",
        op: "falls",
        limits: [],
        base: "115792089237316195423570985008687907854",
        baseAt: at - 1,
      },
    ],
    labels: { team: "lp" },
  };
}

export function message(id: string, notices: readonly string[], channel = "lp"): Message {
  return { id, channel, notices, body: `{"text":"${id} 🔴"}`, attempts: 1 };
}

export function alert(rule: string, subject: string, more: Partial<Alert> = {}): Alert {
  return {
    rule,
    subject,
    createdAt: 1_760_000_000_000,
    started: false,
    state: "ok",
    since: 1_760_000_000_000,
    heldAt: null,
    firedAt: null,
    firedBucket: null,
    missing: null,
    lastNotified: { state: "ok", value: null, channels: [] },
    label: null,
    seen: null,
    life: null,
    ...more,
  };
}

const FULL_ALERT = alert("tvl-drop", "v4_pool:1:0xaa", {
  started: true,
  state: "recovering",
  since: 1_760_000_060_001,
  heldAt: 1_760_000_060_002,
  firedAt: 1_760_000_060_003,
  firedBucket: 1_760_000_060_004,
  missing: { since: 1_760_000_060_005, rounds: 3, told: true },
  lastNotified: { state: "firing", value: "0.000000000000000001", channels: ["lp", "mail"] },
  label: "ETH/USDC 0.05%",
  seen: { tvl_usd: ["1", "115792089237316195423570985008687907853"], tick: [] },
  life: {
    firings: { dates: [1_760_000_000_000], on: { since: 1, told: 2, side: 3 } },
    gaps: { dates: [], on: null },
    worst: {
      up: { far: "-115792089237316195423570985008687907853", of: "0.000000000000000001" },
      down: null,
      value: "5",
      way: "up",
    },
    reminded: { at: 4, count: 5 },
    cooling: 6,
    held: { count: 7, since: 8, base: null, first: "0x11", last: "0x22" },
    blindSince: 9,
    blindTo: ["lp"],
    byMissing: true,
    lapse: { trueSince: null },
    once: "spent",
    acked: { by: "anna", at: 10 },
  },
});

export function owing(id: string, channels: readonly string[] = ["lp"], at = 1_000): Change {
  return { ...NO_CHANGE, notices: [{ notice: notice(id, at), channels }] };
}

function run(series: number, first: number, last: number, value: string | null = "1"): Run {
  return { series, first, last, value };
}

/** What every store does. `place` makes a fresh one. */
export function storeSuite(name: string, place: () => Promise<StorePlace>): void {
  describe(`the store ${name}`, () => {
    let home: StorePlace;
    let store: Store;

    beforeEach(async () => {
      home = await place();
      store = await home.open();
    });
    afterEach(async () => {
      await store.close();
      await home.remove();
    });

    const reopen = async (): Promise<void> => {
      await store.close();
      store = await home.open();
    };
    const runs = (...all: Run[]): Promise<void> =>
      store.commit({ ...NO_CHANGE, series: SERIES, runs: all });

    describe("commit and load", () => {
      it("starts empty", async () => {
        expect(await store.load()).toEqual({
          alerts: [],
          rules: [],
          series: [],
          newest: new Map(),
          cursors: new Map(),
          marks: new Map(),
        });
        expect(await store.owed()).toEqual(new Map());
      });

      it("keeps one text for each subject, the last one", async () => {
        const of = (value: string) => [{ subject: "v4_swaps:1:0xaa", value }];
        await store.commit({ ...NO_CHANGE, cursors: of("a"), marks: of("1") });
        await store.commit({ ...NO_CHANGE, cursors: of("b"), marks: of("2") });
        const { cursors, marks } = await store.load();
        expect([...cursors]).toEqual([["v4_swaps:1:0xaa", "b"]]);
        expect([...marks]).toEqual([["v4_swaps:1:0xaa", "2"]]);
        expect(await store.mark("v4_swaps:1:0xaa")).toBe("2");
        expect(await store.mark("another")).toBeNull();
      });

      it("keeps every field of every noun over a restart", async () => {
        const plain = alert("tvl-drop", "v4_pool:1:0xbb");
        const missing = alert("a", "b", { missing: { since: 5, rounds: 1, told: false } });
        const rules = [
          { name: "tvl-drop", version: "abc", startedAt: 1_760_000_000_000, lastRound: 5 },
          { name: "new", version: "def", startedAt: null, lastRound: null },
        ];
        await store.commit({
          ...NO_CHANGE,
          series: SERIES,
          runs: [run(1, 10, 20, "18700000.123456789012345678"), run(3, 7, 7, null)],
          alerts: [FULL_ALERT, plain, missing],
          rules,
          versions: [{ version: "abc", source: "name: tvl-drop" }],
          notices: [{ notice: notice("n1"), channels: ["lp"] }],
          round: {
            date: 20,
            rules: ["tvl-drop", "new"],
            requests: 3,
            subjects: 41,
            failures: { "gas:1": { reason: "timeout", detail: "no answer in 10s" } },
            failed: 1,
            unread: [],
            tookMs: 12.5,
          },
        });
        await reopen();
        const loaded = await store.load();
        expect(sorted(loaded.alerts)).toEqual(sorted([FULL_ALERT, plain, missing]));
        expect(sorted(loaded.rules)).toEqual(sorted(rules));
        expect(sorted(loaded.series)).toEqual(sorted(SERIES));
        expect(loaded.newest).toEqual(
          new Map([
            [1, run(1, 10, 20, "18700000.123456789012345678")],
            [3, run(3, 7, 7, null)],
          ]),
        );
        expect(await store.claim("lp", 0)).toEqual({ kind: "notices", notices: [notice("n1")] });
      });

      it("keeps of an alert what it alone has of all that there may be", async () => {
        const { rule, subject, ...fields } = FULL_ALERT;
        const { lastNotified } = alert(rule, subject);
        const told = Object.entries(fields.lastNotified).map(([field, value]) => {
          return { lastNotified: { ...lastNotified, [field]: value } };
        });
        const each = Object.entries(fields).map(([field, value]) => ({ [field]: value }));
        const alerts = [...each, ...told].map((one, i) => alert(rule, `one ${i}`, one));
        await store.commit({ ...NO_CHANGE, alerts });
        expect(sorted((await store.load()).alerts)).toEqual(sorted(alerts));
      });

      it("replaces an alert and a rule whole", async () => {
        const rule = { name: "r", version: "1", startedAt: 5, lastRound: 6 };
        await store.commit({ ...NO_CHANGE, alerts: [FULL_ALERT], rules: [rule] });
        const after = alert(FULL_ALERT.rule, FULL_ALERT.subject);
        const edited = { name: "r", version: "2", startedAt: null, lastRound: null };
        await store.commit({ ...NO_CHANGE, alerts: [after], rules: [edited] });
        const loaded = await store.load();
        expect(loaded.alerts).toEqual([after]);
        expect(loaded.rules).toEqual([edited]);
      });

      it("remembers a round of many rules as the last one of each, until something newer is said", async () => {
        const rule = (of: string, lastRound: number | null) => {
          return { name: of, version: "1", startedAt: 1, lastRound };
        };
        const lasts = async (): Promise<unknown> =>
          Object.fromEntries((await store.load()).rules.map((one) => [one.name, one.lastRound]));
        const names = ["a", "b", "never there"];
        await store.commit({ ...NO_CHANGE, rules: [rule("a", null), rule("b", 2), rule("c", 3)] });
        await store.commit({ ...NO_CHANGE, closed: [{ date: 10, rules: names }] });
        expect(await lasts()).toEqual({ a: 10, b: 10, c: 3 });
        await store.commit({ ...NO_CHANGE, closed: [{ date: 20, rules: ["b", "c"] }] });
        await reopen();
        expect(await lasts()).toEqual({ a: 10, b: 20, c: 20 });
        // A clock that was set back makes them earlier.
        await store.commit({ ...NO_CHANGE, rules: [rule("a", 5), rule("b", 5), rule("c", 5)] });
        expect(await lasts()).toEqual({ a: 5, b: 5, c: 5 });
        await store.commit({ ...NO_CHANGE, closed: [{ date: 7, rules: names }] });
        await store.prune(100);
        await reopen();
        expect(await lasts()).toEqual({ a: 7, b: 7, c: 5 });
        // One that was taken out and put in again is a new one.
        await store.commit({ ...NO_CHANGE, removedRules: ["a"] });
        await store.commit({ ...NO_CHANGE, rules: [rule("a", null), rule("never there", null)] });
        expect(await lasts()).toEqual({ a: null, b: 7, c: 5, "never there": null });
        // What a change puts is said after the rounds that it closes.
        const closed = [{ date: 8, rules: ["a", "b"] }];
        await store.commit({ ...NO_CHANGE, closed, rules: [rule("a", 9)] });
        expect(await lasts()).toEqual({ a: 9, b: 8, c: 5, "never there": null });
      });

      it("removes what is gone and leaves its neighbours", async () => {
        const rule = { version: "1", startedAt: null, lastRound: null };
        await store.commit({
          ...NO_CHANGE,
          alerts: [alert("a", "1"), alert("a", "2"), alert("b", "1")],
          rules: [
            { name: "a", ...rule },
            { name: "b", ...rule },
          ],
        });
        await store.commit({
          ...NO_CHANGE,
          removedAlerts: [
            { rule: "a", subject: "1" },
            { rule: "never", subject: "was" },
          ],
          removedRules: ["b"],
        });
        const loaded = await store.load();
        expect(sorted(loaded.alerts)).toEqual(sorted([alert("a", "2"), alert("b", "1")]));
        expect(loaded.rules).toEqual([{ name: "a", ...rule }]);
      });

      it("commits nothing when a part of a change is refused", async () => {
        await store.commit({ ...NO_CHANGE, series: [SERIES[0]] });
        const good: Change = {
          ...owing("n1"),
          alerts: [FULL_ALERT],
          rules: [{ name: "r", version: "1", startedAt: null, lastRound: null }],
          series: [SERIES[1]],
        };
        const refused: Change[] = [
          { ...good, runs: [run(2, 1, 1), run(99, 1, 1)] },
          { ...good, series: [SERIES[1], { ...SERIES[2], id: 1 }] },
          { ...good, series: [SERIES[1], { ...SERIES[0], id: 4 }] },
        ];
        for (const change of refused) {
          await expect(store.commit(change)).rejects.toThrow(Error);
          await reopen();
          expect(await store.load()).toEqual({
            alerts: [],
            rules: [],
            series: [SERIES[0]],
            newest: new Map(),
            cursors: new Map(),
            marks: new Map(),
          });
          expect(await store.owed()).toEqual(new Map());
        }
        await store.commit(good);
        expect((await store.load()).alerts).toEqual([FULL_ALERT]);
      });

      it("takes the names of a refused change in the next one", async () => {
        const good = { ...NO_CHANGE, series: SERIES, alerts: [FULL_ALERT] };
        await expect(store.commit({ ...good, runs: [run(99, 1, 1)] })).rejects.toThrow(Error);
        await store.commit({ ...NO_CHANGE, alerts: [alert("another", "name")] });
        await store.commit(good);
        await reopen();
        const loaded = await store.load();
        expect(sorted(loaded.alerts)).toEqual(sorted([FULL_ALERT, alert("another", "name")]));
        expect(sorted(loaded.series)).toEqual(sorted(SERIES));
      });

      it("takes a series that is known already", async () => {
        await store.commit({ ...NO_CHANGE, series: SERIES, runs: [run(1, 1, 1)] });
        await store.commit({ ...NO_CHANGE, series: SERIES });
        expect((await store.load()).series).toHaveLength(SERIES.length);
        expect((await store.load()).newest.size).toBe(1);
      });
    });

    describe("runs", () => {
      const all = async (from = 0): Promise<readonly Run[]> =>
        (await store.window([1], from)).get(1) ?? [];

      it("extends and replaces a run with the same first", async () => {
        await runs(run(1, 10, 10, "5"));
        await runs(run(1, 10, 30, "5"));
        await runs(run(1, 10, 30, null));
        expect(await all()).toEqual([run(1, 10, 30, null)]);
        expect((await store.load()).newest.get(1)).toEqual(run(1, 10, 30, null));
      });

      it("knows the newest of each series whatever the order of commits", async () => {
        await runs(run(1, 30, 40), run(2, 5, 5));
        await runs(run(1, 10, 20), run(2, 6, 9));
        await runs(run(1, 25, 25));
        const { newest } = await store.load();
        expect(newest.get(1)).toEqual(run(1, 30, 40));
        expect(newest.get(2)).toEqual(run(2, 6, 9));
        expect(await all()).toEqual([run(1, 10, 20), run(1, 25, 25), run(1, 30, 40)]);
      });

      it("revises an older bucket in its place", async () => {
        await runs(run(1, 10, 10, "1"), run(1, 20, 20, "2"), run(1, 30, 30, "3"));
        await runs(run(1, 20, 20, "2.5"), run(1, 10, 10, null));
        expect(await all()).toEqual([
          run(1, 10, 10, null),
          run(1, 20, 20, "2.5"),
          run(1, 30, 30, "3"),
        ]);
      });

      it("takes a history that is older than everything, in whatever order", async () => {
        await runs(run(1, 1_000, 1_010), run(1, 1_020, 1_020), run(2, 5, 5));
        const points = Array.from({ length: 40 }, (_, i) => run(1, 10 * i, 10 * i, `p${i}`));
        await runs(...points.slice(20).toReversed());
        await runs(...points.slice(0, 10));
        // Between two parts of it, not sorted, and with another series in between.
        await runs(...points.slice(15, 20), run(2, 1, 1), ...points.slice(10, 15).toReversed());
        expect(await all()).toEqual([...points, run(1, 1_000, 1_010), run(1, 1_020, 1_020)]);
        expect((await store.load()).newest.get(1)).toEqual(run(1, 1_020, 1_020));
        expect((await all(385)).map(({ first }) => first)).toEqual([380, 390, 1_000, 1_020]);
        expect((await store.window([2], 0)).get(2)).toEqual([run(2, 1, 1), run(2, 5, 5)]);
      });

      it("puts many series of one commit each into its own", async () => {
        const ids = Array.from({ length: 101 }, (_, i) => 100 + i);
        const series = ids.map((id) => ({ id, subject: `s${id}`, metric: "m" }));
        await store.commit({ ...NO_CHANGE, series, runs: ids.map((id) => run(id, 10, 10, "a")) });
        // Some go on, some change, one has an older bucket revised.
        const next = ids.map((id) =>
          id % 2 === 0 ? run(id, 10, 20, "a") : run(id, 20, 20, `b${id}`),
        );
        await store.commit({ ...NO_CHANGE, runs: [...next, run(101, 10, 10, "revised")] });
        const found = await store.window(ids, 0);
        expect(found.size).toBe(101);
        expect(found.get(100)).toEqual([run(100, 10, 20, "a")]);
        expect(found.get(101)).toEqual([run(101, 10, 10, "revised"), run(101, 20, 20, "b101")]);
        expect(found.get(199)).toEqual([run(199, 10, 10, "a"), run(199, 20, 20, "b199")]);
        expect(found.get(200)).toEqual([run(200, 10, 20, "a")]);
      });

      it("moves only the ends of many runs that go on", async () => {
        const ids = Array.from({ length: 150 }, (_, i) => 100 + i);
        const series = ids.map((id) => ({ id, subject: `s${id}`, metric: "m" }));
        // The last one has no run yet, whatever is said of it.
        const known = ids.slice(0, -1);
        await store.commit({ ...NO_CHANGE, series, runs: known.map((id) => run(id, 10, 10, "a")) });
        for (const date of [20, 30]) {
          const next = ids.map((id) =>
            id === 107
              ? run(id, date, date, `b${date}`)
              : { ...run(id, 10, date, "a"), before: date - 10 },
          );
          await store.commit({ ...NO_CHANGE, runs: next });
        }
        const found = await store.window(ids, 0);
        for (const id of ids.filter((one) => one !== 107)) {
          expect(found.get(id)).toEqual([run(id, 10, 30, "a")]);
        }
        expect(found.get(107)).toEqual([
          run(107, 10, 10, "a"),
          run(107, 20, 20, "b20"),
          run(107, 30, 30, "b30"),
        ]);
      });

      it("moves the ends of runs that are written down together, each to its own", async () => {
        await runs(run(1, 10, 10, "a"), run(2, 10, 10, "b"));
        const goesOn = { before: 10 };
        await runs({ ...run(1, 10, 20, "a"), ...goesOn }, { ...run(2, 10, 30, "b"), ...goesOn });
        const { newest } = await store.load();
        expect(newest.get(1)).toEqual(run(1, 10, 20, "a"));
        expect(newest.get(2)).toEqual(run(2, 10, 30, "b"));
      });

      it("leaves the end of a run of an earlier round, between two that go on", async () => {
        await runs(run(1, 10, 20, "a"), run(2, 10, 10, "a"), run(3, 10, 20, "a"));
        const goesOn = { before: 20 };
        const first = { ...run(1, 10, 30, "a"), ...goesOn };
        await runs(first, run(2, 20, 20, "b"), { ...run(3, 10, 30, "a"), ...goesOn });
        const { newest } = await store.load();
        expect(newest.get(1)).toEqual(run(1, 10, 30, "a"));
        expect(newest.get(2)).toEqual(run(2, 20, 20, "b"));
        expect(newest.get(3)).toEqual(run(3, 10, 30, "a"));
      });

      it("moves no end for a commit that failed", async () => {
        await runs(run(1, 10, 10, "a"), run(2, 10, 10, "a"), run(3, 10, 10, "a"));
        const failing = [run(2, 20, 20, "b"), run(99, 20, 20, "b")];
        await expect(store.commit({ ...NO_CHANGE, runs: failing })).rejects.toThrow(Error);
        const goesOn = { before: 10 };
        await runs({ ...run(1, 10, 20, "a"), ...goesOn }, { ...run(3, 10, 20, "a"), ...goesOn });
        const { newest } = await store.load();
        expect(newest.get(1)).toEqual(run(1, 10, 20, "a"));
        expect(newest.get(2)).toEqual(run(2, 10, 10, "a"));
        expect(newest.get(3)).toEqual(run(3, 10, 20, "a"));
      });

      it("opens a window at the run that reaches it and the one before that", async () => {
        await runs(run(1, 10, 12), run(1, 20, 25), run(1, 30, 35), run(1, 40, 40));
        const firsts = async (from: number): Promise<number[]> =>
          (await all(from)).map(({ first }) => first);
        expect(await firsts(25)).toEqual([10, 20, 30, 40]);
        expect(await firsts(26)).toEqual([20, 30, 40]);
        expect(await firsts(30)).toEqual([20, 30, 40]);
        expect(await firsts(35)).toEqual([20, 30, 40]);
        expect(await firsts(36)).toEqual([30, 40]);
        expect(await firsts(41)).toEqual([40]);
        expect(await firsts(1_000)).toEqual([40]);
        expect(await firsts(0)).toEqual([10, 20, 30, 40]);
      });

      it("finds a run that began long before the window", async () => {
        await runs(run(1, 1, 2), run(1, 3, 1_000_000), run(2, 5, 6));
        const found = await store.window([1, 2, 3, 99], 999_999);
        expect(found).toEqual(
          new Map([
            [1, [run(1, 1, 2), run(1, 3, 1_000_000)]],
            [2, [run(2, 5, 6)]],
          ]),
        );
      });
    });

    describe("rewind", () => {
      it("dates what is later now, keeps the last of it, and leaves other series", async () => {
        await runs(
          run(1, 10, 20, "a"),
          run(1, 30, 50, "b"),
          run(1, 60, 70, "c"),
          run(1, 80, 90, "d"),
          run(2, 10, 90, "e"),
          run(3, 80, 90, "f"),
        );
        for (const _ of ["once", "again"]) {
          await store.rewind([1, 2, 4], 40);
          await reopen();
          expect(await store.window([1, 2, 3], 0)).toEqual(
            new Map([
              [1, [run(1, 10, 20, "a"), run(1, 30, 40, "b"), run(1, 40, 40, "d")]],
              [2, [run(2, 10, 40, "e")]],
              [3, [run(3, 80, 90, "f")]],
            ]),
          );
        }
        await runs(run(1, 41, 41, "g"));
        expect((await store.load()).newest.get(1)).toEqual(run(1, 41, 41, "g"));
      });

      it("leaves one run of those that began now", async () => {
        await runs(run(1, 10, 20, "a"), run(1, 40, 50, "b"), run(1, 60, 70, "c"));
        await store.rewind([1], 40);
        expect((await store.window([1], 0)).get(1)).toEqual([
          run(1, 10, 20, "a"),
          run(1, 40, 40, "c"),
        ]);
      });
    });

    describe("the queue of a channel", () => {
      const idle = { kind: "idle", until: null };

      it("gives the notices in the order of their commits, each channel its own", async () => {
        await store.commit({
          ...NO_CHANGE,
          notices: [
            { notice: notice("z"), channels: ["lp", "mail"] },
            { notice: notice("a"), channels: ["lp"] },
            { notice: notice("untold"), channels: [] },
          ],
        });
        await store.commit(owing("b", ["lp"], 1));
        expect(await store.owed()).toEqual(
          new Map([
            ["lp", 3],
            ["mail", 1],
          ]),
        );
        const order = [];
        for (let turn = await store.claim("lp", 0); turn.kind === "notices"; ) {
          const [{ id }] = turn.notices;
          order.push(id);
          await store.freeze(message(`m-${id}`, [id]), 0);
          await store.settle(`m-${id}`, { status: "sent", at: 5 });
          turn = await store.claim("lp", 0);
        }
        expect(order).toEqual(["z", "a", "b"]);
        expect(await store.claim("lp", 0)).toEqual(idle);
        expect(await store.claim("mail", 0)).toEqual({ kind: "notices", notices: [notice("z")] });
        expect(await store.owed()).toEqual(new Map([["mail", 1]]));
        expect(await store.claim("nobody", 0)).toEqual(idle);
      });

      it("repeats itself until something is settled, also over a restart", async () => {
        await store.commit(owing("n1"));
        await store.commit(owing("n2"));
        const both = { kind: "notices", notices: [notice("n1"), notice("n2")] };
        expect(await store.claim("lp", 0)).toEqual(both);
        await reopen();
        expect(await store.claim("lp", 0)).toEqual(both);
        const frozen = message("m1", ["n1"]);
        await store.freeze(frozen, 0);
        // The process died in the send: the same message again, as the same attempt.
        await reopen();
        expect(await store.claim("lp", 0)).toEqual({ kind: "message", message: frozen });
        expect(await store.owed()).toEqual(new Map([["lp", 2]]));
      });

      it("keeps a message with several notices together and in their order", async () => {
        for (const id of ["n1", "n2", "n3"]) await store.commit(owing(id));
        const frozen = message("m1", ["n3", "n1"]);
        await store.freeze(frozen, 0);
        expect(await store.claim("lp", 0)).toEqual({ kind: "message", message: frozen });
        await store.settle("m1", { status: "sent", at: 1 });
        expect(await store.claim("lp", 0)).toEqual({ kind: "notices", notices: [notice("n2")] });
      });

      it("lets nothing overtake a message that waits, and counts its sends", async () => {
        await store.commit(owing("n1"));
        await store.commit(owing("n2"));
        await store.freeze(message("m1", ["n1"]), 0);
        await store.settle("m1", { status: "waiting", at: 1, until: 500, error: "503" });
        expect(await store.claim("lp", 499)).toEqual({ kind: "idle", until: 500 });
        await reopen();
        expect(await store.claim("lp", 499)).toEqual({ kind: "idle", until: 500 });
        const second = { ...message("m1", ["n1"]), attempts: 2 };
        expect(await store.claim("lp", 500)).toEqual({ kind: "message", message: second });
        await store.settle("m1", { status: "waiting", at: 1, until: 900, error: "503" });
        expect(await store.claim("lp", 900)).toMatchObject({ message: { attempts: 3 } });
        await store.settle("m1", { status: "sent", at: 901 });
        expect(await store.claim("lp", 901)).toEqual({ kind: "notices", notices: [notice("n2")] });
      });

      it("sends the older of two messages first, as where a dead one is owed again", async () => {
        await store.commit(owing("n1"));
        await store.commit(owing("n2"));
        await store.freeze(message("z", ["n1"]), 0);
        await store.freeze(message("a", ["n2"]), 0);
        const ids = async (): Promise<string[]> =>
          (await store.backlog()).messages.map(({ message: { id } }) => id);
        expect(await ids()).toEqual(["z", "a"]);
        expect(await store.claim("lp", 0)).toEqual({
          kind: "message",
          message: message("z", ["n1"]),
        });
        await store.settle("z", { status: "sent", at: 1 });
        expect(await ids()).toEqual(["a"]);
        expect(await store.claim("lp", 1)).toEqual({
          kind: "message",
          message: message("a", ["n2"]),
        });
      });

      it("goes on after a dead message", async () => {
        await store.commit(owing("n1"));
        await store.commit(owing("n2"));
        await store.freeze(message("m1", ["n1"]), 0);
        await store.settle("m1", { status: "dead", at: 3, error: "invalid_blocks" });
        expect(await store.claim("lp", 3)).toEqual({ kind: "notices", notices: [notice("n2")] });
        expect(await store.owed()).toEqual(new Map([["lp", 1]]));
      });

      it("wakes what waits on one channel and keeps the count", async () => {
        await store.commit(owing("n1", ["lp", "mail"]));
        await store.freeze(message("m1", ["n1"]), 0);
        await store.freeze(message("m2", ["n1"], "mail"), 0);
        for (const id of ["m1", "m2"]) {
          await store.settle(id, { status: "waiting", at: 1, until: 600_000, error: "401" });
        }
        await store.wake("lp");
        expect(await store.claim("lp", 1)).toMatchObject({
          kind: "message",
          message: { id: "m1", attempts: 2 },
        });
        expect(await store.claim("mail", 1)).toEqual({ kind: "idle", until: 600_000 });
      });

      it("leaves a settled message as it is", async () => {
        await store.commit(owing("n1"));
        await store.freeze(message("m1", ["n1"]), 0);
        await store.settle("m1", { status: "sent", at: 1 });
        await store.settle("m1", { status: "waiting", at: 1, until: 5, error: "late" });
        await store.settle("unknown", { status: "sent", at: 1 });
        await store.wake("lp");
        expect(await store.claim("lp", 10)).toEqual(idle);
        await store.settle("m1", { status: "dead", at: 9_000, error: "late" });
        expect(await store.prune(5_000)).toBe(2);
      });

      it("loses no notice whose id is taken: a clock that was set back makes ids again", async () => {
        await store.commit(owing("n1"));
        await store.freeze(message("m1", ["n1"]), 0);
        await store.settle("m1", { status: "sent", at: 1 });
        await store.commit({ ...owing("n1", ["lp", "mail"]), alerts: [FULL_ALERT] });
        await store.commit(owing("n1"));
        expect(await store.owed()).toEqual(
          new Map([
            ["lp", 2],
            ["mail", 1],
          ]),
        );
        const second = { ...notice("n1"), id: "n1-2" };
        const third = { ...notice("n1"), id: "n1-3" };
        expect(await store.claim("lp", 2)).toEqual({ kind: "notices", notices: [second, third] });
        expect(await store.claim("mail", 2)).toEqual({ kind: "notices", notices: [second] });
        await store.freeze(message("m2", ["n1-2"]), 2);
        await store.settle("m2", { status: "sent", at: 2 });
        expect(await store.claim("lp", 2)).toEqual({ kind: "notices", notices: [third] });
      });

      it("leaves out of a claim what is held back, also over a restart", async () => {
        for (const id of ["n1", "n2"]) await store.commit(owing(id, ["lp", "mail"]));
        await store.hold("lp", ["n1"], 500);
        const second = { kind: "notices", notices: [notice("n2")] };
        expect(await store.claim("lp", 0)).toEqual(second);
        await reopen();
        expect(await store.claim("lp", 0)).toEqual(second);
        expect(await store.claim("mail", 0)).toMatchObject({
          notices: [{ id: "n1" }, { id: "n2" }],
        });
        await store.hold("lp", ["n2"], 400);
        expect(await store.claim("lp", 0)).toEqual({ kind: "idle", until: 400, held: true });
        // Not even when its time has come: whoever holds it lets go of it.
        expect(await store.claim("lp", 900)).toEqual({ kind: "idle", until: 400, held: true });
        expect(await store.owed()).toEqual(
          new Map([
            ["lp", 2],
            ["mail", 2],
          ]),
        );
      });

      it("shows with what is held no longer everything that is held for the same alerts", async () => {
        const alerts = [
          notice("a1"),
          { ...notice("b1"), subject: "v4_pool:1:0xbb" },
          notice("a2"),
          { ...notice("c1"), rule: null, subject: null },
          { ...notice("c2"), rule: null, subject: null },
          notice("a3"),
        ];
        for (const one of alerts) {
          await store.commit({
            ...NO_CHANGE,
            notices: [{ notice: one, channels: ["lp", "mail"] }],
          });
        }
        const ids = async (channel: string, now: number): Promise<string[]> =>
          (await store.held(channel, now)).map(({ id }) => id);
        expect(await ids("lp", 1_000)).toEqual([]);
        await store.hold("lp", ["c2", "a1", "b1"], 300);
        await store.hold("lp", ["a2", "c1"], 200);
        expect(await ids("lp", 199)).toEqual([]);
        expect(await ids("lp", 200)).toEqual(["a1", "a2", "c1", "c2"]);
        expect(await ids("lp", Number.MAX_SAFE_INTEGER)).toEqual(["a1", "b1", "a2", "c1", "c2"]);
        expect(await ids("mail", 1_000)).toEqual([]);
        // What may be told in one channel is held in another one for as long as before.
        await store.hold("mail", ["b1"], 100);
        expect(await ids("lp", 200)).toEqual(["a1", "a2", "c1", "c2"]);
        await store.hold("lp", ["a1", "a2"], 700);
        await reopen();
        expect(await ids("lp", 300)).toEqual(["b1", "c1", "c2"]);
      });

      it("releases what was held: kept, dropped, and told in its place, for one channel", async () => {
        for (const id of ["n1", "n2", "n3"]) await store.commit(owing(id, ["lp", "mail"]));
        await store.hold("lp", ["n1", "n2"], 500);
        await store.hold("mail", ["n2"], 500);
        await store.release("lp", { keep: ["n2"], drop: ["n1"], add: [notice("sum")] });
        await reopen();
        expect(await store.held("lp", 1_000)).toEqual([]);
        expect(await store.held("mail", 1_000)).toEqual([notice("n2")]);
        await store.release("mail", { keep: ["n2"], drop: [], add: [] });
        expect(await store.claim("lp", 0)).toMatchObject({
          notices: [{ id: "n2" }, { id: "n3" }, { id: "sum" }],
        });
        expect(await store.claim("mail", 0)).toMatchObject({
          notices: [{ id: "n1" }, { id: "n2" }, { id: "n3" }],
        });
        await store.freeze(message("m1", ["n2", "sum"]), 0);
        await store.settle("m1", { status: "sent", at: 1 });
        expect(await store.owed()).toEqual(
          new Map([
            ["lp", 1],
            ["mail", 3],
          ]),
        );
      });

      it("neither holds nor drops what is in a message already", async () => {
        await store.commit(owing("n1"));
        await store.freeze(message("m1", ["n1"]), 0);
        await store.hold("lp", ["n1", "unknown"], 500);
        await store.release("lp", { keep: ["unknown"], drop: ["n1"], add: [] });
        expect((await store.backlog()).notices).toMatchObject([{ owed: [{ heldUntil: null }] }]);
        expect(await store.held("lp", 1_000)).toEqual([]);
        expect(await store.claim("lp", 0)).toEqual({
          kind: "message",
          message: message("m1", ["n1"]),
        });
        await store.settle("m1", { status: "sent", at: 1 });
        expect(await store.claim("lp", 0)).toEqual(idle);
      });

      it("holds what is in a message no longer", async () => {
        const other = { ...notice("n3"), subject: "v4_pool:1:0xbb" };
        for (const id of ["n1", "n2"]) await store.commit(owing(id));
        await store.commit({ ...NO_CHANGE, notices: [{ notice: other, channels: ["lp"] }] });
        await store.hold("lp", ["n1", "n3"], 500);
        await store.hold("lp", ["n2"], 900);
        await store.freeze(message("m1", ["n1"]), 0);
        await store.settle("m1", { status: "sent", at: 1 });
        // Neither is it shown again, nor does it let go of others, nor is its end waited for.
        expect(await store.held("lp", 500)).toEqual([other]);
        await store.release("lp", { keep: [], drop: ["n3"], add: [] });
        expect(await store.held("lp", 900)).toEqual([notice("n2")]);
        expect(await store.claim("lp", 0)).toEqual({ kind: "idle", until: 900, held: true });
      });

      it("refuses to put a notice into two messages of a channel", async () => {
        await store.commit(owing("n1"));
        await store.commit(owing("n2"));
        await store.freeze(message("m1", ["n1"]), 0);
        await expect(store.freeze(message("m2", ["n2", "n1"]), 0)).rejects.toThrow(Error);
        await expect(store.freeze(message("m3", ["n2"], "mail"), 0)).rejects.toThrow(Error);
        await expect(store.freeze(message("m1", ["n2"]), 0)).rejects.toThrow(Error);
        await store.settle("m1", { status: "sent", at: 1 });
        expect(await store.claim("lp", 2)).toEqual({ kind: "notices", notices: [notice("n2")] });
      });
    });

    describe("prune", () => {
      it("deletes runs that ended before, but never the newest of a series", async () => {
        await runs(
          run(1, 10, 19),
          run(1, 20, 99),
          run(1, 100, 100),
          run(2, 5, 6),
          run(3, 1, 2),
          run(3, 3, 200),
        );
        expect(await store.prune(99)).toBe(2);
        expect(await store.window([1, 2, 3], 0)).toEqual(
          new Map([
            [1, [run(1, 20, 99), run(1, 100, 100)]],
            [2, [run(2, 5, 6)]],
            [3, [run(3, 3, 200)]],
          ]),
        );
        expect(await store.prune(99)).toBe(0);
        await runs(run(1, 110, 110), run(2, 110, 110));
        expect((await store.window([1], 0)).get(1)).toHaveLength(3);
        expect((await store.window([2], 0)).get(2)).toHaveLength(2);
      });

      it("takes an old bucket after the ones around it are gone", async () => {
        await runs(run(1, 10, 10), run(1, 20, 20), run(1, 30, 30));
        await store.prune(25);
        await runs(run(1, 15, 15), run(1, 28, 28));
        expect((await store.window([1], 0)).get(1)).toEqual([
          run(1, 15, 15),
          run(1, 28, 28),
          run(1, 30, 30),
        ]);
      });

      it("deletes rounds and what was delivered, and keeps what is owed", async () => {
        const round = {
          rules: ["r"],
          requests: 1,
          subjects: 1,
          failures: {},
          failed: 0,
          unread: [],
        };
        await store.commit({ ...owing("sent"), round: { ...round, date: 10, tookMs: 1 } });
        await store.commit({ ...owing("dead"), round: { ...round, date: 99, tookMs: 1 } });
        await store.commit({ ...owing("late"), round: { ...round, date: 100, tookMs: 1 } });
        await store.commit(owing("frozen"));
        await store.commit(owing("open"));
        await store.commit(owing("untold", []));
        for (const id of ["sent", "dead", "late", "frozen"]) {
          await store.freeze(message(`m-${id}`, [id]), 0);
        }
        await store.settle("m-sent", { status: "sent", at: 5_000 });
        await store.settle("m-dead", { status: "dead", at: 5_000, error: "550" });
        await store.settle("m-late", { status: "sent", at: 9_000 });
        // Before anything was told: only rounds.
        expect(await store.prune(100)).toBe(2);
        // The late one, the frozen one and the open one stay.
        expect(await store.prune(6_000)).toBe(1 + 2 + 2 + 1);
        expect(await store.owed()).toEqual(new Map([["lp", 2]]));
        await store.settle("m-frozen", { status: "sent", at: 9_000 });
        expect(await store.claim("lp", 0)).toEqual({ kind: "notices", notices: [notice("open")] });
        expect(await store.prune(10_000)).toBe(4);
      });
    });
  });
}

/** Stores promise no order of what they load. */
function sorted(rows: readonly unknown[]): readonly string[] {
  return rows.map((row) => JSON.stringify(row)).toSorted();
}
