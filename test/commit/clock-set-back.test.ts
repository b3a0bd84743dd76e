import { describe, expect, it } from "vitest";
import type { Alert, RawRecord, RuleState } from "../../src/model/index.ts";
import { createMemoryStore } from "../support/memory-store.ts";
import { absent, failed, MINUTE, ok, POOL_ID, poolRecord, START, World } from "../support/world.ts";

const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const OTHER = `0x${"cd".repeat(32)}`;
const FLAPPING = `0x${"ef".repeat(32)}`;
const GAPS = `0x${"0a".repeat(32)}`;
const MISSING = `0x${"0b".repeat(32)}`;
const BLIND = `0x${"0c".repeat(32)}`;
const pool = (id = POOL_ID): string => `watch: {kind: v4_pool, chain: 1, pools: ["${id}"]}`;
const LOW = "when: {metric: tvl_usd, below: 900}";
const rules = (...all: readonly string[]): string =>
  `rules:\n${all.map((one) => `  - {${one}}\n`).join("")}`;

const hourAt = (start: number, gwei: number): RawRecord => ({
  hour: new Date(start).toISOString(),
  chain_id: 1,
  block_count: 300,
  avg_priority_fee_top10_threshold: `${gwei}000000000`,
});

async function setBack({ clock }: World, by: number): Promise<void> {
  await clock.set(clock.now() - by);
}

/** The clock was set back while the daemon was stopped; `yaml`: other rules. */
async function openEarlier(world: World, by: number, yaml?: string): Promise<void> {
  await setBack(world, by);
  await world.open(yaml);
  await world.run(0);
}

/** How often it was told that the clock was set back. */
const jumpsIn = ({ told }: World): number =>
  told.filter(({ notice }) => notice.headline.includes("clock")).length;

describe("a clock that was set back while the daemon was stopped is noticed", () => {
  it("by the rounds in which nothing was answered", async () => {
    const world = await World.create(rules(`name: low, ${pool()}, ${LOW}`));
    world.answer = () => ok(poolRecord());
    await world.run(MINUTE);
    world.answer = () => failed;
    await world.run(2 * HOUR);
    await world.stop();
    await openEarlier(world, HOUR);
    expect(world.story()).toEqual(["6 source_down", "61 self"]);
    await world.stop();
  });

  it("by the samples of a round that a stop cut off", async () => {
    const hourly = `name: low, watch: {kind: v4_pool, chain: 1, pools: ["${POOL_ID}", "${OTHER}"]}, ${LOW}, schedule: 1h`;
    const world = await World.create(rules(hourly));
    world.perRequest = 1;
    world.answer = ({ id }) => ok(poolRecord({ pool_id: id }));
    await world.run(2 * HOUR);
    await world.run(HOUR - MINUTE);
    await world.stopBefore(OTHER);
    expect(jumpsIn(world)).toBe(0);
    await openEarlier(world, HOUR / 2);
    expect(jumpsIn(world)).toBe(1);
    await world.stop();
  });

  it("by what was answered to rules that are gone, so that an outage is told in time", async () => {
    const world = await World.create(rules(`name: low, ${pool()}, ${LOW}`));
    world.answer = () => ok(poolRecord());
    await world.run(2 * HOUR);
    world.answer = () => failed;
    const tick = `name: tick, ${pool()}, when: {metric: current_tick, below: -900000}`;
    await world.stop();
    await openEarlier(world, HOUR, rules(tick));
    expect(jumpsIn(world)).toBe(1);
    await world.run(6 * MINUTE);
    expect(world.story()).toEqual(["60 self", "65 source_down"]);
    await world.stop();
  });
});

describe("a daemon that takes over from one whose clock is ahead", () => {
  it.each([
    [5, 0],
    [6, 1],
  ])("by %i seconds tells %i times that it was set back", async (seconds, count) => {
    const slots = new Set(Array.from({ length: 256 }, (_, slot) => slot));
    const world = await World.create(rules(`name: low, ${pool()}, ${LOW}`), {
      slots,
      answer: () => ok(poolRecord()),
    });
    await world.run(10 * MINUTE);
    await world.stop();
    await openEarlier(world, seconds * 1_000);
    expect(jumpsIn(world)).toBe(count);
    await world.stop();
  });
});

interface Dated {
  readonly path: string;
  readonly date: number;
}

