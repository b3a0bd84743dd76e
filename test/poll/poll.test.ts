import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { ENDPOINTS_OF } from "../../src/api/endpoints.ts";
import type { Source } from "../../src/fetch/source.ts";
import { v4Pool } from "../../src/kinds/v4-pool.ts";
import type { Answer, Ask } from "../../src/model/index.ts";
import { SubjectMemory } from "../../src/poll/memory.ts";
import { PlanCache, type RoundPlan } from "../../src/poll/plan.ts";
import { poll } from "../../src/poll/poll.ts";
import { failed, ok, poolRecord, positionRecord, World } from "../support/world.ts";

/** As many pools, each with a request of its own. */
function planOf(count: number): RoundPlan {
  const works = Array.from({ length: count }, (_, n) => {
    const id = `0x${n.toString(16).padStart(64, "0")}`;
    const subject = v4Pool.subject({ chainId: 1, id, protocol: null, name: null });
    return { subject: new SubjectMemory(subject, v4Pool), due: [] };
  });
  const asks = works.map(({ subject }) => v4Pool.asks(subject.subject, 0));
  const requests = asks.map((own, index) => ({
    request: { record: "v4_pool" as const, endpoint: "v4_pool" as const, asks: own, path: "/" },
    waiting: [[index]],
  }));
  return { works, asks, requests };
}

function sourceOf(parts: Pick<Source, "room" | "fetch">): Source {
  return {
    ...parts,
    serves: () => true,
    plan: () => [],
    verify: () => Promise.resolve("valid"),
    close: () => Promise.resolve(),
  };
}

const ABSENT: readonly Answer[] = [{ status: "absent" }];
const fail = (): never => {
  throw new Error("no trouble was expected");
};

describe("a poll", () => {
  it("begins no request before there is room for it", async () => {
    let begun = 0;
    const rooms: (() => void)[] = [];
    const source = sourceOf({
      room: () =>
        new Promise((resolve) => {
          rooms.push(resolve);
        }),
      fetch: () => {
        begun += 1;
        return Promise.resolve(ABSENT);
      },
    });
    let read = 0;
    const { signal } = new AbortController();
    const polled = poll(planOf(3), source, new Map(), 0, signal, {
      onReading: () => (read += 1),
      onTrouble: fail,
    });
    for (let given = 0; given < 3; given += 1) {
      expect(begun).toBe(given);
      rooms.shift()?.();
      await turn();
    }
    expect(await polled).toMatchObject({ requests: 3, failed: 0 });
    expect(read).toBe(3);
  });

  it("tells how many requests were really sent, where the source knows", async () => {
    const signals: AbortSignal[] = [];
    const source = sourceOf({
      room: () => Promise.resolve(),
      fetch: () => Promise.resolve(ABSENT),
    });
    const hooks = { onReading: () => {}, onTrouble: fail };
    const { signal } = new AbortController();
    const knowing: Source = { ...source, sent: (round) => 10 + signals.push(round) };
    expect(await poll(planOf(3), source, new Map(), 0, signal, hooks)).toMatchObject({
      requests: 3,
    });
    expect(await poll(planOf(3), knowing, new Map(), 0, signal, hooks)).toMatchObject({
      requests: 11,
    });
    expect(signals).toEqual([signal]);
  });

  it("reads what the source left out as not answered", async () => {
    const source = sourceOf({
      room: () => Promise.resolve(),
      fetch: () => Promise.resolve([]),
    });
    const unanswered: unknown[] = [];
    await poll(planOf(2), source, new Map(), 0, new AbortController().signal, {
      onReading: (_work, reading) => unanswered.push(reading.unanswered),
      onTrouble: fail,
    });
    expect(unanswered).toEqual(["v4_pool", "v4_pool"]);
  });

  it("reads a subject with what is there, however much more is wanted", async () => {
    const page = (n: number): Ask => ({
      key: `page ${n}`,
      record: "v4_pool",
      chainId: 1,
      id: `${n}`,
    });
    const endless: typeof v4Pool = {
      ...v4Pool,
      follow: (_subject, answers) => {
        const pages = Array.from({ length: 20 }, (_, n) => page(n));
        return pages.slice(0, 1 + pages.findIndex((ask) => answers(ask) === undefined));
      },
    };
    const { works, ...rest } = planOf(1);
    const own = works.map(({ subject, due }) => ({
      subject: new SubjectMemory(subject.subject, endless),
      due,
    }));
    const source: Source = {
      ...sourceOf({ room: () => Promise.resolve(), fetch: () => Promise.resolve(ABSENT) }),
      plan: (asks) =>
        asks.map((ask) => ({ record: "v4_pool", endpoint: "v4_pool", asks: [ask], path: "/" })),
    };
    let read = 0;
    const { signal } = new AbortController();
    const report = await poll({ ...rest, works: own }, source, new Map(), 0, signal, {
      onReading: () => (read += 1),
      onTrouble: fail,
    });
    expect([report.requests, read]).toEqual([5, 1]);
  });

  it("that is out of time waits for no room", async () => {
    const stop = new AbortController();
    const source = sourceOf({
      room: () => new Promise(() => {}),
      fetch: () => Promise.resolve(ABSENT),
    });
    stop.abort();
    let read = 0;
    await poll(planOf(2), source, new Map(), 0, stop.signal, {
      onReading: () => (read += 1),
      onTrouble: fail,
    });
    expect(read).toBe(2);
  });
});

