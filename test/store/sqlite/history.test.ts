import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { NO_CHANGE, type Notice } from "../../../src/model/index.ts";
import { openOperatorDb } from "../../../src/store/operator-db/operator-db.ts";
import type { Store } from "../../../src/store/store.ts";
import {
  failed,
  MINUTE,
  ok,
  POOL_ID,
  poolRecord,
  positionRecord,
  START,
  World,
} from "../../support/world.ts";
import { type SqlitePlace, sqlitePlace } from "./place.ts";

const SUBJECT = `v4_pool:1:${POOL_ID}`;
const RULE = `rules:
  - name: tvl-low
    watch: {kind: v4_pool, chain: 1, pools: [{id: "${POOL_ID}", name: Main}]}
    when: {metric: tvl_usd, below: 500}
    for: 2m
`;

let place: SqlitePlace;
let store: Store;
beforeEach(async () => {
  place = await sqlitePlace();
  store = await place.open();
});
afterEach(async () => {
  await store.close();
  await place.remove();
});

async function rows(sql: string): Promise<unknown[]> {
  const db = await place.look();
  try {
    return db.prepare(sql).all();
  } finally {
    db.close();
  }
}

/** TVL by minute: 1000, low from minute 4 to 8, no answer from 12 on. */
async function played(): Promise<World> {
  const world = await World.create(RULE, { store });
  world.answer = (_ask, date) => {
    const minute = (date - START) / MINUTE;
    if (minute >= 12) return failed;
    return ok(poolRecord({ tvl_usd: minute >= 4 && minute < 9 ? 400.25 : 1000 }));
  };
  await world.minutes(20);
  return world;
}

describe("what became of an alert", () => {
  it("is kept for each change of its state, with the value that decided", async () => {
    const world = await played();
    await world.stop();
    const all = await rows(
      `SELECT (at - ${START}) / ${MINUTE} AS minute, state, told_state, no_data, value
       FROM alert_changes JOIN names ON names.id = rule WHERE text = 'tvl-low' ORDER BY seq`,
    );
    expect(all).toEqual([
      { minute: 4, state: "pending", told_state: "ok", no_data: 0, value: "400.25" },
      { minute: 6, state: "firing", told_state: "firing", no_data: 0, value: "400.25" },
      { minute: 9, state: "ok", told_state: "ok", no_data: 0, value: "1000" },
    ]);
  });

  it("holds all that the alert remembered then", async () => {
    const world = await played();
    const [{ alert }] = (await rows(
      "SELECT alert FROM alert_changes WHERE state = 'firing' AND value IS NOT NULL",
    )) as [{ alert: string }];
    expect(JSON.parse(alert)).toMatchObject({
      firedAt: START + 6 * MINUTE,
      lastNotified: { state: "firing", value: "400.25" },
      label: "Main",
    });
    await world.stop();
  });

  it("tells who acknowledged it, and when it had no data", async () => {
    const world = await World.create(RULE, { store });
    world.answer = (_ask, date) =>
      date < START + 8 * MINUTE ? ok(poolRecord({ tvl_usd: 1 })) : { status: "absent" };
    await world.minutes(5);
    const command = { id: 1, kind: "ack", rule: "tvl-low", subject: null, author: "anna" } as const;
    await world.rounds.carryOut([{ ...command, comment: null, at: world.clock.now() }]);
    await world.minutes(30);
    await world.stop();
    const all = await rows(
      `SELECT (at - ${START}) / ${MINUTE} AS minute, state, no_data, alert ->> '$.life.acked.by' AS by
       FROM alert_changes ORDER BY seq`,
    );
    expect(all).toEqual([
      { minute: 1, state: "firing", no_data: 0, by: null },
      { minute: 5, state: "firing", no_data: 0, by: "anna" },
      { minute: expect.any(Number) as number, state: "firing", no_data: 1, by: "anna" },
    ]);
  });

  it("goes with the samples of its time, but for what it was then", async () => {
    const world = await played();
    await world.stop();
    await store.prune(START + 7 * MINUTE);
    const left = "SELECT state FROM alert_changes WHERE value IS NOT NULL ORDER BY seq";
    expect(await rows(left)).toEqual([{ state: "firing" }, { state: "ok" }]);
    await store.prune(START + 60 * MINUTE);
    expect(await rows(left)).toEqual([{ state: "ok" }]);
    const removedAlerts = [{ rule: "tvl-low", subject: SUBJECT }];
    await store.commit({ ...NO_CHANGE, removedAlerts });
    await store.prune(START + 60 * MINUTE);
    expect(await rows(left)).toEqual([]);
  });
});

