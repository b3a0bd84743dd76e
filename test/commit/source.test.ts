import { setImmediate as immediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { Answer, Ask } from "../../src/model/index.ts";
import { Division } from "../../src/poll/division.ts";
import { StoreError } from "../../src/store/store.ts";
import { createMemoryStore } from "../support/memory-store.ts";
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
    await world.minutes(10);
    const kept = (await world.store.load()).alerts.find(({ subject }) => subject === "v4_pool");
    expect(kept).toMatchObject({ state: "firing", label: "V4 pools" });
    await world.minutes(15);
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

/** Rules on three sources, by the name of each. */
const OF_SOURCES: Readonly<Record<string, string>> = {
  pools: `{name: pools, watch: {kind: v4_pool, chain: 1, pools: [${IDS.join(", ")}]}, when: {metric: tvl_usd, below: 500}}`,
  holders: `{name: holders, watch: {kind: holder_count, token: 0x${"2e".repeat(20)}, chain: 1}, when: {metric: holder_count, below: 5}, missing_after: 4m}`,
  supply: `{name: supply, watch: {kind: token_supply, token: 0x${"1f".repeat(20)}, chain: 1}, when: {metric: total_supply, below: 5}, schedule: 10m}`,
};

const answerOf = (ask: Ask): Answer => {
  if (ask.record === "v4_pool") return pool(ask);
  const identity = { token_address: ask.id, chain_id: ask.chainId };
  return ok({ ...identity, holder_count: 10, total_supply: "10" });
};

/** What was told after the start; of one minute in the order of the texts. */
function toldOf({ told }: World): readonly string[] {
  return told
    .filter(({ kind }) => kind !== "started")
    .toSorted((a, b) => a.minute - b.minute || (a.notice.headline < b.notice.headline ? -1 : 1))
    .map(({ minute, notice }) => `${minute} ${notice.headline}`);
}

/** Long enough for a group whose requests fail at once to be over. */
async function turns(): Promise<void> {
  for (let i = 0; i < 20; i += 1) await immediate();
}

describe("a source beside others", () => {
  const allOf = (names: readonly string[]): string =>
    `rules:\n${names.map((name) => `  - ${OF_SOURCES[name]}\n`).join("")}`;
  const orders = [
    ["pools", "holders", "supply"],
    ["supply", "pools", "holders"],
    ["holders", "supply", "pools"],
  ];

  it.each(orders)("is down in its time while another comes back: %s, %s, %s", async (...order) => {
    const world = await World.create(allOf(order));
    world.answer = (ask, date) => {
      const minute = minuteOf(date);
      if (ask.record === "holder_count" && minute >= 1 && minute <= 6) return failed;
      return ask.record === "v4_pool" && minute >= 4 && minute <= 11 ? failed : answerOf(ask);
    };
    await world.minutes(15);
    expect(toldOf(world)).toEqual([
      "5 ⚪ Source down 4 min: holder counts. 1 rule, 1 alert blind, their state is kept",
      "7 🟢 Source back after 6 min: holder counts answer again",
      "8 ⚪ Source down 5 min: V4 pools. 1 rule, 3 alerts blind, their state is kept",
      "12 🟢 Source back after 9 min: V4 pools answer again",
    ]);
    await world.stop();
  });

  it("is down on one chain in its time while it comes back on another", async () => {
    const pools = (chain: number): string =>
      `watch: {kind: v4_pool, chain: ${chain}, pools: [${IDS.slice(0, 2).join(", ")}]}, when: {metric: tvl_usd, below: 500}`;
    const world = await World.create(`rules:
  - {name: here, ${pools(1)}, missing_after: 4m}
  - {name: there, ${pools(137)}}
  - {name: elsewhere, ${pools(10)}}
`);
    world.answer = (ask, date) => {
      const minute = minuteOf(date);
      if (ask.chainId === 1 && minute >= 1 && minute <= 6) return failed;
      return ask.chainId === 137 && minute >= 4 && minute <= 11 ? failed : answerOf(ask);
    };
    await world.minutes(15);
    expect(toldOf(world)).toEqual([
      "5 ⚪ No data 4 min: Ethereum. 2 alerts blind, their state is kept",
      "7 🟢 Data back after 6 min: Ethereum",
      "8 ⚪ No data 5 min: Polygon. 2 alerts blind, their state is kept",
      "12 🟢 Data back after 9 min: Polygon",
    ]);
    await world.stop();
  });

  it.each(orders)(
    "is not all of the service while another is asked: %s, %s, %s",
    async (...order) => {
      const world = await World.create(allOf(order));
      world.answer = async (ask, date) => {
        const minute = minuteOf(date);
        // What is answered comes after what fails at once.
        if (ask.record === "supply") await turns();
        if (ask.record !== "supply" && minute >= 7 && minute <= 12) return failed;
        return answerOf(ask);
      };
      await world.minutes(15);
      expect(toldOf(world)).toEqual([
        "10 ⚪ Source down 4 min: holder counts. 1 rule, 1 alert blind, their state is kept",
        "11 ⚪ Source down 5 min: V4 pools. 1 rule, 3 alerts blind, their state is kept",
        "13 🟢 Source back after 7 min: V4 pools answer again",
        "13 🟢 Source back after 7 min: holder counts answer again",
      ]);
      await world.stop();
    },
  );

  const holdersOut = (ask: Ask, date: number): Answer =>
    ask.record === "holder_count" && minuteOf(date) >= 7 ? failed : answerOf(ask);

  it("is told in the same round where what the others were answered cannot be stored", async () => {
    const store = createMemoryStore();
    const world = await World.create(allOf(["holders", "supply", "pools"]), {
      store: {
        ...store,
        commit: (change) =>
          change.runs.length > 0 && minuteOf(world.clock.now()) === 10
            ? Promise.reject(new StoreError("unwritable", "the disk is full"))
            : store.commit(change),
      },
    });
    world.answer = async (ask, date) => {
      if (ask.record !== "holder_count") await turns();
      return holdersOut(ask, date);
    };
    await world.minutes(12);
    expect(world.refused).toHaveLength(2);
    expect(toldOf(world)).toEqual([
      "10 ⚪ Source down 4 min: holder counts. 1 rule, 1 alert blind, their state is kept",
    ]);
    await world.stop();
  });

  it("with a subject that alone has no data is told of it in its time beside a slower one", async () => {
    const world = await World.create(allOf(["pools", "supply"]));
    world.answer = async (ask, date) => {
      if (ask.record === "supply") await turns();
      return ask.id === IDS[0] && minuteOf(date) >= 6 ? failed : answerOf(ask);
    };
    await world.minutes(12);
    expect(world.story()).toEqual(["10 no_data"]);
    await world.stop();
  });

  it("that fails after it was asked beside a slower one is not back by its answer of then", async () => {
    const world = await World.create(allOf(["holders", "supply", "pools"]));
    let answer = (): void => {};
    world.answer = async (ask, date) => {
      const minute = minuteOf(date);
      if (ask.record === "supply" && minute === 10) {
        await new Promise<void>((resolve) => {
          answer = resolve;
        });
      }
      return ask.record === "holder_count" && minute > 10 ? failed : answerOf(ask);
    };
    await world.minutes(9);
    for (let minute = 10; minute <= 16; minute += 1) await world.pass(MINUTE);
    const told = [
      "14 ⚪ Source down 4 min: holder counts. 1 rule, 1 alert blind, their state is kept",
    ];
    expect(toldOf(world)).toEqual(told);
    answer();
    await world.pass(2 * MINUTE);
    expect(toldOf(world)).toEqual(told);
    await world.stop();
  });
});