/** What is stored of rules and alerts, by its dates; buckets have their own. */
function* datesOf(what: unknown, path: string): Generator<Dated> {
  if (typeof what === "number" && what > START - HOUR) yield { path, date: what };
  if (typeof what !== "object" || what === null) return;
  for (const [key, value] of Object.entries(what)) {
    yield* datesOf(value, Array.isArray(what) ? path : path === "" ? key : `${path}.${key}`);
  }
}

function datesIn(loaded: {
  readonly alerts: readonly Alert[];
  readonly rules: readonly RuleState[];
}): readonly Dated[] {
  const ofAlerts = loaded.alerts.flatMap((one) => {
    const isBucketed = one.subject.startsWith("gas:");
    return [...datesOf(isBucketed ? { ...one, since: null } : one, "")];
  });
  const ofRules = loaded.rules.flatMap((one) => [...datesOf(one, "rule")]);
  return [...ofAlerts, ...ofRules];
}

describe("whatever is dated later", () => {
  const ALL = rules(
    `name: gate, ${pool(OTHER)}, when: {metric: tvl_usd, above: 10}`,
    `name: reminded, ${pool()}, ${LOW}, remind: 7m`,
    `name: behind, ${pool()}, ${LOW}, resolve_after: 5m, only_while: [gate], any_chain: true`,
    `name: held, ${pool(FLAPPING)}, when: {metric: tvl_usd, crosses: 900}, cooldown: 30m`,
    `name: flapping, ${pool(FLAPPING)}, ${LOW}`,
    `name: gaps, ${pool(GAPS)}, ${LOW}, missing_after: 1m`,
    `name: missing, ${pool(MISSING)}, ${LOW}`,
    `name: resolved, ${pool(OTHER)}, when: {metric: tvl_usd, below: 10}`,
    "name: quiet-hours, watch: {kind: gas, chain: 1}, when: {metric: tip_top10, above: 9 gwei}, max_age: 6h",
    "name: dear-hours, watch: {kind: gas, chain: 1}, when: {metric: tip_top10, above: 5 gwei}, max_age: 6h",
    `name: blind, ${pool(BLIND)}, ${LOW}, missing_after: 1m, unless: [gate], any_chain: true`,
  );

  /** A store in which alerts have remembered all that they can. */
  async function remembering(): Promise<ReturnType<typeof createMemoryStore>> {
    const store = createMemoryStore();
    const world = await World.create(ALL, { store });
    world.answer = ({ id, record }, date) => {
      const minute = (date - START) / MINUTE;
      if (id === GAPS && minute % 8 < 4) return absent;
      if (id === BLIND && minute >= 3 && minute <= 7) return absent;
      if (id === MISSING && minute >= 50) return absent;
      if (record === "gas_hour") return ok(hourAt(START - 2 * HOUR, minute < 19 ? 1 : 6));
      const low = id === FLAPPING ? minute % 2 === 0 : id === POOL_ID && minute % 20 !== 10;
      const tvl = id === OTHER && minute < 7 ? 5 : low ? 800 : 1_000;
      return ok(poolRecord({ pool_id: id, tvl_usd: tvl }));
    };
    await world.run(53 * MINUTE);
    await world.stop();
    return store;
  }

  it("is dated now, in the store as well, and that is told once", async () => {
    const store = await remembering();
    const before = datesIn(await store.load());
    expect([...new Set(before.map(({ path }) => path))].toSorted()).toEqual([
      "createdAt",
      "firedAt",
      "heldAt",
      "life.blindSince",
      "life.cooling",
      "life.firings.dates",
      "life.firings.on.side",
      "life.firings.on.since",
      "life.firings.on.told",
      "life.gaps.dates",
      "life.gaps.on.side",
      "life.gaps.on.since",
      "life.gaps.on.told",
      "life.held.since",
      "life.lapse.trueSince",
      "life.reminded.at",
      "missing.since",
      "rule.lastRound",
      "rule.startedAt",
      "since",
    ]);
    const dates = new Set(before.map(({ date }) => date));
    // One by one: what is dated between two of them is dated as the clock says.
    for (const date of [...dates].toSorted((a, b) => b - a)) {
      for (const count of [1, 0]) {
        const world = await World.create(ALL, { store, start: date - 1_000 });
        expect(jumpsIn(world)).toBe(count);
        const late = datesIn(await store.load()).filter((one) => one.date > date - 1_000);
        expect(late).toEqual([]);
        await world.stop();
      }
    }
  });
});

