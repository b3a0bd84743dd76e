import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Change, NO_CHANGE } from "../../src/model/index.ts";
import { createFailoverStore } from "../../src/store/failover.ts";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";
import { type Backlog, type Loaded, type Store, StoreError } from "../../src/store/store.ts";
import { createFakeClock } from "../support/fake-clock.ts";
import { createMemoryStore } from "../support/memory-store.ts";
import { propertyRuns } from "../support/tier.ts";
import { sqlitePlace } from "./sqlite/place.ts";
import { alert, message, notice, SERIES, storeSuite } from "./store-suite.ts";

const CHANNELS = ["lp", "mail"];

interface Disk {
  full: boolean;
  /** So many more writes succeed. */
  room: number;
  /** Not even reading works. */
  unreadable: boolean;
  /** The connection breaks in the next commit, which is done or not; from then on it is full and cannot be read. */
  breaks?: "done" | "undone" | null;
}

/** A store on a disk that fails when it is told to. */
function onDisk(store: Store, disk: Disk): Store {
  const fails = new StoreError("unwritable", "the disk is full");
  const write = async <T>(act: () => Promise<T>): Promise<T> => {
    const { breaks } = disk;
    if (breaks !== undefined && breaks !== null && !disk.full) {
      if (breaks === "done") await act();
      Object.assign(disk, { breaks: null, full: true, unreadable: true });
      const settled = async (): Promise<boolean> => {
        if (disk.full) throw fails;
        return breaks === "done";
      };
      throw new StoreError("unwritable", "the disk is full", { settled });
    }
    if (disk.full || disk.room === 0) return Promise.reject(fails);
    disk.room -= 1;
    return act();
  };
  const read = <T>(act: () => Promise<T>): Promise<T> =>
    disk.unreadable ? Promise.reject(fails) : act();
  return {
    ...store,
    rewind: (series, now) => write(() => store.rewind(series, now)),
    commit: (change) => write(() => store.commit(change)),
    freeze: (one, now) => write(() => store.freeze(one, now)),
    settle: (id, result) => write(() => store.settle(id, result)),
    wake: (channel) => write(() => store.wake(channel)),
    hold: (channel, notices, until) => write(() => store.hold(channel, notices, until)),
    release: (channel, released) => write(() => store.release(channel, released)),
    claim: (channel, now) => read(() => store.claim(channel, now)),
    backlog: () => read(() => store.backlog()),
    window: (series, from) => read(() => store.window(series, from)),
  };
}

/** The clock was set back, and what came then was written in part before the disk was full again. */
const SET_BACK_AND_HALF_WRITTEN = [
  { kind: "disk" as const, full: true, room: Infinity },
  { kind: "rewind" as const, by: 0 },
  { kind: "commit" as const },
  { kind: "disk" as const, full: false, room: 2 },
  { kind: "wait" as const },
];

function setUp(inner: Store = createMemoryStore(), holdsSending = false) {
  const disk: Disk = { full: false, room: Infinity, unreadable: false };
  const clock = createFakeClock(0);
  const heard: string[] = [];
  const store = createFailoverStore({
    store: onDisk(inner, disk),
    holdsSending,
    clock,
    onOutage: ({ message: text }) => heard.push(text),
    onOver: (lost) => heard.push(lost ? "over, samples lost" : "over"),
    onTrouble: (error) => heard.push(String(error)),
  });
  return { inner, disk, clock, heard, store };
}

function changeOf(step: number, id: string): Change {
  return {
    ...NO_CHANGE,
    series: SERIES,
    runs: [{ series: 1, first: step, last: step, value: String(step) }],
    alerts: [alert("tvl-drop", "s", { since: step })],
    closed: [{ date: step, rules: step % 2 === 0 ? ["q", "r"] : ["r"] }],
    rules: ["r", "q"].flatMap((name, at) =>
      step % (3 + at) === 0 ? [{ name, version: "1", startedAt: step, lastRound: at }] : [],
    ),
    removedRules: step % 5 === 0 ? ["q"] : [],
    notices: [{ notice: notice(id, step), channels: CHANNELS }],
    round: {
      date: step,
      rules: ["r"],
      requests: 1,
      subjects: 1,
      failures: {},
      failed: 0,
      unread: [],
      tookMs: 1,
    },
  };
}

