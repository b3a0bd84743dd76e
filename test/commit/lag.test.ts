import { describe, expect, it } from "vitest";
import { watermarkFromText } from "../../src/commit/watermark.ts";
import type { Answer, Ask, RawRecord } from "../../src/model/index.ts";
import { gasHour } from "../kinds/records.ts";
import { MINUTE, ok, POOL_ID, poolRecord, positionRecord, START, World } from "../support/world.ts";

const HOUR = 60 * MINUTE;
const RULE = `
rules:
  - name: tvl
    watch: {kind: v4_pool, chain: 1, pools: [${POOL_ID}]}
    when: {metric: tvl_usd, below: 500}
`;

const OTHER = `0x${"7".repeat(64)}`;

type Record_ = readonly [tvl: number, block: number | string | null, time?: number];

/** Each minute's TVL with the block, and the time, of the record. */
function records(byMinute: readonly Record_[]): (ask: Ask, date: number) => Answer {
  return (_ask, date) => {
    const minute = Math.round((date - START) / MINUTE);
    const [tvl, block, time] = byMinute[minute - 1] ?? byMinute.at(-1) ?? [0, 0];
    return ok(poolRecord({ tvl_usd: tvl, block_number: block, timestamp: String(time ?? 100) }));
  };
}

describe("a record that is older than one before", () => {
  it("is dropped: a replica that lags for two rounds alerts nobody", async () => {
    const world = await World.create(RULE);
    world.answer = records([
      [1000, "50"],
      [400, "49"],
      [400, "40"],
      [1000, "51"],
      [400, "50"],
      [1000, "51"],
    ]);
    await world.minutes(6);
    expect(world.story()).toEqual([]);
    await world.stop();
  });

  it("by its time alone is older as well; equal and unknown are not", async () => {
    const world = await World.create(RULE);
    world.answer = records([
      [1000, "50", 200],
      [400, "51", 199],
      [1000, "50", 200],
      [1000, null, 200],
    ]);
    await world.minutes(4);
    expect(world.story()).toEqual([]);
    expect(world.rounds.memory.rules[0]?.alerts[0]?.alert?.missing).toBeNull();
    await world.stop();
  });

  it("is known as older after a restart as well", async () => {
    const world = await World.create(RULE);
    world.answer = records([
      [1000, "50"],
      [1000, "51"],
      [400, "50"],
      [400, "50"],
      [1000, "52"],
    ]);
    await world.minutes(2);
    await world.restart();
    await world.minutes(3);
    expect(world.story()).toEqual([]);
    await world.stop();
  });

  it("becomes the baseline after missing_after, with one notice and no no_data", async () => {
    const world = await World.create(RULE);
    world.answer = records([
      [1000, "50"],
      [1000, "999999999999"],
      [1000, "51"],
      [1000, "52"],
      [1000, "53"],
      [1000, "54"],
      [400, "55"],
      [400, "56"],
      [1000, "57"],
    ]);
    await world.minutes(10);
    expect(world.story()).toEqual(["7 fired", "7 baseline", "9 resolved"]);
    await world.stop();
  });

  it.each([
    ["a rule's own missing_after", "    missing_after: 8m", "10 fired"],
    ["five minutes as a part of a sum", "    across: sum", "7 fired"],
  ])("becomes the baseline after %s", async (_, more, fired) => {
    const world = await World.create(RULE + more);
    world.answer = records([
      [1000, "50"],
      [1000, "999999999999"],
      [400, "51"],
    ]);
    await world.minutes(11);
    expect(world.story()).toContain(fired);
    expect(world.story().filter((told) => told.endsWith(" fired"))).toEqual([fired]);
    await world.stop();
  });

  it.each([
    [
      "a part of a sum",
      `rules:
  - name: sum
    watch: {kind: v4_pool, chain: 1, pools: ["${OTHER}", ${POOL_ID}]}
    when: {metric: tvl_usd, below: 500}
    across: sum`,
    ],
    [
      "what is compared with",
      `references:
  known: {watch: {kind: v4_pool, chain: 1, pools: [${POOL_ID}]}, metric: tvl_usd}
rules:
  - name: compared
    watch: {kind: v4_pool, chain: 1, pools: ["${OTHER}"]}
    when: {metric: tvl_usd, below: 10% of known}`,
    ],
    [
      "a part of a sum that is compared with",
      `references:
  known: {watch: {kind: v4_pool, chain: 1, pools: ["${OTHER}", ${POOL_ID}]}, metric: tvl_usd, across: sum}
rules:
  - name: compared
    watch: {kind: v4_pool, chain: 1, pools: ["${OTHER}"]}
    when: {metric: tvl_usd, below: 10% of known}`,
    ],
  ])("becomes the baseline with a notice as %s", async (_, yaml) => {
    const world = await World.create(yaml);
    const lagging = records([
      [1000, "999999999999"],
      [1000, "51"],
    ]);
    const steady = records([[1000, "50"]]);
    world.answer = (ask, date) => (ask.id === OTHER ? steady : lagging)(ask, date);
    await world.minutes(9);
    expect(world.story()).toEqual(["6 baseline"]);
    const told = world.told.find(({ kind }) => kind === "baseline");
    expect(told?.notice.subject).toContain(POOL_ID);
    await world.stop();
  });

  it("becomes the baseline at the same time if it restarts meanwhile", async () => {
    const world = await World.create(RULE);
    world.answer = records([
      [1000, "50"],
      [1000, "999999999999"],
      [1000, "51"],
      [1000, "52"],
      [1000, "53"],
      [1000, "54"],
      [400, "55"],
      [400, "56"],
      [1000, "57"],
    ]);
    for (let minute = 1; minute <= 10; minute += 1) {
      await world.minutes(1);
      await world.restart();
    }
    expect(world.story()).toEqual(["7 fired", "7 baseline", "9 resolved"]);
    await world.stop();
  });

  it("keeps a firing position firing while its pool's records lag", async () => {
    const world = await World.create(`
rules:
  - name: range
    watch: {kind: v4_position, chain: 1, protocol: dexa, positions: [42]}
    when: {metric: in_range, equals: false}
`);
    world.answer = (ask, date) => {
      const minute = Math.round((date - START) / MINUTE);
      if (ask.record === "v4_position") return ok(positionRecord());
      const out = minute === 2 || minute >= 5;
      const lags = minute === 3 || minute === 4;
      const tick = out ? -198_000 : -199_890;
      return ok(poolRecord({ current_tick: tick, block_number: lags ? "5" : String(10 + minute) }));
    };
    await world.minutes(6);
    expect(world.story()).toEqual(["2 fired"]);
    await world.stop();
  });
});

