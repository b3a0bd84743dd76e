import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { NO_CHANGE } from "../../../src/model/index.ts";
import { type OperatorDb, openOperatorDb } from "../../../src/store/operator-db/operator-db.ts";
import { noticeOf } from "../../support/notices.ts";
import { absent, MINUTE, ok, POOL_ID, poolRecord, START, World } from "../../support/world.ts";
import { type SqlitePlace, sqlitePlace } from "../sqlite/place.ts";

const RULES = `rules:
- name: low
  watch: {kind: v4_pool, chain: ethereum, pools: ["${POOL_ID}"]}
  when: {metric: tvl_usd, below: 800}
  for: 2m
  resolve_after: 1m
  missing_after: 2m
`;
const SUBJECT = `v4_pool:1:${POOL_ID}`;

let place: SqlitePlace;
beforeEach(async () => {
  place = await sqlitePlace();
});
afterEach(() => place.remove());

async function look<T>(work: (db: OperatorDb) => T): Promise<T> {
  const db = await openOperatorDb(place.path, false);
  if (db === null) throw new Error("no database");
  try {
    return work(db);
  } finally {
    db.close();
  }
}

/** The pool's TVL by minutes; null: it is not in the answer. */
async function live(tvl: readonly (number | null)[]): Promise<void> {
  const store = await place.open();
  const world = await World.create(RULES, { store });
  for (const value of tvl) {
    world.answer = () => (value === null ? absent : ok(poolRecord({ tvl_usd: value })));
    await world.minutes(1);
  }
  await world.stop();
  await store.close();
}

describe("the history of an alert's states", () => {
  it("has each change with its value, and that people were told of missing data", async () => {
    await live([1000, 700, 650, 600, 900, 950, null, null, null, null, 1000]);
    const changes = await look(({ history }) =>
      history.states("low", SUBJECT, START, START + 60 * MINUTE),
    );
    expect(
      changes.map(({ at, state, noData, value }) =>
        [(at - START) / MINUTE, state, noData ? "no data" : "", value].join(" "),
      ),
    ).toEqual([
      "2 pending  700",
      "4 firing  600",
      "5 recovering  900",
      "6 ok  950",
      "9 ok no data ",
      "11 ok  1000",
    ]);
  });

  it("begins with what was so before", async () => {
    await live([1000, 700, 650, 600]);
    const changes = await look(({ history }) =>
      history.states("low", SUBJECT, START + 3 * MINUTE, START + 60 * MINUTE),
    );
    expect(changes.map(({ state }) => state)).toEqual(["pending", "firing"]);
    const [newest] = await look(({ history }) =>
      history.statesBefore("low", SUBJECT, START + 3 * MINUTE, 1),
    );
    expect(newest).toMatchObject({ at: START + 2 * MINUTE, state: "pending" });
  });

  it("says of all alerts what they were before", async () => {
    await live([1000, 700, 650, 600, 1000]);
    const all = await look(({ history }) => history.statesSince(START + 4 * MINUTE));
    expect(all.map(({ before, state }) => [before, state])).toEqual([
      ["pending", "firing"],
      ["firing", "recovering"],
    ]);
  });
});

describe("the history of notices", () => {
  const every = { from: 0, to: START * 2, most: 10 };

  async function deliver(): Promise<void> {
    const store = await place.open();
    for (const [id, at] of [
      ["n1", 10],
      ["n2", 20],
    ] as const) {
      const notice = noticeOf({ id, at, rule: "low", subject: SUBJECT, headline: `TVL ${id}` });
      await store.commit({ ...NO_CHANGE, notices: [{ notice, channels: ["chat", "mail"] }] });
    }
    const message = { id: "m1", channel: "chat", notices: ["n1"], body: "x", attempts: 1 };
    await store.freeze(message, 11);
    await store.settle("m1", { status: "waiting", at: 12, until: 22, error: "HTTP 503" });
    await store.settle("m1", { status: "sent", at: 23 });
    await store.close();
  }

  it("has every send with what came of it", async () => {
    await deliver();
    const notices = await look(({ history }) => history.notices({ ...every, rule: "low" }));
    expect(notices.map(({ notice }) => notice.id)).toEqual(["n2", "n1"]);
    const [chat, mail] = notices[1]?.deliveries ?? [];
    expect(mail).toMatchObject({ channel: "mail", state: "owed", message: null, attempts: [] });
    expect(chat).toMatchObject({ channel: "chat", state: "sent", message: "m1", settledAt: 23 });
    expect(chat?.attempts).toEqual([
      { channel: "chat", number: 1, at: 12, outcome: "retry", answer: "HTTP 503", until: 22 },
      { channel: "chat", number: 2, at: 23, outcome: "sent", answer: null, until: null },
    ]);
  });

  it.each([
    [{ subject: "other" }, []],
    [{ channel: "mail", text: "tvl N1" }, ["n1"]],
    [{ from: 15 }, ["n2"]],
    [{ to: 15 }, ["n1"]],
    [{ most: 1 }, ["n2"]],
    [{ after: { at: 20, seq: 2 } }, ["n1"]],
    [{ severity: "critical" }, []],
    [{ kind: "fired" }, ["n2", "n1"]],
  ])("is filtered by %j", async (filter, ids) => {
    await deliver();
    const found = await look(({ history }) => history.notices({ ...every, ...filter }));
    expect(found.map(({ notice }) => notice.id)).toEqual(ids);
  });

  it("forgets sends with their messages", async () => {
    await deliver();
    const store = await place.open();
    await store.prune(START);
    await store.close();
    const db = await place.look();
    expect(db.prepare("SELECT count(*) FROM attempts").pluck().get()).toBe(0);
    db.close();
  });
});
