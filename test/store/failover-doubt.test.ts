import { describe, expect, it } from "vitest";
import { NO_CHANGE } from "../../src/model/index.ts";
import { enduring, FULL } from "./scripted-store.ts";
import { changeOf, hasSteps } from "./steps.ts";
import { message } from "./store-suite.ts";

const FATES = ["done", "undone"] as const;

function setUp() {
  const parts = enduring();
  const { line, store } = parts;
  /** Nothing can be written: what comes is kept. */
  const fail = async (step: number): Promise<void> => {
    line.fail();
    await store.commit(changeOf(step));
  };
  return { ...parts, fail };
}

describe("a connection that breaks in a commit", () => {
  it("is no outage where the database says at once that it was done", async () => {
    const { inner, line, heard, store } = setUp();
    await store.commit(changeOf(1));
    line.breakIn("commit", "done", false);
    await store.commit(changeOf(2));
    expect(heard).toEqual([]);
    await hasSteps(inner, [1, 2]);
  });

  it("is an outage where it says that it was not, and all is written once", async () => {
    const { inner, line, heard, store, retry } = setUp();
    await store.commit(changeOf(1));
    line.breakIn("commit", "undone", false);
    await store.commit(changeOf(2));
    expect(await store.claim("lp", 5)).toMatchObject({ notices: [{ id: "n1" }, { id: "n2" }] });
    await retry();
    expect(heard).toEqual(["the connection was lost", "over"]);
    await hasSteps(inner, [1, 2]);
  });

  it("is told once where what it may have written can be read", async () => {
    const { inner, line, store, retry } = setUp();
    line.breakIn("commit", "done", true);
    await store.commit(changeOf(1));
    expect(await store.claim("lp", 5)).toMatchObject({ notices: [{ id: "n1" }] });
    await store.freeze(message("m1", ["n1"]), 5);
    await store.settle("m1", { status: "sent", at: 6 });
    expect(await store.claim("lp", 7)).toEqual({ kind: "idle", until: null });
    line.fail(null);
    await retry();
    await hasSteps(inner, [1], []);
  });

  it.each(FATES)("of a message leaves one message, and counts its sends: %s", async (fate) => {
    const { inner, line, store, retry } = setUp();
    await store.commit(changeOf(1));
    line.breakIn("freeze", fate, true);
    // Whether it is still to be sent is known only after that.
    await expect(store.freeze(message("m1", ["n1"]), 5)).rejects.toThrow("not owed");
    line.fail(null);
    await retry();
    expect(await inner.claim("lp", 6)).toMatchObject({ message: { id: "m1", attempts: 1 } });
    line.breakIn("settle", fate, true);
    await store.settle("m1", { status: "waiting", at: 6, until: 7, error: "503" });
    line.fail(null);
    await retry();
    expect(await inner.claim("lp", 7)).toMatchObject({ message: { id: "m1", attempts: 2 } });
  });

  it.each(FATES)("while what was kept is written tells nothing twice: %s", async (fate) => {
    const { inner, line, heard, store, fail, retry } = setUp();
    await store.commit(changeOf(1));
    await fail(2);
    line.fail(null);
    // Samples come first: the last of several commits has the notices.
    line.next("commit", {});
    line.breakIn("commit", fate, true);
    await retry();
    await store.commit(changeOf(3));
    expect(await store.claim("lp", 5)).toMatchObject({
      notices: [{ id: "n1" }, { id: "n2" }, { id: "n3" }],
    });
    line.fail(null);
    await retry();
    expect(heard).toEqual(["the disk is full", "over"]);
    await hasSteps(inner, [1, 2, 3]);
  });

  it.each(FATES)("while what became of a message is written counts it once: %s", async (fate) => {
    const { inner, line, heard, store, fail, retry } = setUp();
    await store.commit(changeOf(1));
    await store.freeze(message("m1", ["n1"]), 5);
    await fail(2);
    await store.settle("m1", { status: "waiting", at: 6, until: 7, error: "503" });
    await store.settle("m1", { status: "waiting", at: 8, until: 9, error: "503" });
    line.fail(null);
    line.breakIn("settle", fate, true);
    await retry();
    expect(heard).toEqual(["the disk is full"]);
    line.fail(null);
    await retry();
    expect(heard).toEqual(["the disk is full", "over"]);
    expect(await inner.claim("lp", 9)).toMatchObject({ message: { id: "m1", attempts: 3 } });
  });

  it("is in a window that was asked for before it was known to be done", async () => {
    const { line, store, retry } = setUp();
    await store.commit(changeOf(1));
    const reading = line.hold("window", "after");
    const window = store.window([1], 0);
    await reading.begun;
    line.breakIn("commit", "done", true);
    await store.commit(changeOf(2));
    line.fail(null);
    line.next("commit", { before: () => Promise.reject(FULL) });
    await retry();
    reading.goOn();
    expect((await window).get(1)).toMatchObject([{ first: 1 }, { first: 2 }]);
  });

  it("asks the database nothing for what tells nobody anything, while it cannot be written", async () => {
    const { line, store, fail } = setUp();
    await fail(1);
    const before = line.calls.length;
    await store.commit(NO_CHANGE);
    expect(line.calls.slice(before)).toEqual([]);
  });
});
