import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { StoreError } from "../../src/store/store.ts";
import { createMemoryStore } from "../support/memory-store.ts";
import { enduring, FULL } from "./scripted-store.ts";
import { changeOf, hasSteps } from "./steps.ts";
import { message } from "./store-suite.ts";

function setUp() {
  const parts = enduring();
  const { line, store } = parts;
  /** Step 1 is written and its message frozen; step 2 is kept. */
  const keep = async (): Promise<void> => {
    await store.commit(changeOf(1));
    await store.freeze(message("m1", ["n1"]), 5);
    line.fail();
    await store.commit(changeOf(2));
  };
  const sent = (id: string): Promise<void> => store.settle(id, { status: "sent", at: 6 });
  return { ...parts, keep, sent };
}

describe("what was kept, while it is written", () => {
  it("comes before what comes meanwhile, also where the disk is full again", async () => {
    const { inner, line, heard, store, keep, sent, retry } = setUp();
    await keep();
    await sent("m1");
    await store.freeze(message("m2", ["n2"]), 7);
    line.fail(null);
    const writing = line.hold("commit", "before");
    const retrying = retry();
    await writing.begun;
    await store.commit(changeOf(3));
    await sent("m2");
    expect((await store.load()).alerts).toMatchObject([{ since: 3 }]);
    line.fail();
    writing.fail(FULL);
    await retrying;
    line.fail(null);
    await retry();
    expect(heard).toEqual(["the disk is full", "over"]);
    await hasSteps(inner, [1, 2, 3], [3]);
    expect((await inner.backlog()).messages).toEqual([]);
  });

  it("is not all of it where something was sent meanwhile", async () => {
    const { inner, line, heard, store, keep, sent, retry } = setUp();
    await keep();
    await store.freeze(message("m2", ["n2"]), 7);
    line.fail(null);
    const writing = line.hold("freeze", "after");
    const retrying = retry();
    await writing.begun;
    await sent("m2");
    writing.goOn();
    await retrying;
    expect(heard).toEqual(["the disk is full", "over"]);
    await hasSteps(inner, [1, 2], [1]);
  });

  it("knows what was sent in the very moment in which it is over", async () => {
    for (let turns = 0; turns < 40; turns += 1) {
      const { inner, line, heard, keep, sent, retry } = setUp();
      await keep();
      line.fail(null);
      const retrying = retry();
      for (let one = 0; one < turns; one += 1) await Promise.resolve();
      await sent("m1");
      await retrying;
      await retry();
      expect(heard).toEqual(["the disk is full", "over"]);
      await hasSteps(inner, [1, 2], [2]);
    }
  });

  it("is in a window that was asked for before", async () => {
    const { line, store, keep, retry } = setUp();
    await keep();
    const reading = line.hold("window", "after");
    const window = store.window([1], 0);
    await reading.begun;
    line.fail(null);
    await retry();
    reading.goOn();
    expect((await window).get(1)).toMatchObject([{ first: 1 }, { first: 2 }]);
  });

  it("is tried again after a fault of the program", async () => {
    const { inner, line, heard, keep, retry } = setUp();
    await keep();
    line.fail(new TypeError("a fault"));
    await retry();
    expect(heard).toEqual(["the disk is full", "TypeError: a fault"]);
    line.fail(null);
    await retry();
    expect(heard.at(-1)).toBe("over");
    await hasSteps(inner, [1, 2], [1, 2]);
  });

  it("is written but for what can never be done", async () => {
    const { inner, line, heard, store, keep, sent, retry } = setUp();
    await keep();
    await sent("m1");
    await store.freeze(message("m2", ["n2"]), 7);
    await sent("m2");
    line.fail(null);
    line.next("settle", { before: () => Promise.reject(new Error("refused")) });
    await retry();
    expect(heard).toEqual(["the disk is full", "Error: refused", "over"]);
    await hasSteps(inner, [1, 2], [1]);
  });

  it("is not given up by a step that fails for the disk", async () => {
    const { inner, line, heard, keep, sent, retry } = setUp();
    await keep();
    await sent("m1");
    line.fail(null);
    line.next("settle", { before: () => Promise.reject(FULL) });
    await retry();
    await retry();
    expect(heard).toEqual(["the disk is full", "over"]);
    await hasSteps(inner, [1, 2], [2]);
  });
});

describe("an outage", () => {
  it("that is looked after before all that is owed was taken over ends all the same", async () => {
    const { inner, line, clock, heard, store } = setUp();
    const notices = Array.from({ length: 1_500 }, (_, at) => changeOf(at).notices).flat();
    await store.commit({ ...changeOf(1), notices });
    line.fail();
    const state = { isKept: false };
    const keeping = store.commit(changeOf(2_000)).then(() => {
      state.isKept = true;
    });
    while (!state.isKept) {
      if (clock.next() !== null) clock.step();
      await turn();
    }
    await keeping;
    line.fail(null);
    await clock.advance(5_000);
    expect(heard).toEqual(["the disk is full", "over"]);
    expect((await inner.load()).alerts).toMatchObject([{ since: 2_000 }]);
  });

  it("of a file that is gone opens it anew, however often that fails", async () => {
    const [before, after] = [createMemoryStore(), createMemoryStore()];
    const attempts = [FULL, null];
    const { line, heard, store, retry } = enduring(before, {
      reopen: async () => {
        const why = attempts.shift();
        if (why !== null && why !== undefined) throw why;
        return after;
      },
    });
    line.fail(new StoreError("gone", "the file was deleted"));
    await store.commit(changeOf(1));
    await retry();
    await retry();
    expect(heard).toEqual(["the file was deleted", "over"]);
    await hasSteps(after, [1]);
  });
});

describe("a stop while nothing can be written", () => {
  it("says why that is so by now", async () => {
    const { line, store, keep, retry } = setUp();
    await keep();
    line.fail(new StoreError("unwritable", "the disk is gone"));
    await retry();
    await expect(store.close()).rejects.toThrow("the disk is gone; what was kept");
  });

  it("is not held up by another attempt where one was under way", async () => {
    const { line, store, keep, retry } = setUp();
    await keep();
    const writing = line.hold("commit", "before");
    const retrying = retry();
    await writing.begun;
    const closed = store.close().catch(String);
    const before = line.calls.length;
    writing.fail(FULL);
    await retrying;
    expect(await closed).toContain("is lost");
    expect(line.calls.slice(before)).toEqual([]);
  });

  it("leaves the database alone from then on", async () => {
    const { line, heard, store, keep, retry } = setUp();
    await keep();
    await expect(store.close()).rejects.toThrow("is lost");
    const before = line.calls.length;
    line.fail(null);
    await retry();
    expect(heard).toEqual(["the disk is full"]);
    expect(line.calls.slice(before)).toEqual([]);
  });
});