describe("edits of rules", () => {
  it("are dated, and so is a removal", async () => {
    const world = await World.create(RULE, { store });
    world.answer = () => ok(poolRecord());
    await world.minutes(2);
    await world.restart();
    await world.minutes(1);
    await world.restart(RULE.replace("500", "600"));
    await world.minutes(1);
    await world.restart(RULE.replace("tvl-low", "other"));
    await world.minutes(1);
    await world.stop();
    const all = await rows(
      `SELECT text AS rule, (at - ${START}) / ${MINUTE} AS minute, source LIKE '%"600"%' AS edited
       FROM rule_changes JOIN names ON names.id = rule
         LEFT JOIN rule_versions USING (version) ORDER BY seq`,
    );
    expect(all).toEqual([
      { rule: "tvl-low", minute: 0, edited: 0 },
      { rule: "tvl-low", minute: 3, edited: 1 },
      { rule: "other", minute: 4, edited: 0 },
      { rule: "tvl-low", minute: 4, edited: null },
    ]);
    await store.prune(START + 60 * MINUTE);
    expect(await rows("SELECT rule FROM rule_changes")).toHaveLength(2);
  });
});

describe("what samples do not say", () => {
  it("is kept once, and again when a position closes", async () => {
    const world = await World.create(
      `rules:
  - name: range
    watch: {kind: v4_position, chain: 1, protocol: dexa, positions: [42]}
    when: {metric: in_range, equals: false}
`,
      { store },
    );
    world.answer = ({ record }, date) =>
      record === "v4_pool"
        ? ok(poolRecord())
        : ok(positionRecord({ liquidity: date > START + 3 * MINUTE ? "0" : "5000" }));
    await world.minutes(3);
    await world.restart();
    await world.minutes(3);
    await world.stop();
    const all = await rows(
      `SELECT (at - ${START}) / ${MINUTE} AS minute, facts ->> '$.closed' AS closed
       FROM subject_facts ORDER BY at`,
    );
    expect(all).toEqual([
      { minute: 1, closed: 0 },
      { minute: 4, closed: 1 },
    ]);
  });

  it("is kept with where the price was when something was told, and what held then stays", async () => {
    const world = await World.create(
      `rules:
  - name: range
    watch: {kind: v4_position, chain: 1, protocol: dexa, positions: [42]}
    when: {metric: in_range, equals: false}
`,
      { store },
    );
    world.answer = ({ record }, date) => {
      const isOut = date > START + 2 * MINUTE && date <= START + 4 * MINUTE;
      const tick = isOut ? -198_000 : -199_890;
      return record === "v4_pool"
        ? ok(poolRecord({ current_tick: tick, price0: isOut ? 2520.5 : 2086.04 }))
        : ok(positionRecord());
    };
    await world.minutes(6);
    await world.stop();
    const kept = `SELECT (at - ${START}) / ${MINUTE} AS minute, facts ->> '$.label' AS label,
      facts ->> '$.range.price' AS price FROM subject_facts ORDER BY at`;
    const label = "ETH/USDC 0.05% #42";
    expect(await rows(kept)).toEqual([
      { minute: 1, label, price: "2,086.04" },
      { minute: 3, label, price: "2,520.5" },
      { minute: 5, label, price: "2,086.04" },
    ]);
    await store.prune(START + 4 * MINUTE);
    expect(await rows(kept)).toEqual([
      { minute: 3, label, price: "2,520.5" },
      { minute: 5, label, price: "2,086.04" },
    ]);
  });
});

const NOTICE: Notice = {
  id: "n1",
  kind: "fired",
  severity: "warning",
  rule: "r",
  subject: "s",
  at: START,
  headline: "It fell",
  title: null,
  note: null,
  fields: [],
  link: null,
  range: null,
  recent: [],
  values: [],
  labels: {},
  label: "Main",
};

