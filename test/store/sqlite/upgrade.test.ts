import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { copyFile, readFile } from "node:fs/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Answer, Ask } from "../../../src/model/index.ts";
import { openOperatorDb } from "../../../src/store/operator-db/operator-db.ts";
import { readStatus } from "../../../src/store/operator-db/read-status.ts";
import { MIGRATIONS, OLDEST_FORMAT } from "../../../src/store/sqlite/schema.ts";
import type { Store } from "../../../src/store/store.ts";
import { MINUTE, ok, poolRecord, START, World } from "../../support/world.ts";
import { type SqlitePlace, sqlitePlace } from "./place.ts";

const released = (name: string): string =>
  readFileSync(new URL(`../released/${name}`, import.meta.url), "utf8");

/** What was released is never edited: a new migration gets its line here, and none of the old changes. */
const RELEASED: ReadonlyMap<number, string> = new Map([
  [4, "11254fd0a1a6e83d94f4e38025782353074f21cfa696ea51fb4caf0b173e9b07"],
  [5, "9395b192435494da35ac378fcdbc2ee1c47fc057143768bbb10b31b66fbb6a5c"],
  [6, "7b46c72b478ee96a0fe1eb9f37e0ba3602eedef3839b8f82c54fee6a016a5076"],
  [7, "89515bda0eb4dbe145a1178096a871c9df46603640f2faaf34a35f5e8a89f28b"],
  [8, "9bbd258c978a7fcfcd9371456d52fc69414d910bb60cf9e923ed92cd0cb28977"],
]);

/** The date of the last round that the old build made. */
const END = START + 30 * MINUTE;
const pool = (letter: string): string => `0x${letter.repeat(64)}`;
const keyOf = (letter: string): string => `v4_pool:1:${pool(letter)}`;

let place: SqlitePlace;
beforeEach(async () => {
  place = await sqlitePlace();
});
afterEach(() => place.remove());

/** Puts the database of the oldest format in its place. */
async function putOld(): Promise<void> {
  const db = await place.look();
  db.exec(released("format-4.sql"));
  db.pragma("journal_mode = WAL");
  db.close();
}

/** Every table, index, trigger and view, without regard to how its text is set. */
async function schema(): Promise<string[]> {
  const db = await place.look();
  const all = db.prepare<[], string>("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL").pluck();
  const texts = all
    .all()
    .map((sql) => sql.replaceAll(/\s+/g, " ").replaceAll(/ ?([(),]) ?/g, "$1"));
  db.close();
  return texts.toSorted();
}

describe("released migrations", () => {
  it("are never edited", () => {
    const hashes = MIGRATIONS.map(({ format, sql }) => [
      format,
      createHash("sha256").update(sql).digest("hex"),
    ]);
    expect(hashes).toEqual([...RELEASED]);
  });

  it("make of the oldest database what they make of nothing", async () => {
    await (await place.open()).close();
    const made = await schema();
    const other = place;
    place = await sqlitePlace();
    await putOld();
    await (await place.open()).close();
    expect(await schema()).toEqual(made);
    await other.remove();
  });
});