describe("a position and its pool, of which one lags", () => {
  const rules = `
rules:
  - name: poor
    watch: {kind: v4_position, chain: 1, protocol: dexa, positions: [42]}
    when: {metric: value_usd, below: 1000}
  - name: thin
    watch: {kind: v4_position, chain: 1, protocol: dexa, positions: [42]}
    when: {metric: amount1, below: 1 tokens}
  - name: range
    watch: {kind: v4_position, chain: 1, protocol: dexa, positions: [42]}
    when: {metric: in_range, equals: false}
  - name: tick
    watch: {kind: v4_position, chain: 1, protocol: dexa, positions: [42]}
    when: {metric: current_tick, falls: 500 ticks, within: 10m}
`;
  const IN = -199_890;
  const HIGH = -199_100;
  const OUT = -198_000;

  interface Minute {
    readonly usd: number;
    readonly block: number;
    readonly tick: number;
    readonly poolBlock: number;
  }

  async function told(
    minutes: readonly Minute[],
    restarts: readonly number[] = [],
  ): Promise<string[]> {
    const world = await World.create(rules);
    world.answer = (ask, date) => {
      const minute = Math.round((date - START) / MINUTE);
      const now = minutes[minute - 1] ?? minutes.at(-1);
      if (now === undefined) throw new Error("no minutes");
      if (ask.record === "v4_pool") {
        return ok(poolRecord({ current_tick: now.tick, block_number: String(now.poolBlock) }));
      }
      const amount1 = String(now.usd * 1_000);
      return ok(
        positionRecord({ core_total_usd: now.usd, amount1, block_number: String(now.block) }),
      );
    };
    for (let minute = 1; minute <= minutes.length; minute += 1) {
      await world.minutes(1);
      if (restarts.includes(minute)) await world.restart();
    }
    await world.stop();
    return world.told
      .filter(({ kind }) => kind !== "started")
      .map(({ minute, kind, notice }) => `${minute} ${kind} ${notice.rule ?? ""}`.trim());
  }

  it("drops what lags and nothing else: own values do not wait for the pool", async () => {
    const before = { usd: 5_000, block: 10, tick: IN, poolBlock: 10 };
    const lags = { usd: 900, block: 11, tick: OUT, poolBlock: 9 };
    expect((await told([before, before, lags])).toSorted()).toEqual([
      "3 fired poor",
      "3 fired thin",
    ]);
  });

  it("nor does the pool's tick wait for the position", async () => {
    const before = { usd: 5_000, block: 10, tick: HIGH, poolBlock: 10 };
    const lags = { usd: 900, block: 9, tick: IN, poolBlock: 11 };
    expect(await told([before, before, lags, lags])).toEqual(["3 fired tick"]);
  });

  it("has no sample of what lags, so that a window goes on over it", async () => {
    const high = { usd: 5_000, block: 10, tick: HIGH, poolBlock: 10 };
    const lags = { ...high, block: 11, tick: 0, poolBlock: 9 };
    const low = { ...high, block: 12, tick: IN, poolBlock: 12 };
    expect(await told([high, high, lags, lags, low])).toEqual(["5 fired tick"]);
  });

  it.each([[[]], [[2, 3, 4, 5, 6]]])(
    "takes a pool that stays behind for the baseline by itself (restarts after %j)",
    async (restarts) => {
      const before = { usd: 5_000, block: 10, tick: IN, poolBlock: 999_999 };
      const after = Array.from({ length: 7 }, (_, i) => ({
        usd: 5_000,
        block: 11 + i,
        tick: OUT,
        poolBlock: 11 + i,
      }));
      // Five minutes after the last round with the absurd block.
      expect((await told([before, ...after], restarts)).toSorted()).toEqual([
        "6 baseline",
        "6 fired range",
      ]);
    },
  );
});

