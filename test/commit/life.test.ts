import { describe, expect, it } from "vitest";
import type { Answer, Ask } from "../../src/model/index.ts";
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

const TVL = `
rules:
  - name: tvl
    watch: {kind: v4_pool, chain: 1, pools: [${POOL_ID}]}
    when: {metric: tvl_usd, below: 500}
`;

/** Answers by minute since the start: a TVL, or an answer of its own. */
function tvlBy(minutes: readonly (number | Answer)[]): (ask: Ask, date: number) => Answer {
  return (_ask, date) => {
    const one = minutes[Math.round((date - START) / MINUTE) - 1] ?? minutes.at(-1) ?? absent;
    return typeof one === "number" ? ok(poolRecord({ tvl_usd: one })) : one;
  };
}

describe("a threshold rule", () => {
  it("tells once that it watches, then fires and resolves once each", async () => {
    const world = await World.create(TVL, { answer: tvlBy([1000, 1000, 400, 400, 1000, 1000]) });
    await world.minutes(6);
    expect(world.told.map(({ minute, kind }) => `${minute} ${kind}`)).toEqual([
      "1 started",
      "3 fired",
      "5 resolved",
    ]);
    expect(world.told[1]?.notice.headline).toContain("400");
    expect(world.told[1]?.channels).toEqual(["console", "slack"]);
    await world.stop();
  });

  it("what is true when its watch begins fires like anything else, and says so", async () => {
    const world = await World.create(TVL, { answer: tvlBy([400, 400, 1000]) });
    await world.minutes(3);
    expect(world.story()).toEqual(["1 fired", "3 resolved"]);
    const fired = world.told.find(({ kind }) => kind === "fired")?.notice;
    expect(fired?.headline).toBe("🟠 ETH/USDC 0.05% TVL $400, below $500. Ethereum");
    expect(fired).toMatchObject({ severity: "warning", began: true });
    expect(fired?.fields).toContainEqual({
      name: "Since",
      value: "2026-11-28 12:01 UTC, already firing at the start",
    });
    expect(fired?.values[0]).toMatchObject({ value: "400", limits: ["500"] });
    expect(world.found()).toBe("1 firing");
    await world.stop();
  });

  it("so does what was true when a value came at last, or when its subject was added", async () => {
    const late = await World.create(TVL, { answer: tvlBy([absent, absent, 400]) });
    await late.minutes(3);
    await late.stop();
    expect(late.story()).toEqual(["3 fired"]);
    expect(late.told.at(-1)?.notice).toMatchObject({ began: true });
    const added = await World.create(TVL, {
      answer: ({ id }) => ok(poolRecord({ pool_id: id, tvl_usd: id === POOL_ID ? 1000 : 400 })),
    });
    await added.minutes(2);
    await added.restart(TVL.replace(POOL_ID, `${POOL_ID}, "0x${"cd".repeat(32)}"`));
    await added.minutes(2);
    await added.stop();
    expect(added.story()).toEqual(["3 fired"]);
    expect(added.told.at(-1)?.notice).toMatchObject({ began: true });
  });

  it("but nothing was true of what fires because it never had a value", async () => {
    const world = await World.create(`${TVL}    on_missing: fire\n`, { answer: () => absent });
    await world.minutes(8);
    await world.stop();
    expect(world.story()).toEqual(["6 fired"]);
    expect(world.told.at(-1)?.notice).not.toHaveProperty("began");
  });

  it("with notify: [] tells nobody anything", async () => {
    const yaml = `${TVL}    notify: []\n`;
    const world = await World.create(yaml, { answer: tvlBy([1000, 400, 1000]) });
    await world.minutes(3);
    expect(world.told).toEqual([]);
    expect(world.rounds.memory.rules[0]?.state.startedAt).not.toBeNull();
    await world.stop();
  });

  it("send_resolved: false keeps the resolution to itself", async () => {
    const yaml = `${TVL}    send_resolved: false\n`;
    const world = await World.create(yaml, { answer: tvlBy([1000, 400, 1000, 400]) });
    await world.minutes(4);
    expect(world.story()).toEqual(["2 fired", "4 fired"]);
    await world.stop();
  });
});