describe("a poll whose time is over before everything is asked for", () => {
  it("begins with the rest in the next round, so that each has its turn", async () => {
    const plans = new PlanCache(
      sourceOf({ room: () => Promise.resolve(), fetch: () => Promise.resolve(ABSENT) }),
      new Map(),
    );
    const plan = { ...planOf(7), rules: [], names: [], dated: false };
    const asked: number[] = [];
    for (let round = 0; round < 7; round += 1) {
      const end = new AbortController();
      let left = 3;
      const source = sourceOf({
        room: () => {
          left -= 1;
          if (left < 0) end.abort();
          return Promise.resolve();
        },
        fetch: ({ asks: [ask] }, signal) => {
          if (!signal.aborted) asked.push(Number(ask?.id));
          return Promise.resolve(ABSENT);
        },
      });
      const hooks = { onReading: () => {}, onTrouble: fail };
      const { unbegun } = await poll(plan, source, new Map(), 0, end.signal, hooks);
      if (unbegun === null) throw new Error("all were asked for");
      plans.beginWith(plan, unbegun);
    }
    expect(asked).toEqual(Array.from({ length: 21 }, (_, i) => i % 7));
  });

  it("leaves none of a daemon's subjects unasked for good", async () => {
    const real = globalThis.setTimeout;
    let end = (): void => {};
    // Of a round's timers only the one that ends it is so long.
    const timers = vi.spyOn(globalThis, "setTimeout").mockImplementation(((
      act: () => void,
      ms: number,
    ) => {
      if (ms > 10_000) end = act;
      return real(act, ms);
    }) as typeof setTimeout);
    onTestFinished(() => timers.mockRestore());
    const asked: number[] = [];
    let left = 0;
    const source: Source = {
      ...sourceOf({
        room: () => {
          left -= 1;
          if (left < 0) end();
          return Promise.resolve();
        },
        fetch: ({ asks: [ask] }, signal) => {
          if (signal.aborted) return Promise.resolve([failed]);
          asked.push(Number(ask?.id));
          return Promise.resolve(ABSENT);
        },
      }),
      plan: (asks) =>
        asks.map((ask) => ({ record: "v4_pool", endpoint: "v4_pool", asks: [ask], path: "/" })),
    };
    const pools = Array.from({ length: 7 }, (_, n) => `0x${n.toString(16).padStart(64, "0")}`);
    const world = await World.create(
      `rules: [{name: low, watch: {kind: v4_pool, chain: 1, pools: [${pools.join(", ")}]}, when: {metric: tvl_usd, below: 1}}]`,
      { source },
    );
    for (let round = 0; round < 7; round += 1) {
      left = 3;
      await world.minutes(1);
    }
    await world.stop();
    expect(asked).toEqual(Array.from({ length: 21 }, (_, i) => i % 7));
  });
});