describe("after a clock was set back while the daemon runs", () => {
  it("a reminder counts from then, though all else is older", async () => {
    const world = await World.create(rules(`name: low, ${pool()}, ${LOW}, remind: 10m`));
    world.answer = (_ask, date) => ok(poolRecord({ tvl_usd: date < START + MINUTE ? 1_000 : 800 }));
    await world.run(12 * MINUTE);
    expect(world.story()).toEqual(["1 fired", "11 reminder"]);
    await setBack(world, 5 * MINUTE);
    await world.run(14 * MINUTE);
    expect(world.story()).toEqual(["1 fired", "11 reminder", "8 self", "18 reminder"]);
    await world.stop();
  });

  it("what is dated later is dated now by a later round where the store refused it", async () => {
    const world = await World.create(rules(`name: low, ${pool()}, ${LOW}, remind: 10m`));
    world.answer = (_ask, date) => ok(poolRecord({ tvl_usd: date < START + MINUTE ? 1_000 : 800 }));
    await world.run(12 * MINUTE);
    await setBack(world, 5 * MINUTE);
    const commit = world.store.commit.bind(world.store);
    let isRefused = false;
    world.store.commit = async (change) => {
      if (!isRefused && change.notices.some(({ notice }) => notice.kind === "self")) {
        isRefused = true;
        throw new Error("refused once");
      }
      await commit(change);
    };
    await world.run(14 * MINUTE);
    expect(isRefused).toBe(true);
    const [, , self, ...later] = world.story();
    expect(self).toBe("9 self");
    expect(later.map((line) => line.split(" ")[1])).toEqual(["reminder"]);
    await world.stop();
  });

  it("an outage is told once and in time, and so is its end", async () => {
    const world = await World.create(
      rules(
        `name: low, watch: {kind: v4_pool, chain: 1, pools: ["${POOL_ID}", "${OTHER}"]}, ${LOW}`,
      ),
    );
    world.answer = ({ id }) => ok(poolRecord({ pool_id: id }));
    await world.run(2 * HOUR);
    await setBack(world, HOUR);
    const answer = world.answer;
    world.answer = () => failed;
    await world.run(10 * MINUTE);
    world.answer = answer;
    await world.run(2 * MINUTE);
    expect(world.story()).toEqual(["61 self", "66 source_down", "71 source_up"]);
    await world.stop();
  });

  it("an older record is the new baseline as soon as it would have been", async () => {
    const world = await World.create(rules(`name: low, ${pool()}, ${LOW}`));
    let block = 100;
    world.answer = () => ok(poolRecord({ block_number: `${block}` }));
    await world.run(2 * HOUR);
    block = 90;
    await world.run(2 * MINUTE);
    await setBack(world, HOUR);
    await world.run(10 * MINUTE);
    expect(world.story()).toEqual(["63 self", "68 baseline"]);
    await world.stop();
  });

  it("what was held back before is counted", async () => {
    const world = await World.create(
      rules(`name: cross, ${pool()}, when: {metric: tvl_usd, crosses: 900}, cooldown: 30m`),
    );
    let elapsed = 0;
    world.answer = () => ok(poolRecord({ tvl_usd: elapsed % 10 < 5 ? 1_000 : 800 }));
    for (elapsed = 1; elapsed <= 60; elapsed += 1) {
      await world.run(MINUTE);
      if (elapsed === 22) await setBack(world, 15 * MINUTE);
    }
    const events = world.told.filter(({ kind }) => kind === "changed");
    const held = events.map(({ minute, notice }) => {
      const of = notice.fields.find(({ name }) => name === "Held back");
      return `${minute} ${of?.value ?? ""}`;
    });
    expect(held).toEqual(["5 ", "35 9 times in all, the first at 2026-11-28 12:07 UTC: $1,000"]);
    await world.stop();
  });

  it("the time for which a condition has been true behind a gate counts from then", async () => {
    const world = await World.create(
      rules(
        `name: gate, ${pool(OTHER)}, when: {metric: tvl_usd, above: 10}`,
        `name: behind, ${pool()}, ${LOW}, for: 5m, resolve_after: 10m, only_while: [gate], any_chain: true`,
      ),
    );
    let elapsed = 0;
    world.answer = ({ id }) => {
      const tvl = id === OTHER ? (elapsed === 24 ? 5 : 20) : elapsed === 20 ? 1_000 : 800;
      return ok(poolRecord({ pool_id: id, tvl_usd: tvl }));
    };
    const story: string[] = [];
    for (elapsed = 1; elapsed <= 35; elapsed += 1) {
      await world.run(MINUTE);
      if (elapsed === 22) await setBack(world, 5 * MINUTE);
      for (const { kind, notice } of world.told.splice(0)) {
        if (notice.rule === "behind") story.push(`${elapsed} ${kind}`);
      }
    }
    expect(story).toEqual(["1 fired", "24 resolved", "28 fired"]);
    await world.stop();
  });

  it("no run of samples ends before it begins", async () => {
    const world = await World.create(rules(`name: low, ${pool()}, ${LOW}`));
    let tvl = 1_000;
    world.answer = () => ok(poolRecord({ tvl_usd: tvl }));
    await world.run(HOUR);
    tvl = 950;
    await world.run(5 * MINUTE);
    await setBack(world, 30 * MINUTE);
    await world.run(5 * MINUTE);
    const [series] = (await world.store.load()).series;
    if (series === undefined) throw new Error("no series");
    const runs = (await world.store.window([series.id], 0)).get(series.id) ?? [];
    const minuteOf = (date: number): number => Math.round((date - START) / MINUTE);
    expect(runs.map(({ first, last, value }) => [minuteOf(first), minuteOf(last), value])).toEqual([
      [0, 36, "1000"],
      [36, 36, "950"],
      [36, 40, "950"],
    ]);
    await world.stop();
  });

  it("a restart finds nothing that is dated later any more", async () => {
    const world = await World.create(rules(`name: low, ${pool()}, ${LOW}`));
    world.answer = () => ok(poolRecord());
    await world.run(2 * HOUR);
    await setBack(world, HOUR);
    await world.run(MINUTE);
    await world.restart();
    await world.run(MINUTE);
    expect(world.story()).toEqual(["61 self"]);
    await world.stop();
  });
});