describe("what was written down of records that lag", () => {
  it("is read as it was written before each record lagged by itself", () => {
    const text = JSON.stringify([1_000, 2, ["a", 5, 6], ["b", 7, null]]);
    expect(watermarkFromText(text)).toEqual({
      key: "a",
      block: 5,
      time: 6,
      others: [{ key: "b", block: 7, time: null }],
      since: 1_000,
      lagging: new Map([
        ["a", { since: 1_000, rounds: 2 }],
        ["b", { since: 1_000, rounds: 2 }],
      ]),
    });
    expect(watermarkFromText(JSON.stringify([1_000, ["a", 5, 6]]))?.lagging.size).toBe(0);
  });
});

describe("an answer without the newest hour, which one before had", () => {
  const TIP = `
rules:
  - name: tip
    watch: {kind: gas, chain: 1}
    when: {metric: tip_top10, above: 5 gwei}
  - name: cross
    watch: {kind: gas, chain: 1}
    when: {metric: tip_top10, crosses: 5 gwei}
`;
  const hour = (start: number, gwei: number): RawRecord =>
    gasHour(new Date(start).toISOString(), {
      avg_priority_fee_top10_threshold: `${gwei}000000000`,
    });
  /** Hours of 2 gwei, and the running one, which has this tip or is missing. */
  const hours = (date: number, running: number | null): Answer => {
    const now = Math.floor(date / HOUR) * HOUR;
    const before = [3, 2, 1].map((ago) => hour(now - ago * HOUR, 2));
    return ok(...before, ...(running === null ? [] : [hour(now, running)]));
  };

  it("calls off nothing and tells of no crossing, also after a restart", async () => {
    const world = await World.create(TIP);
    let running: number | null = 2;
    world.answer = (_ask, date) => hours(date, running);
    await world.minutes(10);
    running = 9;
    await world.minutes(1);
    expect(world.story().toSorted()).toEqual(["11 changed", "11 fired"]);
    for (let i = 0; i < 5; i += 1) {
      running = null;
      await world.minutes(1);
      if (i === 2) await world.restart();
      running = 9;
      await world.minutes(1);
    }
    expect(world.story()).toHaveLength(2);
    running = 3;
    await world.minutes(1);
    expect(world.story().slice(2).toSorted()).toEqual(["22 changed", "22 resolved"]);
    await world.stop();
  });

  it("fires nothing that compares with that hour of another chain, also after a restart", async () => {
    const world = await World.create(`
references:
  ethereum: {watch: {kind: gas, chain: 1}, metric: tip_top10}
rules:
  - name: dearer
    watch: {kind: gas, chain: polygon}
    when: {metric: tip_top10, above: ethereum}
`);
    let running: number | null = 9;
    world.answer = ({ chainId }, date) => hours(date, chainId === 1 ? running : 6);
    await world.minutes(10);
    for (let i = 0; i < 3; i += 1) {
      running = null;
      await world.minutes(2);
      if (i === 1) await world.restart();
      running = 9;
      await world.minutes(1);
    }
    expect(world.story()).toEqual([]);
    running = 5;
    await world.minutes(1);
    expect(world.story()).toEqual(["20 fired"]);
    await world.stop();
  });

  it("is the truth when the hour is over: the next one counts", async () => {
    const world = await World.create(TIP);
    let running: number | null = 9;
    world.answer = (_ask, date) => hours(date, running);
    await world.minutes(10);
    running = null;
    // From five minutes after the hour on it is older than the hour before, which has 2 gwei.
    await world.minutes(60);
    expect(world.story()).toContain("60 resolved");
    await world.stop();
  });
});
