import { describe, expect, it } from "vitest";
import type { Answer, Ask } from "../../src/model/index.ts";
import type { Store } from "../../src/store/store.ts";
import { createMemoryStore } from "../support/memory-store.ts";
import {
  absent,
  failed,
  MINUTE,
  ok,
  POOL_ID,
  poolRecord,
  positionRecord,
  START,
  World,
} from "../support/world.ts";

const HOUR = 60 * MINUTE;
const OTHER = `0x${"cd".repeat(32)}`;
const minuteOf = (date: number): number => Math.round((date - START) / MINUTE);

/** The pool's TVL by minute; null: the request failed, or an answer of its own. */
function tvl(
  by: (minute: number, ask: Ask) => number | Answer,
): (ask: Ask, date: number) => Answer {
  return (ask, date) => {
    const one = by(minuteOf(date), ask);
    return typeof one === "number" ? ok(poolRecord({ pool_id: ask.id, tvl_usd: one })) : one;
  };
}

const rule = (when: string, more = "", pools = POOL_ID): string => `
rules:
  - name: tvl
    watch: {kind: v4_pool, chain: 1, pools: [${pools}]}
    when: {metric: tvl_usd, ${when}}
${more}`;

describe("a pool whose requests alone fail, polled by itself", () => {
  it("is no matter of the source while others answer, and is told once", async () => {
    const world = await World.create(`
rules:
  - name: good
    watch: {kind: v4_pool, chain: 1, pools: [${POOL_ID}]}
    when: {metric: tvl_usd, below: 500}
  - name: bad
    watch: {kind: v4_pool, chain: 1, pools: [${OTHER}]}
    when: {metric: tvl_usd, below: 500}
    schedule: "30 * * * * *"
`);
    world.answer = (ask, date) =>
      ask.id === OTHER && date > START + 3 * MINUTE ? failed : ok(poolRecord({ pool_id: ask.id }));
    for (let minute = 0; minute < 20; minute += 1) {
      await world.pass(MINUTE);
    }
    expect(world.told.map(({ kind, notice }) => `${kind} ${notice.rule}`)).toEqual([
      "started null",
      "no_data bad",
    ]);
    await world.stop();
  });
});

describe("a value that was seen once before the daemon was down", () => {
  it("is no base after the restart either", async () => {
    const world = await World.create(rule("rises: 50%, within: 1h", "    schedule: 1h\n"));
    let value = 1000;
    world.answer = () => ok(poolRecord({ tvl_usd: value }));
    await world.pass(4 * HOUR);
    value = 5;
    await world.pass(HOUR);
    await world.stop();
    await world.clock.set(START + 7 * HOUR + 30 * MINUTE);
    value = 1000;
    await world.open();
    await world.pass(2 * HOUR);
    expect(world.story()).toEqual([]);
    await world.stop();
  });
});

describe("a closed position", () => {
  it("resolves though another term has no value any more", async () => {
    const world = await World.create(`
rules:
  - name: range
    watch: {kind: v4_position, chain: 1, protocol: dexa, positions: [42]}
    when: {all: [{metric: in_range, equals: false}, {metric: token0_share, above: 95%}]}
`);
    world.answer = (ask, date) => {
      if (ask.record === "v4_pool") {
        return ok(poolRecord({ current_tick: minuteOf(date) >= 2 ? -201_000 : -199_890 }));
      }
      const closed = minuteOf(date) >= 4;
      return ok(positionRecord({ liquidity: closed ? "0" : "5000", ratio: closed ? null : 1 }));
    };
    await world.minutes(14);
    expect(world.story()).toEqual(["2 fired", "4 resolved"]);
    await world.stop();
  });
});