/** A store gives rules and alerts in any order. */
function inOrder(loaded: Loaded): Loaded {
  return {
    ...loaded,
    rules: loaded.rules.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    alerts: loaded.alerts.toSorted((a, b) => (a.subject < b.subject ? -1 : 1)),
  };
}

describe("a store whose disk fails", () => {
  it("gives nothing to send meanwhile where another daemon may send the same", async () => {
    const { disk, clock, heard, store } = setUp(createMemoryStore(), true);
    await store.commit(changeOf(1, "n1"));
    disk.full = true;
    // Nothing is sent that could not be written down.
    await expect(store.freeze(message("m1", ["n1"]), 2)).rejects.toThrow("the disk is full");
    await store.commit(changeOf(2, "n2"));
    expect(heard).toEqual(["the disk is full"]);
    expect(await store.claim("lp", 3)).toEqual({ kind: "idle", until: 5_003 });
    await expect(store.freeze(message("m1", ["n1"]), 4)).rejects.toThrow("the disk is full");
    disk.full = false;
    await clock.advance(5_000);
    expect(heard.at(-1)).toBe("over");
    expect(await store.claim("lp", 5)).toMatchObject({ notices: [{ id: "n1" }, { id: "n2" }] });
    await store.freeze(message("m1", ["n1", "n2"]), 6);
    expect(await store.claim("lp", 7)).toMatchObject({ message: { id: "m1" } });
  });

  it("writes runs whole that go on from samples which it has given up", async () => {
    const place = await sqlitePlace();
    onTestFinished(() => place.remove());
    const { disk, clock, heard, store } = setUp(await place.open());
    onTestFinished(() => store.close());
    const put = (first: number, last: number, value: string, before?: number): Promise<void> =>
      store.commit({
        ...changeOf(1, `n${last}`),
        runs: [{ series: 1, first, last, value, ...(before === undefined ? {} : { before }) }],
      });
    await put(1, 1, "early");
    disk.full = true;
    const many = Array.from({ length: 250_001 }, (_, i) => ({
      series: 1,
      first: 10 + i,
      last: 10 + i,
      value: "lost",
    }));
    await store.commit({ ...changeOf(1, "many"), runs: many });
    disk.full = false;
    await clock.advance(5_000);
    expect(heard.at(-1)).toBe("over, samples lost");
    await put(300_000, 300_001, "late", 300_000);
    await put(300_000, 300_002, "late", 300_001);
    expect((await store.window([1], 0)).get(1)).toEqual([
      { series: 1, first: 1, last: 1, value: "early" },
      { series: 1, first: 300_000, last: 300_002, value: "late" },
    ]);
  });

  it("goes on from memory, says it once, and writes all of it when that is possible", async () => {
    const { inner, disk, clock, heard, store } = setUp();
    await store.commit(changeOf(1, "n1"));
    disk.full = true;
    await store.commit(changeOf(2, "n2"));
    await store.commit(changeOf(3, "n3"));
    const claim = await store.claim("lp", 10);
    expect(claim).toMatchObject({
      kind: "notices",
      notices: [{ id: "n1" }, { id: "n2" }, { id: "n3" }],
    });
    await store.freeze(message("m1", ["n1", "n2"]), 10);
    await store.settle("m1", { status: "sent", at: 11 });
    expect(await store.claim("lp", 12)).toMatchObject({ kind: "notices", notices: [{ id: "n3" }] });
    await clock.advance(60_000);
    expect(heard).toEqual(["the disk is full"]);
    expect((await inner.load()).alerts).toMatchObject([{ since: 1 }]);
    disk.full = false;
    await clock.advance(5_000);
    expect(heard).toEqual(["the disk is full", "over"]);
    const { alerts, newest } = await inner.load();
    expect(alerts).toMatchObject([{ since: 3 }]);
    expect(newest.get(1)).toMatchObject({ first: 3 });
    expect(await inner.claim("lp", 12)).toMatchObject({ kind: "notices", notices: [{ id: "n3" }] });
    expect(await inner.owed()).toEqual(
      new Map([
        ["lp", 1],
        ["mail", 3],
      ]),
    );
    await store.commit(changeOf(4, "n4"));
    expect((await inner.load()).alerts).toMatchObject([{ since: 4 }]);
  });

  it("tells once what has the id of a notice from before the clock was set back", async () => {
    const place = await sqlitePlace();
    onTestFinished(() => place.remove());
    const { inner, disk, clock, heard, store } = setUp(await place.open());
    onTestFinished(() => store.close());
    const sent: string[] = [];
    const deliver = async (): Promise<void> => {
      for (const channel of CHANNELS) {
        const claim = await store.claim(channel, 10);
        if (claim.kind !== "notices") continue;
        const ids = claim.notices.map(({ id }) => id);
        const id = `m-${channel}-${ids.join()}`;
        await store.freeze(message(id, ids, channel), 10);
        await store.settle(id, { status: "sent", at: 11 });
        sent.push(...ids.map((one) => `${channel} ${one.replace(/-.*/, "")}`));
      }
    };
    // Delivered, still owed, and come again twice.
    await store.commit(changeOf(1, "n1"));
    await deliver();
    await store.commit(changeOf(2, "n2"));
    disk.full = true;
    for (const id of ["n1", "n2", "n3", "n3", "n1"]) await store.commit(changeOf(3, id));
    await deliver();
    disk.full = false;
    await clock.advance(5_000);
    await deliver();
    expect(heard).toEqual(["the disk is full", "over"]);
    expect(await inner.owed()).toEqual(new Map());
    const each = ["n1", "n2", "n1", "n2", "n3", "n3", "n1"];
    expect(sent.filter((one) => one.startsWith("lp"))).toEqual(each.map((id) => `lp ${id}`));
    expect(sent).toHaveLength(2 * each.length);
  });

  it("tells through itself that it fails, which is delivered from memory", async () => {
    const inner = createMemoryStore();
    const disk: Disk = { full: true, room: Infinity, unreadable: false };
    const told: Promise<void>[] = [];
    const store = createFailoverStore({
      store: onDisk(inner, disk),
      clock: createFakeClock(0),
      onOutage: () => void told.push(store.commit(changeOf(9, "self"))),
      onOver: () => {},
      onTrouble: () => {},
    });
    await store.commit(NO_CHANGE);
    await Promise.all(told);
    expect(await store.claim("lp", 10)).toMatchObject({ notices: [{ id: "self" }] });
  });

  it("sends a message that was under way as the same message", async () => {
    const { disk, store } = setUp();
    await store.commit(changeOf(1, "n1"));
    await store.freeze(message("m1", ["n1"]), 1);
    await store.settle("m1", { status: "waiting", at: 1, until: 50, error: "503" });
    disk.full = true;
    await store.commit(changeOf(2, "n2"));
    expect(await store.claim("lp", 20)).toEqual({ kind: "idle", until: 50 });
    expect(await store.claim("lp", 50)).toMatchObject({ message: { id: "m1", attempts: 2 } });
  });

  it("leaves in the store what cannot even be read, and delivers the rest", async () => {
    const { disk, clock, heard, store } = setUp();
    await store.commit(changeOf(1, "n1"));
    disk.full = true;
    disk.unreadable = true;
    await store.commit(changeOf(2, "n2"));
    expect(await store.claim("lp", 10)).toMatchObject({ notices: [{ id: "n2" }] });
    expect((await store.window([1], 0)).get(1)).toMatchObject([{ first: 2 }]);
    disk.full = false;
    disk.unreadable = false;
    await clock.advance(5_000);
    expect(heard.at(-1)).toBe("over");
    expect(await store.claim("lp", 10)).toMatchObject({ notices: [{ id: "n1" }, { id: "n2" }] });
  });

  it.each(["done", "undone"] as const)(
    "writes once what was in doubt when the connection broke: %s",
    async (breaks) => {
      const { inner, disk, clock, heard, store } = setUp();
      await store.commit(changeOf(1, "n1"));
      disk.breaks = breaks;
      await store.commit(changeOf(2, "n2"));
      await store.commit(changeOf(3, "n3"));
      expect((await store.window([1], 2)).get(1)).toMatchObject([{ first: 2 }, { first: 3 }]);
      const claim = await store.claim("lp", 10);
      expect(claim).toMatchObject({ notices: [{ id: "n2" }, { id: "n3" }] });
      await store.freeze(message("m1", ["n2"]), 10);
      await store.settle("m1", { status: "sent", at: 11 });
      Object.assign(disk, { full: false, unreadable: false });
      await clock.advance(5_000);
      expect(heard).toEqual(["the disk is full", "over"]);
      expect((await inner.load()).alerts).toMatchObject([{ since: 3 }]);
      expect(await inner.claim("lp", 12)).toMatchObject({
        notices: [{ id: "n1" }, { id: "n3" }],
      });
      expect(await inner.owed()).toEqual(
        new Map([
          ["lp", 2],
          ["mail", 3],
        ]),
      );
    },
  );

  it("ends as if no connection had ever broken, in whichever commits they did", async () => {
    const breaks = fc.constantFrom("done" as const, "undone" as const, null);
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ breaks, heals: fc.boolean(), waits: fc.boolean() }), {
          minLength: 1,
          maxLength: 30,
        }),
        async (steps) => {
          const { inner, disk, clock, store } = setUp();
          const plain = createMemoryStore();
          for (const [step, one] of steps.entries()) {
            disk.breaks = one.breaks;
            await store.commit(changeOf(step, `n${step}`));
            await plain.commit(changeOf(step, `n${step}`));
            expect(inOrder(await store.load())).toEqual(inOrder(await plain.load()));
            if (one.heals) Object.assign(disk, { full: false, unreadable: false });
            if (one.waits) await clock.advance(5_000);
          }
          Object.assign(disk, { full: false, unreadable: false, breaks: null });
          await clock.advance(5_000);
          await store.close();
          expect(inOrder(await inner.load())).toEqual(inOrder(await plain.load()));
          const bodies = ({ notices }: Backlog): unknown =>
            notices.map(({ notice: one }) => one.id);
          expect(bodies(await inner.backlog())).toEqual(bodies(await plain.backlog()));
        },
      ),
      { numRuns: propertyRuns(200) },
    );
  });

  it("writes what it holds when it is closed, if that is possible by then", async () => {
    const { inner, disk, store } = setUp();
    disk.full = true;
    await store.commit(changeOf(2, "n2"));
    disk.full = false;
    await store.close();
    expect((await inner.load()).alerts).toMatchObject([{ since: 2 }]);
  });

  it("fills windows with what came meanwhile", async () => {
    const { disk, store } = setUp();
    await store.commit(changeOf(1, "n1"));
    disk.full = true;
    await store.commit(changeOf(2, "n2"));
    const runs = (await store.window([1, 2], 0)).get(1);
    expect(runs).toMatchObject([{ first: 1 }, { first: 2 }]);
  });

  it("loads what came meanwhile, with what is written and what is in doubt", async () => {
    const { inner, disk, store } = setUp();
    await store.commit(changeOf(1, "n1"));
    disk.breaks = "undone";
    await store.commit(changeOf(2, "n2"));
    await store.commit({ ...NO_CHANGE, marks: [{ subject: "m", value: "1" }] });
    const slots = [7, 8];
    await store.commit({ ...NO_CHANGE, closed: [{ date: 4, rules: ["r"], slots }] });
    const loaded = await store.load();
    expect(loaded.alerts).toMatchObject([{ since: 2 }]);
    expect(loaded.newest.get(1)).toMatchObject({ first: 2 });
    expect(loaded.marks.get("m")).toBe("1");
    expect((await inner.load()).alerts).toMatchObject([{ since: 1 }]);
  });

  it("says when it is closed that what it holds is lost", async () => {
    const { disk, store } = setUp();
    disk.full = true;
    await store.commit(changeOf(2, "n2"));
    await expect(store.close()).rejects.toThrow(/the disk is full.*is lost/);
  });

  it("does not stand in for a store that another has taken over", async () => {
    const inner = createMemoryStore();
    const fenced = new StoreError("fenced", "another tickwatch has taken over");
    const { store } = setUp({ ...inner, commit: () => Promise.reject(fenced) });
    await expect(store.commit(NO_CHANGE)).rejects.toBe(fenced);
  });

  it("ends as if the disk had never failed, whenever it did", async () => {
    const anOperation = fc.oneof(
      { weight: 4, arbitrary: fc.constant({ kind: "commit" as const }) },
      {
        weight: 4,
        arbitrary: fc.record({
          kind: fc.constant("send" as const),
          channel: fc.constantFrom(...CHANNELS),
          result: fc.constantFrom("sent" as const, "waiting" as const, "dead" as const, null),
        }),
      },
      {
        weight: 2,
        arbitrary: fc.record({
          kind: fc.constant("hold" as const),
          channel: fc.constantFrom(...CHANNELS),
          ends: fc.boolean(),
        }),
      },
      {
        weight: 2,
        arbitrary: fc.record({
          kind: fc.constant("disk" as const),
          full: fc.boolean(),
          room: fc.option(fc.nat(8), { nil: Infinity }),
        }),
      },
      { weight: 2, arbitrary: fc.constant({ kind: "wait" as const }) },
      {
        weight: 1,
        arbitrary: fc.record({ kind: fc.constant("rewind" as const), by: fc.nat(5) }),
      },
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(anOperation, { minLength: 1, maxLength: 40 }),
        async (operations) => {
          const { inner, disk, clock, heard, store } = setUp();
          const plain = createMemoryStore();
          const both = async <T>(act: (one: Store) => Promise<T>): Promise<T> => {
            const answer = await act(store);
            expect(answer).toEqual(await act(plain));
            return answer;
          };
          for (const [step, operation] of operations.entries()) {
            if (operation.kind === "disk") {
              disk.full = operation.full;
              disk.room = operation.room;
            } else if (operation.kind === "wait") await clock.advance(5_000);
            else if (operation.kind === "commit")
              await both((one) => one.commit(changeOf(step, `n${step}`)));
            else if (operation.kind === "rewind") {
              await both((one) => one.rewind([1, 3], step - operation.by));
              await both((one) => one.window([1], 0));
            } else if (operation.kind === "hold") {
              const { channel } = operation;
              const held = await both((one) => one.held(channel, 1_000));
              if (operation.ends) {
                const [keep = [], drop = []] = [held.slice(0, 1), held.slice(1)].map((all) =>
                  all.map(({ id }) => id),
                );
                await both((one) =>
                  one.release(channel, { keep, drop, add: [notice(`a${step}`)] }),
                );
              }
              const claim = await both((one) => one.claim(channel, 1_000));
              if (claim.kind !== "notices") continue;
              await both((one) =>
                one.hold(
                  channel,
                  claim.notices.map(({ id }) => id),
                  900,
                ),
              );
            } else {
              const { channel, result } = operation;
              const claim = await both((one) => one.claim(channel, 1_000));
              if (claim.kind === "notices") {
                const ids = claim.notices.slice(0, 2).map(({ id }) => id);
                await both((one) => one.freeze(message(`m${step}`, ids, channel), step));
              } else if (claim.kind === "message" && result !== null) {
                const settlement =
                  result === "waiting"
                    ? { status: result, at: step, until: 500, error: "503" }
                    : { status: result, at: step, error: "550" };
                await both((one) => one.settle(claim.message.id, settlement));
              }
            }
            expect(await store.owed()).toEqual(await plain.owed());
            expect(inOrder(await store.load())).toEqual(inOrder(await plain.load()));
          }
          disk.full = false;
          disk.room = Infinity;
          await store.close();
          expect(heard.filter((line) => line !== "over" && line !== "the disk is full")).toEqual(
            [],
          );
          expect(inOrder(await inner.load())).toEqual(inOrder(await plain.load()));
          expect(await inner.backlog()).toEqual(await plain.backlog());
          expect(await inner.window([1], 0)).toEqual(await plain.window([1], 0));
        },
      ),
      { numRuns: propertyRuns(200), examples: [[SET_BACK_AND_HALF_WRITTEN]] },
    );
  });
});