describe("what an answer showed to be needed", () => {
  it("is asked together with the rest from the next round on", async () => {
    const other = `0x${"cd".repeat(32)}`;
    const world = await World.create(`
rules:
  - name: my-range
    watch: {kind: v4_position, chain: 1, protocol: dexa, positions: [42]}
    when: {metric: in_range, equals: false}
  - {name: tvl, watch: {kind: v4_pool, chain: 1, pools: ["${other}"]}, when: {metric: tvl_usd, below: 1 usd}}
`);
    world.answer = (ask) =>
      ask.record === "v4_position" ? ok(positionRecord()) : ok(poolRecord({ pool_id: ask.id }));
    await world.minutes(1);
    // The position, the pool of the other rule, and then the position's pool.
    expect(world.requests).toBe(3);
    await world.minutes(2);
    expect(world.requests).toBe(3 + 2 * 2);
    await world.stop();
  });

  it("is asked once for all that need it, and each of them is read", async () => {
    const range = `rules:
  - {name: range, watch: {kind: v4_position, chain: 1, protocol: dexa, positions: [42, 43, 44]}, when: {metric: in_range, equals: false}}
`;
    const world = await World.create(range);
    let tick = -199_890;
    world.answer = ({ record, id }) =>
      record === "v4_position"
        ? ok(positionRecord({ nft_id: id }))
        : ok(poolRecord({ current_tick: tick }));
    await world.minutes(2);
    world.asked.length = 0;
    tick = -201_000;
    await world.minutes(1);
    expect(world.asked.filter((key) => key.startsWith("v4_pool"))).toHaveLength(1);
    expect(world.story()).toEqual(["3 fired", "3 fired", "3 fired"]);
    await world.stop();
  });

  it("is asked beside it where a rule looks at it, and no more often than its own", async () => {
    const rule = (name: string, when: string): string =>
      `  - {name: ${name}, watch: {kind: v4_position, chain: 1, protocol: dexa, positions: [42]}, when: ${when}}\n`;
    const fees = rule("fees", "{metric: fees_usd, above: 10}");
    const range = rule("range", "{metric: in_range, equals: false}");
    for (const [rules, expected, asked] of [
      [`${fees}${range}`, ["3 fired"], 3],
      [range, [], 0],
    ] as const) {
      const world = await World.create(`rules:\n${rules}`);
      let usd = 1;
      world.answer = ({ record, id }) => {
        if (record === "v4_position") return ok(positionRecord());
        if (record === "v4_pool") return ok(poolRecord());
        return ok({ chain_id: 1, nft_id: id, fees0: "7", fees1: "9", fees_usd: usd });
      };
      await world.minutes(2);
      usd = 12.5;
      await world.minutes(1);
      expect(world.story()).toEqual(expected);
      expect(world.asked.filter((key) => key.startsWith("v4_fees"))).toHaveLength(asked);
      await world.stop();
    }
  });

  it("is left out where nobody serves it, and the rest is read all the same", async () => {
    let tick = -199_890;
    const serves = (record: Ask["record"]): boolean => record !== "v4_fees";
    const source: Source = {
      ...sourceOf({
        room: () => Promise.resolve(),
        fetch: ({ record }) =>
          Promise.resolve([
            ok(record === "v4_position" ? positionRecord() : poolRecord({ current_tick: tick })),
          ]),
      }),
      serves,
      plan: (asks) =>
        asks
          .filter(({ record }) => serves(record))
          .map((ask) => ({
            record: ask.record,
            endpoint: ENDPOINTS_OF[ask.record][0],
            asks: [ask],
            path: "/",
          })),
    };
    const rule = "when: {metric: in_range, equals: false}, note: its fees_usd wait";
    const world = await World.create(
      `rules:\n  - {name: range, watch: {kind: v4_position, chain: 1, protocol: dexa, positions: [42]}, ${rule}}\n`,
      { source },
    );
    await world.minutes(2);
    tick = -201_000;
    await world.minutes(1);
    expect(world.story()).toEqual(["3 fired"]);
    await world.stop();
  });
});