describe("hours, which are dated as the service says", () => {
  const GAS = rules(
    "name: tip, watch: {kind: gas, chain: 1}, when: {metric: tip_top10, above: 5 gwei}",
  );

  it("stay as they are when the clock was set back, which is told once", async () => {
    const world = await World.create(GAS);
    world.answer = (_ask, date) =>
      ok(
        ...[3, 2, 1, 0].map((ago) => {
          const start = date - (date % HOUR) - ago * HOUR;
          return hourAt(start, start > START ? 6 : 1);
        }),
      );
    await world.run(3.5 * HOUR);
    expect(world.story()).toEqual(["65 fired"]);
    const [series] = (await world.store.load()).series;
    if (series === undefined) throw new Error("no series");
    const stored = (): Promise<unknown> => world.store.window([series.id], 0);
    const before = await stored();
    const [alert] = (await world.store.load()).alerts;
    world.answer = () => absent;
    await world.stop();
    await openEarlier(world, 4 * HOUR);
    await world.restart();
    expect(await stored()).toEqual(before);
    expect((await world.store.load()).alerts[0]?.since).toBe(alert?.since);
    expect(world.story()).toEqual(["65 fired", "-30 self"]);
    await world.stop();
  });
});

describe("the points of a history that were dated later", () => {
  const MILLION = 10n ** 12n;
  const TOKEN = `0x${"a0".repeat(20)}`;
  const MINTED = rules(
    `name: minted, watch: {kind: token_supply, chain: 1, token: "${TOKEN}", decimals: 6}, when: {metric: total_supply, moves: 5M tokens, since: 24h}`,
  );

  it.each(["sleeps", "is stopped"])(
    "make no points of the samples after it: none is a base once the machine %s",
    async (how) => {
      let supply = 100n * MILLION;
      let hasHistory = true;
      const world = await World.create(MINTED, { backfill: true });
      world.answer = ({ record }, date) => {
        if (record !== "supply_point") {
          return ok({ token_address: TOKEN, chain_id: 1, total_supply: `${supply}` });
        }
        if (!hasHistory) return absent;
        return ok(
          ...[4, 3, 2, 1].map((ago) => ({
            date: new Date(date - ago * DAY).toISOString().slice(0, 10),
            total_supply: `${supply}`,
          })),
        );
      };
      await world.backfilled();
      hasHistory = false;
      await world.stop();
      await openEarlier(world, 3 * DAY);
      await world.run(10 * MINUTE);
      if (how === "is stopped") await world.stop();
      await world.clock.set(world.clock.now() + 27 * HOUR);
      supply = 106n * MILLION;
      if (how === "is stopped") await world.open();
      await world.run(MINUTE);
      expect(world.told.map(({ kind }) => kind)).toEqual(["started", "self"]);
      await world.stop();
    },
  );
});