/** A database on the disk with one change in it, and what is heard of it. */
async function setUpOnDisk() {
  const place = await sqlitePlace();
  onTestFinished(() => place.remove());
  const clock = createFakeClock(0);
  const heard: string[] = [];
  const store = createFailoverStore({
    store: await place.open(),
    reopen: () => openSqliteStore(place.path),
    clock,
    onOutage: ({ reason }) => heard.push(reason),
    onOver: () => heard.push("over"),
    onTrouble: (error) => heard.push(String(error)),
  });
  await store.commit(changeOf(1, "n1"));
  return { place, clock, heard, store };
}

describe("a database that another process keeps locked", () => {
  it("holds up nothing for longer than a moment, and has all of it afterwards", async () => {
    const { place, clock, heard, store } = await setUpOnDisk();
    onTestFinished(() => store.close());
    const other = await place.look();
    other.exec("BEGIN EXCLUSIVE");
    await store.commit(changeOf(2, "n2"));
    await store.commit(changeOf(3, "n3"));
    expect(heard).toEqual(["unwritable"]);
    const claim = await store.claim("lp", 5);
    expect(claim).toMatchObject({ notices: [{ id: "n1" }, { id: "n2" }, { id: "n3" }] });
    other.exec("ROLLBACK");
    other.close();
    await clock.advance(5_000);
    await expect.poll(() => heard.at(-1)).toBe("over");
    expect((await store.load()).alerts).toMatchObject([{ since: 3 }]);
  });
});