describe("a database of the oldest format that is upgraded", () => {
  let store: Store;
  beforeEach(async () => {
    await putOld();
    store = await place.open();
  });
  afterEach(() => store.close());

  it("keeps its alerts in their states", async () => {
    const { alerts, rules, cursors, marks, newest } = await store.load();
    const states = alerts
      .filter(({ rule }) => rule !== "tickwatch:source")
      .map(({ rule, subject, state, lastNotified, life, missing }) => {
        const more = [
          missing?.told === true && "no data told",
          life?.acked && `acked by ${life.acked.by}`,
          life?.held && `${life.held.count} held`,
          life?.firings?.on && "flapping",
          life?.once,
          life?.byMissing === true && "by missing",
          life?.worst && `worst at ${life.worst.value}`,
        ].filter((part) => typeof part === "string");
        const who = rule === "tvl-low" ? ` ${subject.at(-1) ?? ""}` : "";
        return [`${rule}${who}`, state, `told ${lastNotified.state}`, ...more].join(", ");
      });
    expect(states.toSorted()).toEqual([
      "acked-low, firing, told firing, acked by anna",
      "crossing, ok, told ok, 14 held",
      "fallen, firing, told firing, worst at 790",
      "flappy, ok, told firing, flapping",
      "gated, firing, told firing",
      "silenced-low, firing, told firing",
      "spent, ok, told ok, spent",
      "swap, ok, told ok",
      "together, firing, told firing",
      "tvl-low a, ok, told ok",
      "tvl-low b, firing, told firing, worst at 790",
      "tvl-low c, pending, told ok",
      "tvl-low d, recovering, told firing, worst at 800",
      "tvl-low e, ok, told ok, no data told",
      "unanswered, firing, told firing, no data told, by missing",
    ]);
    expect(rules.map(({ lastRound }) => lastRound)).toEqual(rules.map(() => END));
    expect([...cursors.keys()]).toEqual([`v4_swaps:1:${pool("a")}`]);
    expect(marks.size).toBeGreaterThanOrEqual(6);
    expect(newest.size).toBeGreaterThanOrEqual(7);
  });

  it("delivers what was owed in its order, with the bodies that were frozen", async () => {
    const claim = await store.claim("slack", END);
    // The oldest message waits for its retry, and what comes after it waits for it.
    expect(claim).toEqual({ kind: "idle", until: END + MINUTE });
    await store.wake("slack");
    for (const [id, body] of [
      ["message-waiting", '{"text":"frozen: TVL fell"}'],
      ["message-due", '{"text":"frozen: swap"}'],
    ] as const) {
      expect(await store.claim("slack", END)).toMatchObject({ message: { id, body } });
      await store.settle(id, { status: "sent", at: END });
    }
    const rest = await store.claim("slack", END);
    if (rest.kind !== "notices") throw new Error("nothing is owed");
    const dates = rest.notices.map(({ at }) => at);
    expect(dates).toHaveLength(20);
    expect(dates).toEqual(dates.toSorted((a, b) => a - b));
    const notices = rest.notices.map(({ id }) => id);
    await store.freeze({ id: "new", channel: "slack", notices, body: "", attempts: 1 }, END);
    await store.settle("new", { status: "sent", at: END });
    const silenced = END + 60 * MINUTE;
    expect(await store.claim("slack", END)).toEqual({ kind: "idle", until: silenced, held: true });
    expect(await store.held("slack", silenced)).toMatchObject([
      { rule: "silenced-low", kind: "fired" },
    ]);
  });

  it("keeps what people said beside it", async () => {
    expect(await store.silences(END)).toMatchObject([
      { rule: "silenced-low", subjects: null, author: "anna", comment: "known" },
    ]);
    expect(await store.commands()).toMatchObject([
      { kind: "ack", rule: "tvl-low", subject: keyOf("b"), author: "ben" },
    ]);
    const { seen } = await readStatus(place.path);
    expect(seen?.acked).toMatchObject([{ rule: "acked-low", by: "anna" }]);
    expect(seen?.held?.count).toBe(1);
    expect(seen?.withoutData).toMatchObject([
      { rule: "tvl-low", subjects: 1 },
      { rule: "unanswered" },
    ]);
  });

  it("is watched on as if nothing had happened", async () => {
    const tvl: Readonly<Record<string, number>> = {
      a: 1000,
      b: 1000,
      c: 700,
      d: 1000,
      e: 1000,
      f: 1000,
    };
    const answer = (ask: Ask, date: number): Answer => {
      const minute = (date - START) / MINUTE;
      if (ask.record !== "v4_pool") return ok();
      const value = tvl[ask.id[2] ?? ""];
      return ok(
        poolRecord({
          pool_id: ask.id,
          tvl_usd: value,
          price0: 2086.04,
          block_number: String(1_000 + Math.ceil(minute)),
          timestamp: String(Math.floor(date / 1_000)),
        }),
      );
    };
    const world = await World.create(released("rules.yaml"), {
      store,
      answer,
      start: END,
      commands: true,
    });
    await world.minutes(8);
    await world.stop();
    expect(world.refused).toEqual([]);
    const told = world.told
      .filter(({ kind }) => kind !== "started")
      .map(({ kind, notice }) => `${kind} ${notice.rule ?? ""} ${notice.subject?.at(-1) ?? ""}`);
    expect(told.toSorted()).toEqual([
      "data_back tvl-low e",
      "fired tvl-low c",
      "resolved acked-low b",
      "resolved fallen b",
      "resolved gated b",
      "resolved silenced-low b",
      "resolved together 5",
      "resolved tvl-low b",
      "resolved tvl-low d",
      "resolved unanswered e",
    ]);
  });
});

describe("a database of before the oldest format", () => {
  it.each([1, 2, 3])("is refused and left as it is: format %i", async (format) => {
    await putOld();
    const db = await place.look();
    db.pragma(`user_version = ${format}`);
    db.close();
    const bytes = await readFile(place.path);
    const refusal = {
      name: "StoreError",
      reason: "older",
      message: expect.stringMatching(
        new RegExp(
          `^[^\\n]*format ${format}, the oldest that is upgraded is ${OLDEST_FORMAT}[^\\n]*$`,
        ),
      ),
    };
    await expect(place.open()).rejects.toMatchObject(refusal);
    await expect(readStatus(place.path)).rejects.toMatchObject(refusal);
    await expect(openOperatorDb(place.path, true)).rejects.toMatchObject(refusal);
    expect(bytes.equals(await readFile(place.path))).toBe(true);
  });

  it("is known by what its log says, where the process that wrote it was killed", async () => {
    await putOld();
    const db = await place.look();
    db.pragma("user_version = 3");
    db.pragma("wal_checkpoint(TRUNCATE)");
    db.pragma("user_version = 4");
    const killed = await sqlitePlace();
    for (const end of ["", "-wal"]) await copyFile(place.path + end, killed.path + end);
    db.close();
    const store = await killed.open();
    expect((await store.load()).alerts.length).toBeGreaterThan(10);
    await store.close();
    await killed.remove();
  });
});