describe("a start in which not everything answers", () => {
  const OTHER = `0x${"cd".repeat(32)}`;
  const TWO = TVL.replace(POOL_ID, `${POOL_ID}, ${OTHER}`);

  it("keeps nothing from firing, and counts what has no value yet", async () => {
    const world = await World.create(TWO);
    world.answer = (ask, date) => {
      if (ask.id === POOL_ID) return ok(poolRecord({ tvl_usd: 400 }));
      return date < START + 3 * MINUTE ? failed : ok(poolRecord({ pool_id: OTHER }));
    };
    await world.minutes(4);
    expect(world.story()).toEqual(["1 fired"]);
    expect(world.found()).toBe("1 firing, 1 without data yet");
    await world.stop();
  });

  it("tells of what stays without data as ever", async () => {
    const world = await World.create(TWO);
    world.answer = (ask, date) => {
      if (ask.id === POOL_ID) return ok(poolRecord());
      return date < START + 12 * MINUTE ? failed : ok(poolRecord({ pool_id: OTHER }));
    };
    await world.minutes(13);
    expect(world.told.map(({ minute, kind }) => `${minute} ${kind}`)).toEqual([
      "1 started",
      "6 no_data",
      "12 data_back",
    ]);
    await world.stop();
  });
});

describe("no data", () => {
  const cases: readonly [string, Answer][] = [
    ["a failed request", failed],
    ["a pool that is not in the answer", absent],
    ["a null", ok(poolRecord({ tvl_usd: null }))],
    ["a malformed number", ok(poolRecord({ tvl_usd: "n/a" }))],
    ["a negative TVL", ok(poolRecord({ tvl_usd: -5 }))],
    ["a TVL of 0 with reserves", ok(poolRecord({ tvl_usd: 0 }))],
    ["a missing field", ok({ pool_id: POOL_ID, chain_id: 1 })],
  ];
  it.each(cases)("%s never looks like a fall", async (_name, answer) => {
    const world = await World.create(TVL);
    world.answer = tvlBy([1000, 1000, answer, answer, answer, 1000]);
    await world.minutes(6);
    expect(world.story()).toEqual([]);
    await world.stop();
  });

  it("keeps a firing alert firing, is told once, and so is its end", async () => {
    const gap = Array.from({ length: 7 }, () => absent);
    const world = await World.create(TVL, { answer: tvlBy([1000, 400, ...gap, 400, 1000]) });
    await world.minutes(11);
    expect(world.story()).toEqual(["2 fired", "7 no_data", "10 data_back", "11 resolved"]);
    await world.stop();
  });

  it("a subject that fails does not touch the others", async () => {
    const OTHER = `0x${"cd".repeat(32)}`;
    const world = await World.create(TVL.replace(POOL_ID, `${POOL_ID}, ${OTHER}`));
    const other = tvlBy([1000, 1000, 400, 1000]);
    world.answer = (ask, date) =>
      ask.id !== POOL_ID ? other(ask, date) : date > START + MINUTE ? failed : ok(poolRecord());
    await world.minutes(4);
    expect(world.story()).toEqual(["3 fired", "4 resolved"]);
    await world.stop();
  });
});

describe("a subject without a name in its rule", () => {
  it.each([
    ["was missing", absent],
    ["failed", failed],
  ])(
    "is called by its first good answer, not by its id because the answer before %s",
    async (_, first) => {
      const world = await World.create(TVL, { answer: tvlBy([first, first, 1000]) });
      const label = () => world.rounds.memory.rules[0]?.alerts[0]?.alert?.label;
      await world.minutes(2);
      expect(label()).toBeNull();
      await world.minutes(1);
      expect(label()).toBe("ETH/USDC 0.05%");
      await world.stop();
    },
  );
});

