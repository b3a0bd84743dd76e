import { describe, expect, it } from "vitest";
import { type Command, NO_CHANGE, type Silence } from "../../src/model/index.ts";
import type { Store } from "../../src/store/store.ts";
import { createMemoryStore } from "../support/memory-store.ts";
import { enduring, FULL } from "./scripted-store.ts";
import { changeOf, hasSteps } from "./steps.ts";
import { message, notice } from "./store-suite.ts";

describe("while nothing can be written", () => {
  it("a notice that is held stays so", async () => {
    const { line, store } = enduring();
    await store.commit(changeOf(1));
    await store.hold("lp", ["n1"], 900);
    line.fail();
    await store.commit(changeOf(2));
    expect(await store.claim("lp", 5)).toMatchObject({ notices: [{ id: "n2" }] });
    expect(await store.held("lp", 899)).toEqual([]);
    expect(await store.held("lp", 900)).toMatchObject([{ id: "n1" }]);
  });

  it("silences that were known hold until their end", async () => {
    const silence: Silence = {
      id: 1,
      rule: "low",
      subjects: null,
      labels: {},
      startsAt: 0,
      endsAt: 100,
      author: "anna",
      comment: null,
      createdAt: 0,
    };
    let isReadable = true;
    const silences = async (): Promise<readonly Silence[]> => {
      if (!isReadable) throw FULL;
      return [silence];
    };
    const { line, store } = enduring({ ...createMemoryStore(), silences });
    expect(await store.silences(50)).toEqual([silence]);
    isReadable = false;
    // One that cannot be read is nothing that went unsaid.
    await expect(store.silences(60)).rejects.toThrow("the disk is full");
    line.fail();
    await store.commit(changeOf(1));
    expect(await store.silences(99)).toEqual([silence]);
    expect(await store.silences(100)).toEqual([]);
  });

  it("a command is carried out once", async () => {
    const kept = createMemoryStore();
    const done = new Set<number>();
    const command = (id: number): Command => ({
      id,
      kind: "ack",
      rule: "low",
      subject: null,
      author: "anna",
      comment: null,
      at: 1,
    });
    const { line, store, retry } = enduring({
      ...kept,
      commands: async () => [1, 2].filter((id) => !done.has(id)).map(command),
      commit: async (change) => {
        await kept.commit({ ...change, commands: [] });
        for (const id of change.commands) done.add(id);
      },
    });
    const open = async (): Promise<readonly number[]> =>
      (await store.commands()).map(({ id }) => id);
    line.fail();
    await store.commit({ ...changeOf(1), commands: [1] });
    expect(await open()).toEqual([2]);
    // Also where it is over while they are read.
    const reading = line.hold("commands", "after");
    const found = open();
    await reading.begun;
    line.fail(null);
    await retry();
    reading.goOn();
    expect(await found).toEqual([2]);
    expect(await open()).toEqual([2]);
  });

  it("nothing is pruned", async () => {
    let pruned = 0;
    const prune = async (): Promise<number> => {
      pruned += 1;
      return 7;
    };
    const { line, store, retry } = enduring({ ...createMemoryStore(), prune });
    line.fail();
    await store.commit(changeOf(1));
    expect([await store.prune(5), pruned]).toEqual([0, 0]);
    line.fail(null);
    await retry();
    expect([await store.prune(5), pruned]).toEqual([7, 1]);
  });

  it("a clock that is set back sets back what is written already", async () => {
    const { inner, line, store, retry } = enduring();
    for (const step of [1, 5, 9]) await store.commit(changeOf(step));
    line.fail();
    await store.commit(changeOf(10));
    await store.rewind([1], 6);
    await store.commit(changeOf(7));
    line.fail(null);
    await retry();
    expect((await inner.window([1], 0)).get(1)).toMatchObject([
      { first: 1, value: "1" },
      { first: 5, value: "5" },
      { first: 6, value: "10" },
      { first: 7, value: "7" },
    ]);
  });
});

describe("what was kept", () => {
  it("is owed to a channel of another daemon only where it was not sent meanwhile", async () => {
    const { inner, line, heard, store, retry } = enduring(createMemoryStore(), {
      isOurs: (channel) => channel === "lp",
    });
    line.fail();
    for (const id of ["n1", "n2"]) {
      const channels = ["lp", "mail"];
      await store.commit({ ...NO_CHANGE, notices: [{ notice: notice(id), channels }] });
    }
    for (const channel of ["lp", "mail"]) {
      await store.freeze(message(`m-${channel}`, ["n1"], channel), 5);
      await store.settle(`m-${channel}`, { status: "sent", at: 6 });
    }
    // The store of a daemon writes down nothing of what others send.
    line.next("freeze", {});
    line.next("freeze", { before: () => Promise.reject(new Error("not its own")) });
    line.fail(null);
    await retry();
    expect(heard).toEqual(["the disk is full", "Error: not its own", "over"]);
    expect(await inner.claim("lp", 7)).toMatchObject({ notices: [{ id: "n2" }] });
    expect(await inner.claim("mail", 7)).toMatchObject({ notices: [{ id: "n2" }] });
  });

  it("is written without samples where there were too many, which is said", async () => {
    const { line, heard, store, retry } = enduring();
    line.fail();
    const runs = Array.from({ length: 250_001 }, (_, at) => {
      return { series: 1, first: at, last: at, value: "lost" };
    });
    await store.commit({ ...changeOf(1), runs });
    const writing = line.hold("commit", "before");
    line.fail(null);
    const mending = retry();
    await writing.begun;
    await store.commit(changeOf(300_000));
    writing.goOn();
    await mending;
    expect(heard).toEqual(["the disk is full", "over, samples lost"]);
  });

  it("is written by a stop, with that it is over", async () => {
    const kept = createMemoryStore();
    const told: Promise<void>[] = [];
    let isClosed = false;
    const late: unknown[] = [];
    const inner: Store = {
      ...kept,
      commit: async (change) => {
        if (isClosed) late.push(change);
        await kept.commit(change);
      },
      close: async () => {
        isClosed = true;
      },
    };
    const { line, store } = enduring(inner, { onOver: () => told.push(store.commit(changeOf(3))) });
    line.fail();
    await store.commit(changeOf(2));
    line.fail(null);
    await store.close();
    await Promise.all(told);
    expect(late).toEqual([]);
    await hasSteps(kept, [2, 3]);
  });
});