describe("a database whose file is deleted while it is used", () => {
  it("is written anew with all that was in it and what came since", async () => {
    const { place, clock, heard, store } = await setUpOnDisk();
    for (const end of ["", "-wal", "-shm"]) rmSync(place.path + end, { force: true });
    await store.commit(changeOf(2, "n2"));
    expect(heard).toEqual(["gone"]);
    expect(await store.claim("lp", 5)).toMatchObject({ notices: [{ id: "n1" }, { id: "n2" }] });
    await clock.advance(5_000);
    expect(heard).toEqual(["gone", "over"]);
    expect(existsSync(place.path)).toBe(true);
    await store.commit(changeOf(3, "n3"));
    await store.close();
    const again = await place.open();
    onTestFinished(() => again.close());
    expect((await again.load()).alerts).toMatchObject([{ since: 3 }]);
    expect((await again.window([1], 0)).get(1)).toHaveLength(3);
    expect(await again.owed()).toEqual(
      new Map([
        ["lp", 3],
        ["mail", 3],
      ]),
    );
  });
});

describe("a database that cannot be written anew at once", () => {
  it("is kept while its folder is gone, and is whole once that is back", async () => {
    const { place, clock, heard, store } = await setUpOnDisk();
    rmSync(place.folder, { recursive: true });
    await store.commit(changeOf(2, "n2"));
    await clock.advance(10_000);
    expect(heard).toEqual(["gone"]);
    mkdirSync(place.folder);
    await clock.advance(5_000);
    expect(heard).toEqual(["gone", "over"]);
    await store.close();
    const again = await place.open();
    onTestFinished(() => again.close());
    expect((await again.window([1], 0)).get(1)).toHaveLength(2);
    expect((await again.owed()).get("lp")).toBe(2);
  });

  it("is given up with a restart when it was damaged and is moved away", async () => {
    const { place, clock, heard, store } = await setUpOnDisk();
    const beside = await place.look();
    beside.pragma("wal_checkpoint(TRUNCATE)");
    beside.close();
    const bytes = statSync(place.path).size;
    const file = openSync(place.path, "r+");
    writeSync(file, Buffer.alloc(bytes - 4_096, "x"), 0, bytes - 4_096, 4_096);
    closeSync(file);
    await store.commit(changeOf(2, "n2"));
    expect(heard).toEqual(["corrupt"]);
    for (const end of ["", "-wal", "-shm"]) renameSync(place.path + end, `${place.path}.old${end}`);
    await clock.advance(60_000);
    expect(heard).toEqual(["corrupt", expect.stringContaining("restart to create a new one")]);
    await expect(store.close()).rejects.toThrow(/is lost/);
  });
});

storeSuite("that endures outages, while there is none", async () => {
  const place = await sqlitePlace();
  const silent = { onOutage: () => {}, onOver: () => {}, onTrouble: () => {} };
  const open = async (): Promise<Store> =>
    createFailoverStore({ store: await place.open(), clock: createFakeClock(0), ...silent });
  return { ...place, open };
});
