import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Command } from "../../src/model/index.ts";
import { type OperatorDb, openOperatorDb } from "../../src/store/operator-db/operator-db.ts";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";
import type { Store } from "../../src/store/store.ts";
import { ok, POOL_ID, poolRecord, START, World } from "../support/world.ts";

const OTHER = `0x${"cd".repeat(32)}`;
const KEY = `v4_pool:1:${POOL_ID}`;
const RULE = `
rules:
  - name: low
    watch: {kind: v4_pool, chain: 1, pools: [{id: ${POOL_ID}, name: Main}, {id: ${OTHER}, name: Side}]}
    when: {metric: tvl_usd, below: 500}
    remind: 2m
`;

/** The rounds on a database, and the database of whoever gives commands beside them. */
describe("a command beside a running daemon", () => {
  let folder: string;
  let store: Store;
  let db: OperatorDb;
  let world: World;
  let tvl = 1_000;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "tickwatch-commands-"));
    store = await openSqliteStore(join(folder, "t.db"));
    tvl = 1_000;
    world = await World.create(RULE, {
      store,
      commands: true,
      answer: () => ok(poolRecord({ tvl_usd: tvl }), poolRecord({ pool_id: OTHER, tvl_usd: tvl })),
    });
    const opened = await openOperatorDb(join(folder, "t.db"), true);
    if (opened === null) throw new Error("no database");
    db = opened;
  });
  afterEach(async () => {
    db.close();
    await world.stop().catch(() => {});
    await store.close();
    await rm(folder, { recursive: true });
  });

  const give = (kind: Command["kind"], given: Partial<Command> = {}): Promise<void> =>
    db.alerts.give([
      { kind, rule: "low", subject: KEY, author: "anna", comment: null, at: START, ...given },
    ]);

  /** Main and Side fire in the second minute. */
  async function firing(): Promise<void> {
    await world.minutes(1);
    tvl = 400;
    await world.minutes(1);
  }

  const story = (): string[] =>
    world.told
      .filter(({ kind }) => kind !== "started")
      .map(
        ({ minute, kind, notice }) =>
          `${minute} ${kind} ${notice.subject === KEY ? "Main" : "Side"}`,
      );

  it("is carried out within five seconds, once, and the store knows", async () => {
    await firing();
    expect(
      (await db.alerts.of("low")).map(({ label, state, acked }) => [label, state, acked]),
    ).toEqual([
      ["Main", "firing", null],
      ["Side", "firing", null],
    ]);
    await give("ack");
    expect(await store.commands()).toHaveLength(1);
    await world.pass(5_000);
    expect(await store.commands()).toEqual([]);
    expect((await db.alerts.of("low")).map(({ acked }) => acked)).toEqual([
      { by: "anna", at: START },
      null,
    ]);
    await world.minutes(2);
    tvl = 1_000;
    await world.minutes(1);
    expect(story()).toEqual([
      "2 fired Main",
      "2 fired Side",
      "4 reminder Side",
      "5 resolved Main",
      "5 resolved Side",
    ]);
    expect((await db.alerts.of("low")).map(({ acked }) => acked)).toEqual([null, null]);
  });

  it("of a whole rule is about each of its alerts", async () => {
    await firing();
    await give("ack", { subject: null });
    await world.pass(5_000);
    await world.minutes(3);
    expect(story()).toEqual(["2 fired Main", "2 fired Side"]);
    await give("unack", { subject: null });
    await world.minutes(1);
    expect(story().slice(2)).toEqual(["6 reminder Main", "6 reminder Side"]);
  });

  it("is carried out on what the one before it has left", async () => {
    await firing();
    await give("ack");
    await give("unack");
    await world.pass(5_000);
    expect(await store.commands()).toEqual([]);
    await world.minutes(2);
    expect(story().slice(2).toSorted()).toEqual(["4 reminder Main", "4 reminder Side"]);
  });

  it("is found once, however long a look for it lasts", async () => {
    await firing();
    await give("ack");
    const commands = store.commands.bind(store);
    const commit = store.commit.bind(store);
    let answer = (): void => {};
    const slow = new Promise<void>((resolve) => {
      answer = resolve;
    });
    let done = 0;
    store.commands = async (...asked) => {
      const found = await commands(...asked);
      await slow;
      return found;
    };
    store.commit = async (change) => {
      done += change.commands.length;
      await commit(change);
    };
    for (let looks = 0; looks < 3; looks += 1) await world.pass(5_000);
    answer();
    await world.pass(5_000);
    expect(done).toBe(1);
  });

  it("that came while no daemon ran is carried out by the next, before its first round", async () => {
    await firing();
    await world.stop();
    await give("ack");
    await world.open();
    await world.minutes(2);
    expect(story()).toEqual(["2 fired Main", "2 fired Side", "4 reminder Side"]);
  });

  it("is kept when its rule is edited", async () => {
    await firing();
    await give("ack");
    await world.pass(5_000);
    await world.restart(RULE.replace("500", "600"));
    await world.minutes(2);
    expect(story()).toEqual(["2 fired Main", "2 fired Side", "4 reminder Side"]);
  });

  it("about nothing that is watched, or nothing that fires, is done with", async () => {
    await world.minutes(1);
    await give("ack");
    await give("ack", { rule: "gone" });
    await give("rearm", { subject: "v4_pool:1:0x00" });
    await world.pass(5_000);
    expect(await store.commands()).toEqual([]);
    expect((await db.alerts.of("low")).map(({ acked }) => acked)).toEqual([null, null]);
  });

  it("that the store refuses to carry out is tried again, and memory has not led", async () => {
    await firing();
    await give("ack");
    const commit = store.commit.bind(store);
    let refusals = 0;
    store.commit = async (change) => {
      if (change.commands.length === 0 || refusals > 0) return await commit(change);
      refusals += 1;
      throw new Error("disk full");
    };
    await world.pass(5_000);
    expect(world.refused).toHaveLength(1);
    expect(world.rounds.memory.rules[0]?.alerts[0]?.alert?.life?.acked ?? null).toBeNull();
    expect(await store.commands()).toHaveLength(1);
    await world.pass(5_000);
    expect(await store.commands()).toEqual([]);
    expect(world.rounds.memory.rules[0]?.alerts[0]?.alert?.life?.acked).toEqual({
      by: "anna",
      at: START,
    });
  });
});
