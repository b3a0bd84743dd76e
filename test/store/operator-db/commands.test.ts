import { writeFile } from "node:fs/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Command, NO_CHANGE } from "../../../src/model/index.ts";
import { openOperatorDb, openOwnOperatorDb } from "../../../src/store/operator-db/operator-db.ts";
import { readStatus } from "../../../src/store/operator-db/read-status.ts";
import { makeAlert } from "../../support/nouns.ts";
import { type SqlitePlace, sqlitePlace } from "../sqlite/place.ts";

const COMMAND: Omit<Command, "id"> = {
  kind: "ack",
  rule: "tips",
  subject: "gas:1",
  author: "anna",
  comment: null,
  at: 5,
};

describe("commands to a daemon", () => {
  let place: SqlitePlace;
  beforeEach(async () => {
    place = await sqlitePlace();
  });
  afterEach(() => place.remove());

  /** A database that no daemon holds, changed by hand. */
  async function left(sql: string): Promise<void> {
    const store = await place.open();
    await store.commit({ ...NO_CHANGE, alerts: [makeAlert({ rule: "tips", subject: "gas:1" })] });
    await store.close();
    const db = await place.look();
    db.exec(sql);
    db.close();
  }

  it("is not there without a database, and refuses what is none", async () => {
    expect(await openOperatorDb(place.path, true)).toBeNull();
    await writeFile(place.path, "no database".repeat(20));
    await expect(openOperatorDb(place.path, true)).rejects.toMatchObject({ reason: "corrupt" });
  });

  it("writes all of several commands or none", async () => {
    await left("SELECT 1");
    const db = await openOperatorDb(place.path, true);
    if (db === null) throw new Error("no database");
    const wrong = { ...COMMAND, kind: "wrong" as "ack" };
    await expect(db.alerts.give([COMMAND, wrong])).rejects.toThrow(/CHECK/);
    await db.alerts.give([COMMAND, { ...COMMAND, kind: "rearm", subject: null }]);
    db.close();
    const store = await place.open();
    expect(await store.commands()).toMatchObject([COMMAND, { kind: "rearm", subject: null }]);
    const [first] = await store.commands();
    await store.commit({ ...NO_CHANGE, commands: [first?.id ?? 0] });
    expect((await store.commands()).map(({ kind }) => kind)).toEqual(["rearm"]);
    await store.close();
  });

  it("is written at once, so that nothing else of the daemon meets a transaction that is half done", async () => {
    await left("SELECT 1");
    const db = await openOwnOperatorDb(place.path);
    const other = await place.look();
    other.pragma("busy_timeout = 0");
    const given = db.alerts.give([COMMAND, { ...COMMAND, subject: null }]);
    expect(() => other.exec("BEGIN IMMEDIATE; ROLLBACK")).not.toThrow();
    await given;
    other.close();
    db.close();
  });

  it("shows the last rounds of rules that are closed together and alone", async () => {
    const store = await place.open();
    const rule = { version: "1", startedAt: null, lastRound: 5 };
    await store.commit({
      ...NO_CHANGE,
      rules: [
        { name: "a", ...rule },
        { name: "b", ...rule },
      ],
    });
    await store.commit({ ...NO_CHANGE, closed: [{ date: 9, rules: ["b"] }] });
    await store.close();
    const lasts = async () =>
      Object.fromEntries(
        ((await readStatus(place.path)).seen?.rules ?? []).map(({ name, lastRound }) => [
          name,
          lastRound,
        ]),
      );
    expect(await lasts()).toEqual({ a: 5, b: 9 });
  });
});