describe("resolve_when", () => {
  it("without a value changes nothing while an alert recovers", async () => {
    const world = await World.create(`
rules:
  - name: both
    watch: {kind: v4_pool, chain: 1, pools: [${POOL_ID}]}
    when: {metric: tvl_usd, below: 500}
    resolve_when: {metric: swap_count, above: 10}
    resolve_after: 3m
`);
    world.answer = (_ask, date) => {
      const minute = minuteOf(date);
      return ok(
        poolRecord({
          tvl_usd: minute === 2 || minute === 3 ? 400 : 1000,
          swap_count: minute === 5 ? null : 20,
        }),
      );
    };
    await world.minutes(10);
    expect(world.story()).toEqual(["2 fired", "7 resolved"]);
    await world.stop();
  });
});

describe("hours", () => {
  const hour = (start: number, wei: number): Record<string, unknown> => ({
    hour: new Date(start).toISOString(),
    block_count: 300,
    avg_priority_fee_top10_threshold: `${wei}`,
  });
  const hours = (date: number, wei: (start: number) => number): Answer => {
    const running = Math.floor(date / HOUR) * HOUR;
    const day = 24 * HOUR;
    const from = Math.floor((date - day) / day) * day;
    const rows = [];
    for (let start = from; start <= running; start += HOUR) rows.push(hour(start, wei(start)));
    return ok(...rows);
  };

  it("a long for over a long window fires: the first hour of the row has a window, too", async () => {
    const world = await World.create(`
rules:
  - name: tip
    watch: {kind: gas, chain: ethereum}
    when: {metric: tip_top10, rises: 50%, within: 24h}
    for: 24h
    schedule: 1h
`);
    // From then on 3% an hour: the fifteenth hour is the first that is 50% above the flat ones.
    const rise = START + 30 * HOUR;
    world.answer = (_ask, date) =>
      hours(date, (start) => Math.round(1e9 * 1.03 ** Math.max(0, (start - rise) / HOUR)));
    for (let i = 0; i < 80; i += 1) await world.pass(HOUR);
    // The hours 14 to 37 of the rise make 24; the last of them counts in the round at its end.
    expect(world.story()).toEqual([`${(30 + 38) * 60} fired`]);
    await world.stop();
  });
});

describe("a subject that is added to a rule of yesterday", () => {
  it("counts its silence from its own first round", async () => {
    const store = createMemoryStore();
    const answer = tvl((_minute, ask) => (ask.id === OTHER ? absent : 1000));
    const world = await World.create(rule("below: 500"), { store, answer });
    await world.minutes(3);
    await world.stop();
    await world.pass(10 * HOUR);
    await world.open(rule("below: 500", "", `${POOL_ID}, ${OTHER}`));
    await world.minutes(1);
    const alert = world.rounds.memory.rules[0]?.alerts[1]?.alert;
    expect(alert?.missing?.since).toBe(alert?.createdAt);
    await world.stop();
  });
});

describe("an event while another subject has no value yet", () => {
  it("is told", async () => {
    const world = await World.create(rule("changes: true", "", `${POOL_ID}, ${OTHER}`));
    world.answer = tvl((minute, ask) =>
      ask.id === OTHER ? (minute < 5 ? failed : 1) : minute < 3 ? 1000 : 2000,
    );
    await world.minutes(8);
    expect(world.told.map(({ minute, kind }) => `${minute} ${kind}`)).toEqual([
      "1 started",
      "3 changed",
    ]);
    await world.stop();
  });
});

describe("a firing level rule that is edited to an event rule", () => {
  it("no longer fires, and says so once", async () => {
    const world = await World.create(rule("below: 500"));
    world.answer = tvl((minute) => (minute < 2 ? 1000 : 400));
    await world.minutes(3);
    await world.restart(rule("crosses: 500"));
    await world.minutes(2);
    await world.restart();
    world.answer = tvl(() => 600);
    await world.minutes(1);
    expect(world.told.map(({ minute, kind }) => `${minute} ${kind}`)).toEqual([
      "1 started",
      "2 fired",
      "3 rule_removed",
      "3 started",
      "6 changed",
    ]);
    await world.stop();
  });
});