describe("a fault of the program itself", () => {
  it("a source that throws costs its round, not the daemon", async () => {
    const world = await World.create(TVL);
    world.answer = (ask, date) => {
      if (date === START + 2 * MINUTE) throw new Error("the source broke");
      return tvlBy([1000, 1000, 400])(ask, date);
    };
    await world.minutes(3);
    expect(world.story()).toEqual(["3 fired"]);
    await world.stop();
  });

  it("a record that trips the words of a start keeps no rule from being watched", async () => {
    const trap = {
      get decimals(): number {
        throw new Error("no such number");
      },
    };
    const world = await World.create(TVL.replace("tvl_usd, below: 500", "amount1, below: 500 raw"));
    world.answer = (_ask, date) =>
      ok(poolRecord({ token1: trap, amount1: date < START + 3 * MINUTE ? "501" : "499" }));
    await world.minutes(3);
    expect(world.refused).toEqual([]);
    expect(world.told.map(({ minute, kind }) => `${minute} ${kind}`)).toEqual([
      "1 started",
      "3 fired",
    ]);
    await world.stop();
  });

  it("a record that trips its reader keeps no alert from being told", async () => {
    const trap = {
      get symbol(): string {
        throw new Error("no such symbol");
      },
    };
    const world = await World.create(TVL);
    world.answer = (_ask, date) =>
      ok(poolRecord({ tvl_usd: date < START + 3 * MINUTE ? 1000 : 400, token0: trap }));
    await world.minutes(3);
    expect(world.story()).toEqual(["3 fired"]);
    await world.stop();
  });
});

describe("a position", () => {
  const RANGE = `
rules:
  - name: range
    watch: {kind: v4_position, chain: 1, protocol: dexa, positions: [{id: 42, name: Treasury}]}
    when: {metric: in_range, equals: false}
    for: 2m
    resolve_after: 2m
`;
  const ticks =
    (byMinute: readonly number[]) =>
    (ask: Ask, date: number): Answer => {
      const tick = byMinute[Math.round((date - START) / MINUTE) - 1] ?? byMinute.at(-1);
      return ask.record === "v4_position"
        ? ok(positionRecord())
        : ok(poolRecord({ current_tick: tick }));
    };

  it("its pool is asked for once it is known, from then on in the same wave", async () => {
    const world = await World.create(RANGE, { answer: ticks([-199_890]) });
    await world.minutes(1);
    expect(world.asked).toHaveLength(2);
    expect(world.requests).toBe(2);
    await world.minutes(1);
    expect(world.asked).toHaveLength(4);
    await world.stop();
  });

  it("dancing on the edge for half an hour is told once", async () => {
    const dance = Array.from({ length: 30 }, (_, i) => (i % 2 === 0 ? -200_000 : -200_001));
    const out = [-200_001, -200_001, -200_001];
    const world = await World.create(RANGE, {
      answer: ticks([-199_890, ...out, ...dance, -199_890]),
    });
    await world.minutes(40);
    expect(world.story()).toEqual(["4 fired", "37 resolved"]);
    expect(world.told[1]?.notice.headline).toContain("Out of range: Treasury");
    expect(world.told[2]?.notice.headline).toContain("Back in range: Treasury");
    await world.stop();
  });

  it("lower is inside, upper is not", async () => {
    const yaml = RANGE.replace("for: 2m", "for: 0s").replace(
      "resolve_after: 2m",
      "resolve_after: 0s",
    );
    const world = await World.create(yaml, {
      answer: ticks([-199_890, -200_000, -200_001, -200_000, -199_001, -199_000, -199_001]),
    });
    await world.minutes(7);
    expect(world.story()).toEqual(["3 fired", "4 resolved", "6 fired", "7 resolved"]);
    await world.stop();
  });

  it("that is closed resolves and says so", async () => {
    const world = await World.create(RANGE);
    world.answer = (ask, date) => {
      if (ask.record === "v4_pool") return ok(poolRecord({ current_tick: -198_000 }));
      return ok(positionRecord(date > START + 4 * MINUTE ? { liquidity: "0" } : {}));
    };
    await world.minutes(8);
    expect(world.story().map((line) => line.split(" ")[1])).toEqual(["fired", "resolved"]);
    expect(world.told.at(-1)?.notice.headline).toMatch(/[Cc]losed/);
    await world.stop();
  });

  it("whose pool does not answer keeps its state", async () => {
    const world = await World.create(RANGE);
    world.answer = (ask, date) => {
      if (ask.record === "v4_position") return ok(positionRecord());
      return date > START + 2 * MINUTE ? failed : ok(poolRecord());
    };
    await world.minutes(12);
    expect(world.story()).toEqual(["7 source_down"]);
    await world.stop();
  });
});

