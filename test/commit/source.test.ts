import { describe, expect, it } from "vitest";
import type { Answer, Ask } from "../../src/model/index.ts";
import { Division } from "../../src/poll/division.ts";
import { absent, failed, MINUTE, ok, poolRecord, START, World } from "../support/world.ts";
import { setupOf } from "../support/world-setup.ts";

const IDS = ["a1", "b2", "c3"].map((byte) => `0x${byte.repeat(32)}`);
const RULES = `
rules:
  - name: low
    watch: {kind: v4_pool, chain: 1, pools: [${IDS.join(", ")}]}
    when: {metric: tvl_usd, below: 500}
  - name: high
    watch: {kind: v4_pool, chain: 1, pools: [${IDS.join(", ")}]}
    when: {metric: tvl_usd, above: 5000}
`;

const pool = (ask: Ask, tvl = 1000): Answer => ok(poolRecord({ pool_id: ask.id, tvl_usd: tvl }));
const minuteOf = (date: number): number => Math.round((date - START) / MINUTE);

describe("a source that answers nothing", () => {
  it("is told once with what it blinds, and its return once, not once an alert", async () => {
    const world = await World.create(RULES);
    world.answer = (ask, date) => {
      const minute = minuteOf(date);
      return minute >= 3 && minute <= 20 ? failed : pool(ask);
    };
    await world.minutes(25);
    expect(world.story()).toEqual(["7 source_down", "21 source_up"]);
    const [, down, up] = world.told;
    expect(down?.notice.headline).toBe(
      "⚪ Source down 5 min: V4 pools. 2 rules, 6 alerts blind, their state is kept",
    );
    expect(down?.channels).toEqual(["console", "slack"]);
    expect(up?.notice.headline).toBe("🟢 Source back after 19 min: V4 pools answer again");
    await world.stop();
  });

  it("is told with what it blinds of all that is watched, where others decide a part of it", async () => {
    const { rules } = setupOf(RULES);
    const first = new Division(rules).slotOf("low", rules[0]?.subjects[0]?.key ?? "");
    const sum = `${RULES}
  - name: sum
    watch: {kind: v4_pool, chain: 1, pools: [0x${"d4".repeat(32)}, 0x${"e5".repeat(32)}]}
    across: sum
    when: {metric: tvl_usd, below: 500}
  - name: tip
    watch: {kind: gas, chain: 1}
    when: {metric: tip_top10, above: 100 gwei}
`;
    const world = await World.create(sum, { slots: new Set([first]) });
    world.answer = (ask, date) => (minuteOf(date) >= 3 ? failed : pool(ask));
    await world.minutes(12);
    expect(new Set(world.asked)).toEqual(new Set([`v4_pool:1:${IDS[0]}`]));
    // Nobody has asked for gas.
    expect(world.told.map(({ notice }) => notice.headline)).toEqual([
      "⚪ Source down 5 min: V4 pools. 3 rules, 7 alerts blind, their state is kept",
    ]);
    await world.stop();
  });

  it("of a chain blinds the sums over it that others decide, and none over several chains", async () => {
    const pools = (chain: string, ...bytes: string[]): string =>
      `{kind: v4_pool, chain: ${chain}, pools: [${bytes.map((byte) => `0x${byte.repeat(32)}`).join(", ")}]}`;
    const when = "when: {metric: tvl_usd, below: 500}";
    const yaml = `rules:
  - {name: own, watch: ${pools("1", "a1", "a2")}, ${when}}
  - {name: far, watch: ${pools("137", "b1", "b2")}, ${when}}
  - {name: near, watch: ${pools("1", "c1", "c2")}, across: sum, ${when}}
  - {name: both, watch: ${pools("[1, 137]", "d1", "d2")}, across: sum, ${when}}
`;
    const { rules } = setupOf(yaml);
    const division = new Division(rules);
    const [own = [], others = []] = [
      [0, 1],
      [2, 3],
    ].map((some) => some.flatMap((at) => [...division.slotsOf(rules[at]?.name ?? "")]));
    expect(others.filter((slot) => own.includes(slot))).toEqual([]);
    const world = await World.create(yaml, { slots: new Set(own) });
    world.answer = (ask, date) => (minuteOf(date) >= 3 && ask.chainId === 1 ? failed : pool(ask));
    await world.minutes(12);
    expect(world.told.map(({ notice }) => notice.headline)).toEqual([
      "⚪ No data 5 min: Ethereum. 3 alerts blind, their state is kept",
    ]);
    await world.stop();
  });

  it("for its key is told once for all that it refuses, and once when the key is taken again", async () => {
    const world = await World.create(`${RULES}
  - name: tip
    watch: {kind: gas, chain: 1}
    when: {metric: tip_top10, above: 100 gwei}
    schedule: 2m
`);
    const refused: Answer = {
      status: "failed",
      failure: { reason: "unauthorized", detail: "HTTP 401" },
    };
    world.answer = (ask, date) => {
      const minute = minuteOf(date);
      if (minute >= 3 && minute <= 30) return refused;
      if (ask.record === "v4_pool") return pool(ask);
      const hour = new Date(Math.floor(date / 3_600_000) * 3_600_000 - 3_600_000).toISOString();
      return ok({ hour, block_count: 1, avg_priority_fee_top10_threshold: "1000000000" });
    };
    await world.minutes(35);
    expect(world.story()).toEqual(["7 source_down", "31 source_up"]);
    const [down, up] = world.told
      .filter(({ kind }) => kind !== "started")
      .map(({ notice }) => notice.headline);
    expect(down).toMatch(
      /^⚪ Source down 5 min: the API key is refused\. \d rules, \d alerts blind/u,
    );
    expect(up).toBe("🟢 Source back after 29 min: the API key is accepted again");
    await world.stop();
  });

  it("counts after a restart the rules as well that are not looked at yet", async () => {
    const world = await World.create(`${RULES}
  - name: hourly
    watch: {kind: v4_pool, chain: 1, pools: [${IDS.join(", ")}]}
    when: {metric: tvl_usd, below: 400}
    schedule: 1h
  - name: elsewhere
    watch: {kind: gas, chain: 1}
    when: {metric: tip_top10, above: 100 gwei}
    schedule: 1h
`);
    world.answer = (ask) => (ask.record === "v4_pool" ? pool(ask) : absent);
    await world.minutes(3);
    world.answer = () => failed;
    await world.restart();
    await world.minutes(6);
    const down = world.told.find(({ kind }) => kind === "source_down");
    expect(down?.notice.headline).toContain("V4 pools. 3 rules, 9 alerts blind");
    await world.stop();
  });

  it("that comes back little by little is told as back, and not as lost for each alert", async () => {
    const world = await World.create(RULES);
    world.answer = (ask, date) => {
      const minute = minuteOf(date);
      const first = ask.id === IDS[0];
      return minute >= 3 && (minute <= 20 || (minute === 21 && !first)) ? failed : pool(ask);
    };
    await world.minutes(25);
    expect(world.story()).toEqual(["7 source_down", "21 source_up"]);
    await world.stop();
  });

  it("that comes back but for one subject is told of that subject, a round later", async () => {
    const world = await World.create(RULES);
    world.answer = (ask, date) => {
      const minute = minuteOf(date);
      return minute >= 3 && (minute <= 20 || ask.id === IDS[2]) ? failed : pool(ask);
    };
    await world.minutes(30);
    expect(world.story()).toEqual(["7 source_down", "21 source_up", "22 no_data", "22 no_data"]);
    await world.stop();
  });

  it("that refuses the only subject of its kind is not down: the subject has no data", async () => {
    const world = await World.create(RULES.replaceAll(IDS.join(", "), IDS[0] ?? ""));
    const refused: Answer = {
      status: "failed",
      failure: { reason: "refused", detail: "HTTP 404" },
    };
    world.answer = (ask, date) =>
      minuteOf(date) >= 3 && minuteOf(date) <= 20 ? refused : pool(ask);
    await world.minutes(25);
    expect(world.story()).toEqual(["7 no_data", "7 no_data", "21 data_back", "21 data_back"]);
    await world.stop();
  });

  it("is not taken for one that comes back where rounds are missed again and again", async () => {
    const world = await World.create(RULES);
    world.answer = (ask, date) => (minuteOf(date) > 4 && ask.id === IDS[2] ? failed : pool(ask));
    await world.minutes(4);
    // Each time four rounds are slept through.
    for (let minute = 9; minute <= 39; minute += 5) {
      await world.clock.set(START + minute * MINUTE);
      await world.pass(1);
    }
    const told = world.story().map((line) => line.replace(/^\S+ /, ""));
    expect(told).toEqual(["no_data", "no_data"]);
    await world.stop();
  });

  it("stays told over a restart", async () => {
    const world = await World.create(RULES);
    world.answer = (ask, date) =>
      minuteOf(date) >= 3 && minuteOf(date) <= 20 ? failed : pool(ask);
    await world.minutes(10);
    await world.restart();
    await world.minutes(4);
    await world.restart();
    await world.minutes(8);
    expect(world.story()).toEqual(["7 source_down", "21 source_up"]);
    await world.stop();
  });

  it("keeps what fires firing, and tells what ended meanwhile", async () => {
    const world = await World.create(RULES);
    world.answer = (ask, date) => {
      const minute = minuteOf(date);
      if (minute >= 4 && minute <= 12) return failed;
      return pool(ask, minute === 3 ? 400 : 1000);
    };
    await world.minutes(13);
    expect(world.story()).toEqual([
      "3 fired",
      "3 fired",
      "3 fired",
      "8 source_down",
      "13 resolved",
      "13 resolved",
      "13 resolved",
      "13 source_up",
    ]);
    await world.stop();
  });

  it("at the start is told by the notice for the source alone", async () => {
    const world = await World.create(RULES);
    world.answer = (ask, date) => (minuteOf(date) <= 10 ? failed : pool(ask));
    await world.minutes(12);
    expect(world.told.map(({ minute, kind }) => `${minute} ${kind}`)).toEqual([
      "1 started",
      "6 source_down",
      "11 source_up",
    ]);
    expect(world.found()).toBe("6 without data yet");
    await world.stop();
  });
});

describe("a source that answers some", () => {
  it("each blind alert is told by itself", async () => {
    const world = await World.create(RULES);
    world.answer = (ask, date) => (ask.id === IDS[0] && minuteOf(date) >= 3 ? failed : pool(ask));
    await world.minutes(10);
    expect(world.story()).toEqual(["7 no_data", "7 no_data"]);
    await world.stop();
  });

  it("a subject that is missing from good answers is no matter of the source", async () => {
    const world = await World.create(RULES.replace(IDS.join(", "), IDS[0] ?? ""));
    world.answer = (ask, date) => (ask.id === IDS[0] && minuteOf(date) >= 3 ? absent : pool(ask));
    await world.minutes(10);
    expect(world.story()).toEqual(["7 no_data", "7 no_data"]);
    await world.stop();
  });
});
