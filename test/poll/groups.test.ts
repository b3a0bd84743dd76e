import { pino } from "pino";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { ENDPOINTS_OF } from "../../src/api/endpoints.ts";
import { Rounds } from "../../src/commit/rounds.ts";
import { KINDS } from "../../src/kinds/index.ts";
import type { Answer, Ask, RoundRecord } from "../../src/model/index.ts";
import { createFakeClock } from "../support/fake-clock.ts";
import { createMemoryStore } from "../support/memory-store.ts";
import { failed, MINUTE, ok, POOL_ID, poolRecord, START, World } from "../support/world.ts";
import { setupOf } from "../support/world-setup.ts";

const TIP = `  - {name: tip, watch: {kind: gas, chain: 1}, when: {metric: tip_top10, above: 100 gwei}}`;
const TVL = `  - {name: tvl, watch: {kind: v4_pool, chain: 1, pools: [${POOL_ID}]}, when: {metric: tvl_usd, below: 900}}`;

function good(ask: Ask, date: number): Answer {
  if (ask.record === "v4_pool") return ok(poolRecord());
  const hour = new Date(Math.floor(date / 3_600_000) * 3_600_000 - 3_600_000).toISOString();
  return ok({ hour, block_count: 1, avg_priority_fee_top10_threshold: "1000000000" });
}

/** A store that keeps the records of rounds as they are committed. */
function recordedWorld(yaml: string) {
  const records: RoundRecord[] = [];
  const inner = createMemoryStore();
  const store = {
    ...inner,
    commit: async (change: Parameters<typeof inner.commit>[0]) => {
      await inner.commit(change);
      if (change.round !== null) records.push(change.round);
    },
  };
  return { records, world: World.create(yaml, { store }) };
}