describe("what came of sends", () => {
  beforeEach(async () => {
    await store.commit({ ...NO_CHANGE, notices: [{ notice: NOTICE, channels: ["ops"] }] });
    await store.freeze(
      { id: "m1", channel: "ops", notices: ["n1"], body: "b", attempts: 1 },
      START,
    );
  });

  const attempts = (): Promise<unknown[]> =>
    rows("SELECT number, at, outcome, answer, until FROM attempts ORDER BY number");

  it("is kept, send by send", async () => {
    await store.settle("m1", { status: "waiting", at: 10, until: 20, error: "answered 503" });
    await store.settle("m1", { status: "sent", at: 21, note: "one of two recipients refused" });
    // What was settled is settled.
    await store.settle("m1", { status: "dead", at: 22, error: "no" });
    expect(await attempts()).toEqual([
      { number: 1, at: 10, outcome: "retry", answer: "answered 503", until: 20 },
      { number: 2, at: 21, outcome: "sent", answer: "one of two recipients refused", until: null },
    ]);
    expect(await rows("SELECT state, settled_at, error, until FROM messages")).toEqual([
      { state: "sent", settled_at: 21, error: null, until: null },
    ]);
    await store.prune(START);
    expect(await attempts()).toEqual([]);
  });

  it("has what its receiver said of a message that it refused", async () => {
    await store.settle("m1", { status: "dead", at: 10, error: "answered 400" });
    expect(await attempts()).toEqual([
      { number: 1, at: 10, outcome: "dead", answer: "answered 400", until: null },
    ]);
  });

  it("says what a person dropped, and goes on where it is sent again", async () => {
    await store.settle("m1", { status: "waiting", at: 10, until: 20, error: "answered 503" });
    const db = await openOperatorDb(place.path, true);
    const [entry] = (await db?.outboxPages.open(null, 0, 1_000)) ?? [];
    if (entry === undefined || db === null) throw new Error("nothing is open");
    await db.outbox.drop(entry, 15);
    await db.outbox.retryOne(entry);
    db.close();
    await store.settle("m1", { status: "sent", at: 30 });
    expect(await attempts()).toMatchObject([
      { number: 1, outcome: "retry" },
      { number: 2, outcome: "sent", at: 30 },
    ]);
  });

  it("is bounded for a channel that is dead for weeks", async () => {
    for (let at = 1; at <= 300; at += 1) {
      await store.settle("m1", { status: "waiting", at, until: at + 1, error: "no" });
    }
    const numbers = ((await attempts()) as { number: number }[]).map(({ number }) => number);
    expect(numbers).toHaveLength(120);
    expect(numbers.slice(0, 21)).toEqual([...Array.from({ length: 20 }, (_, i) => i + 1), 201]);
  });
});

describe("views for the tools of others", () => {
  it("show samples as runs, alerts and notices with their deliveries", async () => {
    const world = await played();
    await world.stop();
    expect(
      await rows(
        "SELECT subject, metric, first_at, last_at, value, value_real FROM samples_v ORDER BY first_ms",
      ),
    ).toEqual([
      {
        subject: SUBJECT,
        metric: "tvl_usd",
        first_at: "2026-11-28T12:01:00Z",
        last_at: "2026-11-28T12:03:00Z",
        value: "1000",
        value_real: 1000,
      },
      expect.objectContaining({ value: "400.25", value_real: 400.25 }) as unknown,
      expect.objectContaining({ value: "1000", last_at: "2026-11-28T12:11:00Z" }) as unknown,
    ]);
    const [alert] = await rows("SELECT * FROM alerts_v WHERE rule = 'tvl-low'");
    expect(alert).toMatchObject({
      subject: SUBJECT,
      name: "Main",
      state: "ok",
      told: "ok",
      firing_since: null,
      no_data_since: "2026-11-28T12:11:00Z",
      acknowledged_by: null,
    });
    const fired = await rows(
      "SELECT at, rule, name, severity, channel, delivery, sends, sent_at FROM notices_v WHERE kind = 'fired' AND channel = 'slack'",
    );
    expect(fired).toEqual([
      {
        at: "2026-11-28T12:06:00Z",
        rule: "tvl-low",
        name: "Main",
        severity: "warning",
        channel: "slack",
        delivery: "queued",
        sends: 0,
        sent_at: null,
      },
    ]);
  });

  it("have no number for what is none, and the key of a subject without its source", async () => {
    const series = [
      { id: 1, subject: "token:1:0xab@1~2", metric: "hook" },
      { id: 2, subject: "token:1:0xab~3", metric: "live" },
      { id: 3, subject: "token:1:0xab", metric: "change" },
    ];
    const values = ["0x12", "true", "-1.5"];
    const runs = values.map((value, i) => ({ series: i + 1, first: 1, last: 1, value }));
    await store.commit({ ...NO_CHANGE, series, runs });
    expect(await rows("SELECT subject, value, value_real FROM samples_v ORDER BY metric")).toEqual([
      { subject: "token:1:0xab", value: "-1.5", value_real: -1.5 },
      { subject: "token:1:0xab", value: "0x12", value_real: null },
      { subject: "token:1:0xab", value: "true", value_real: 1 },
    ]);
  });

  it("say how a delivery stands", async () => {
    const delivery = async (): Promise<unknown> =>
      (await rows("SELECT delivery, sends, error, sent_at FROM notices_v"))[0];
    const notices = [{ notice: NOTICE, channels: ["ops"] }];
    await store.commit({ ...NO_CHANGE, notices });
    await store.hold("ops", ["n1"], 50);
    expect(await delivery()).toMatchObject({ delivery: "suppressed" });
    await store.release("ops", { keep: ["n1"], drop: [], add: [] });
    await store.freeze({ id: "m", channel: "ops", notices: ["n1"], body: "", attempts: 1 }, 1);
    await store.settle("m", { status: "waiting", at: 2, until: 9, error: "503" });
    expect(await delivery()).toMatchObject({ delivery: "retrying", sends: 1, error: "503" });
    await store.settle("m", { status: "sent", at: START });
    expect(await delivery()).toMatchObject({
      delivery: "sent",
      sends: 2,
      sent_at: "2026-11-28T12:00:00Z",
    });
  });
});