describe("a clock that is set back by an hour", () => {
  const FOR = rule("below: 500", "    for: 3m\n");

  it("holds up no timer and no window", async () => {
    const world = await World.create(`${FOR}
  - name: fall
    watch: {kind: v4_pool, chain: 1, pools: [${POOL_ID}]}
    when: {metric: tvl_usd, falls: 10%, within: 10m}
`);
    let value = 1000;
    world.answer = () => ok(poolRecord({ tvl_usd: value }));
    await world.minutes(70);
    await world.clock.set(START + 10 * MINUTE);
    await world.minutes(2);
    value = 400;
    await world.minutes(4);
    expect(world.story()).toEqual(["11 self", "13 fired", "16 fired"]);
    await world.stop();
  });

  it.each(["at a jump", "over a restart"])("%s, forgets no low and keeps no high", async (how) => {
    const world = await World.create(`${rule("rises: 50%, within: 10m")}
  - name: fall
    watch: {kind: v4_pool, chain: 1, pools: [${POOL_ID}]}
    when: {metric: tvl_usd, falls: 50%, within: 10m}
`);
    let value = 1000;
    world.answer = () => ok(poolRecord({ tvl_usd: value }));
    await world.minutes(70);
    if (how === "at a jump") await world.clock.set(START + 10 * MINUTE);
    else {
      await world.stop();
      await world.clock.set(START + 10 * MINUTE);
      await world.open();
    }
    value = 700;
    await world.minutes(15);
    value = 1050;
    await world.minutes(1);
    // 1,050 is half more than 700; the 700 that come then are no half less than anything.
    value = 700;
    await world.minutes(12);
    const jump = how === "at a jump" ? 11 : 10;
    expect(world.story()).toEqual([`${jump} self`, "26 fired", "27 resolved"]);
    await world.stop();
  });

  it("in the middle of for starts it anew, and a pending alert still fires", async () => {
    const world = await World.create(FOR);
    let value = 1000;
    world.answer = () => ok(poolRecord({ tvl_usd: value }));
    await world.minutes(60);
    value = 400;
    await world.minutes(2);
    await world.clock.set(START + MINUTE);
    await world.minutes(6);
    expect(world.story()).toEqual(["2 self", "5 fired"]);
    await world.stop();
  });

  it("and restarted then, holds up nothing either", async () => {
    const store = createMemoryStore();
    const world = await World.create(rule("falls: 10%, within: 10m"), { store });
    let value = 1000;
    world.answer = () => ok(poolRecord({ tvl_usd: value }));
    await world.minutes(70);
    await world.stop();
    await world.clock.set(START + 10 * MINUTE);
    await world.open();
    await world.minutes(6);
    value = 800;
    await world.minutes(2);
    expect(world.story()).toEqual(["10 self", "17 fired"]);
    await world.stop();
  });

  it("tells a second firing at the same minute of the clock", async () => {
    const world = await World.create(rule("below: 500"));
    world.answer = tvl((minute) => (minute === 30 ? 400 : 1000));
    await world.minutes(40);
    await world.clock.set(START + 20 * MINUTE);
    await world.minutes(20);
    const { store } = world;
    await world.stop();
    expect((await toldBy(store)).filter((kind) => kind === "fired")).toHaveLength(2);
  });
});

/** The kinds of everything that a channel is owed, in their order. */
async function toldBy(store: Store): Promise<string[]> {
  const kinds: string[] = [];
  for (;;) {
    const claim = await store.claim("slack", 0);
    if (claim.kind !== "notices") return kinds;
    const [{ id, kind }] = claim.notices;
    kinds.push(kind);
    const name = `${kinds.length}`;
    await store.freeze({ id: name, channel: "slack", notices: [id], body: "", attempts: 1 }, 0);
    await store.settle(name, { status: "sent", at: 0 });
  }
}