/** Answers to gas hours, which are given when the test wants. */
function gate() {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

/** One round of all rules, with what it was given for its polls. */
async function onceAt(requestsPerSecond: number, yaml: string) {
  const setup = setupOf(yaml);
  const clock = createFakeClock(START);
  const waits = vi.spyOn(globalThis, "setTimeout");
  onTestFinished(() => waits.mockRestore());
  const rounds = await Rounds.open({
    setup: { ...setup, service: { ...setup.service, requestsPerSecond } },
    kinds: KINDS,
    source: {
      serves: () => true,
      plan: (asks) =>
        asks.map((ask) => ({
          record: ask.record,
          endpoint: ENDPOINTS_OF[ask.record][0],
          asks: [ask],
          path: "/",
        })),
      room: () => Promise.resolve(),
      fetch: ({ asks }) => Promise.resolve(asks.map((ask) => good(ask, clock.now()))),
      verify: () => Promise.resolve("valid"),
      close: () => Promise.resolve(),
    },
    store: createMemoryStore(),
    clock,
    log: pino({ level: "silent" }),
    onEvent: () => {},
  });
  const { requests } = await rounds.once();
  await rounds.stop();
  const budgets = waits.mock.calls.map(([, ms]) => ms).filter((ms = 0) => ms >= 10_000);
  return { requests, budgets };
}

describe("rules that share nothing", () => {
  it.each([
    [`rules:\n${TIP}\n${TVL}`, ["tip", "tvl"]],
    [`rules:\n${TVL}\n${TIP}`, ["tvl", "tip"]],
  ])("are named in the order of the rules, whichever is over first", async (yaml, names) => {
    const { records, world: creating } = recordedWorld(yaml);
    const world = await creating;
    const { open, opened } = gate();
    world.answer = async (ask, date) => {
      if (ask.record === "gas_hour") await opened;
      return good(ask, date);
    };
    await world.pass(0);
    expect(records.map(({ rules }) => rules)).toEqual([["tvl"]]);
    open();
    await world.run(0);
    expect(records.map(({ rules }) => rules)).toEqual([["tvl"], names]);
    expect(records.at(-1)).toMatchObject({ requests: 2, subjects: 2 });
    await world.stop();
  });

  it("are all counted in the one notice of a key that is refused", async () => {
    const world = await World.create(`rules:\n${TIP}\n${TVL}`);
    world.answer = good;
    await world.minutes(2);
    world.answer = () => ({
      status: "failed",
      failure: { reason: "unauthorized", detail: "HTTP 401" },
    });
    await world.minutes(10);
    expect(world.story()).toEqual(["7 source_down"]);
    expect(world.told.at(-1)?.notice.headline).toContain("2 rules, 2 alerts blind");
    await world.stop();
  });

  it("do not count in a key's notice what is down for another reason, as people know", async () => {
    const world = await World.create(`rules:\n${TIP}\n${TVL}`);
    world.answer = good;
    await world.minutes(2);
    world.answer = (ask, date) => (ask.record === "v4_pool" ? failed : good(ask, date));
    await world.minutes(10);
    world.answer = (ask) =>
      ask.record === "v4_pool"
        ? failed
        : { status: "failed", failure: { reason: "unauthorized", detail: "HTTP 401" } };
    await world.minutes(10);
    expect(world.story()).toEqual(["7 source_down", "17 source_down"]);
    expect(world.told.at(-1)?.notice.headline).toContain("1 rule, 1 alert blind");
    await world.stop();
  });

  it("are rewound when the clock is set back while one of them hangs", async () => {
    const world = await World.create(`rules:\n${TIP}\n${TVL}`);
    const { open, opened } = gate();
    world.answer = async (ask, date) => {
      if (ask.record === "gas_hour") await opened;
      return good(ask, date);
    };
    await world.pass(MINUTE);
    await world.clock.set(world.clock.now() - 30 * MINUTE);
    await world.pass(MINUTE);
    expect(world.told.map(({ notice }) => notice.headline)).toContainEqual(
      expect.stringContaining("clock was set back"),
    );
    open();
    await world.stop();
  });

  it("write down how far their records have come each in its own turn", async () => {
    const ids = Array.from({ length: 700 }, (_, i) => `0x${i.toString(16).padStart(64, "0")}`);
    const many = `  - {name: many, watch: {kind: v4_pool, chain: 1, pools: [${ids.join(", ")}]}, when: {metric: tvl_usd, below: 900}}`;
    const marked = new Set<string>();
    const inner = createMemoryStore();
    const commit: typeof inner.commit = async (change) => {
      for (const { subject } of change.marks) marked.add(subject);
      await inner.commit(change);
    };
    const supply = `  - {name: supply, watch: {kind: token_supply, chain: 1, token: "0x${"b2".repeat(20)}", decimals: 6}, when: {metric: total_supply, above: 1}}`;
    const world = await World.create(`rules:\n${many}\n${supply}`, {
      store: { ...inner, commit },
    });
    world.answer = (ask) => ok(poolRecord({ pool_id: ask.id, block_number: "7" }));
    await world.minutes(2);
    expect(marked.size).toBeGreaterThanOrEqual(ids.length);
    await world.stop();
  });

  it("have time for the requests of all of them, which go out at one rate", async () => {
    const { requests, budgets } = await onceAt(0.02, `rules:\n${TIP}\n${TVL}`);
    expect(requests).toBe(2);
    // A little more than the time limit of one, and half as much again as the rate demands.
    expect(budgets).toEqual([160_250, 160_250]);
  });
});

describe("rules with gates", () => {
  const SUPPLY = `  - {name: minted, watch: {kind: token_supply, chain: 1, token: "0x${"b2".repeat(20)}", decimals: 6}, when: {metric: total_supply, above: 100}}`;
  const HELD = TVL.replace("below: 900}", "below: 900}, unless: [tip, minted]");

  it.each([
    ["gas_hour", [TIP, SUPPLY, HELD]],
    ["supply", [TIP, SUPPLY, HELD]],
    ["gas_hour", [HELD, TIP, SUPPLY]],
    ["supply", [HELD, SUPPLY, TIP]],
  ] as const)("wait for those, whatever else they ask for: %s is late", async (late, rules) => {
    const world = await World.create(`rules:\n${rules.join("\n")}`);
    let isBad = false;
    const { open, opened } = gate();
    world.answer = async (ask) => {
      if (isBad && ask.record === late) await opened;
      if (ask.record === "v4_pool") return ok(poolRecord({ tvl_usd: isBad ? 800 : 1_000 }));
      const isTrue = isBad && ask.record === late;
      if (ask.record === "supply") {
        const total_supply = isTrue ? "200000000" : "1";
        return ok({ token_address: ask.id, chain_id: 1, total_supply });
      }
      const hour = new Date(START - 60 * MINUTE).toISOString();
      const tip = isTrue ? "200000000000" : "1";
      return ok({ hour, block_count: 1, avg_priority_fee_top10_threshold: tip });
    };
    await world.run(5 * MINUTE);
    isBad = true;
    await world.pass(5 * MINUTE);
    open();
    await world.run(0);
    expect(world.told.map(({ kind, notice }) => `${kind} ${notice.rule}`)).toEqual([
      "started null",
      late === "supply" ? "fired minted" : "fired tip",
    ]);
    await world.stop();
  });
});

describe("rules of one group with other schedules", () => {
  it("are all asked for when they are due together, whichever were due alone before", async () => {
    const rule = (name: string, id: string, schedule: string): string =>
      `  - {name: ${name}, watch: {kind: v4_pool, chain: 1, pools: ["${id}"]}, when: {metric: tvl_usd, below: 900}, schedule: ${schedule}}`;
    const slow = rule("slow", `0x${"cd".repeat(32)}`, "2m");
    for (const rules of [
      [rule("fast", POOL_ID, "1m"), slow],
      [slow, rule("fast", POOL_ID, "1m")],
    ]) {
      const world = await World.create(`rules:\n${rules.join("\n")}\n`);
      world.answer = ({ id }, date) =>
        ok(poolRecord({ pool_id: id, tvl_usd: date < START + 4 * MINUTE ? 1_000 : 800 }));
      await world.run(2 * MINUTE);
      await world.restart();
      await world.run(4 * MINUTE);
      expect(world.story()).toEqual(["4 fired", "4 fired"]);
      await world.stop();
    }
  });

  it("are decided when they are due, though another one asks for the same more often", async () => {
    const slow = TVL.replace("name: tvl", "name: slow").replace("900}", "900}, schedule: 30m");
    const fast = TVL.replace("900}", "900}, schedule: 1m");
    const world = await World.create(`rules:\n${slow}\n${fast}\n`);
    world.answer = (_ask, date) =>
      ok(poolRecord({ tvl_usd: date < START + 10 * MINUTE ? 1_000 : 800 }));
    await world.run(40 * MINUTE);
    expect(world.story()).toEqual(["10 fired", "30 fired"]);
    await world.stop();
  });
});