describe("a fall within a window", () => {
  const FALL = TVL.replace("below: 500", "falls: 10%, within: 10m");

  it("fires on a slow drift and says what is steady afterwards", async () => {
    const drift = Array.from({ length: 12 }, (_, i) => 1000 - 15 * i);
    const world = await World.create(FALL, { answer: tvlBy(drift) });
    await world.minutes(30);
    const [fired, resolved] = world.told.slice(1);
    expect(world.story()).toEqual(["8 fired", "16 resolved"]);
    expect(fired?.notice.headline).toMatch(/-10%|-11%/);
    expect(resolved?.notice.headline).toContain("steady");
    await world.stop();
  });

  it("takes one absurd answer neither for a fall's base nor for its end", async () => {
    const world = await World.create(FALL);
    world.answer = tvlBy([...Array.from({ length: 8 }, () => 1000), 100_000, 1000, 1000, 1000]);
    await world.minutes(20);
    expect(world.story()).toEqual([]);
    await world.stop();
  });

  it("is known again at once after a restart", async () => {
    const store = createMemoryStore();
    const world = await World.create(FALL, { store, answer: tvlBy([1000]) });
    await world.minutes(10);
    await world.restart();
    world.answer = tvlBy([890]);
    await world.minutes(1);
    expect(world.story()).toEqual(["11 fired"]);
    await world.stop();
  });
});

describe("gas", () => {
  const GAS = `
rules:
  - name: tip
    watch: {kind: gas, chain: ethereum}
    when: {metric: tip_top10, above: 5 gwei}
    resolve_when: {below: 4 gwei}
`;
  const HOUR = 60 * MINUTE;
  const hour = (start: number, gwei: number): Record<string, unknown> => ({
    hour: new Date(start).toISOString(),
    block_count: 300,
    avg_priority_fee_top10_threshold: `${gwei}000000000`,
  });

  it("keeps firing between the limits, and skips a bucket that is too young", async () => {
    const world = await World.create(GAS);
    world.answer = (_ask, date) => {
      const running = Math.floor(date / HOUR) * HOUR;
      const tip = date < START + 10 * MINUTE ? 2 : date < START + 20 * MINUTE ? 6 : 4;
      const next = date >= START + HOUR;
      return ok(
        hour(running - HOUR, next ? 4 : 2),
        // A handful of blocks at the start of the next hour is wild, then it is calm.
        hour(running, next ? (date < START + HOUR + 4 * MINUTE ? 90 : 3) : tip),
      );
    };
    await world.minutes(70);
    expect(world.story()).toEqual(["10 fired", "65 resolved"]);
    await world.stop();
  });

  it("that is hours behind is no data, not a quiet chain", async () => {
    const world = await World.create(GAS);
    world.answer = () => ok(hour(START - HOUR, 2));
    await world.minutes(135);
    expect(world.story()).toEqual(["125 no_data"]);
    await world.stop();
  });

  it("for counts consecutive buckets by their latest values", async () => {
    const yaml = `${GAS}    for: 2h\n`;
    const world = await World.create(yaml);
    world.answer = (_ask, date) => {
      const running = Math.floor(date / HOUR) * HOUR;
      const tipOf = (start: number): number => (start >= START + HOUR ? 9 : 2);
      return ok(
        ...[3, 2, 1, 0].map((back) => hour(running - back * HOUR, tipOf(running - back * HOUR))),
      );
    };
    await world.minutes(190);
    expect(world.story()).toEqual(["125 fired"]);
    await world.stop();
  });
});
