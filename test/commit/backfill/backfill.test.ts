import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Answer, Ask, RawRecord } from "../../../src/model/index.ts";
import { openSqliteStore } from "../../../src/store/sqlite/store.ts";
import { propertyRuns } from "../../support/tier.ts";
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
} from "../../support/world.ts";

const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const MIDNIGHT = START - (START % DAY);
const TOKEN = `0x${"a0".repeat(20)}`;

const day = (date: number): string => new Date(date).toISOString().slice(0, 10);
const iso = (date: number): string => new Date(date).toISOString();
const supply = (value: bigint | number, chain = 1): RawRecord => ({
  token_address: TOKEN,
  chain_id: chain,
  total_supply: String(value),
});

/** One point a day from `from` on, each dated by its day. */
function points(from: number, values: readonly (bigint | number | null)[]): RawRecord[] {
  return values.map((value, i) => ({
    date: day(from + i * DAY),
    total_supply: value === null ? null : String(value),
  }));
}

const MINTED = `
rules:
  - name: net-mint
    notify: [slack]
    watch: {kind: token_supply, chain: 1, token: ${TOKEN}, decimals: 6}
    when: {metric: total_supply, moves: 5M tokens, since: 24h}
`;
const MILLION = 1_000_000_000_000n;

function histories(world: World): string[] {
  return world.asked.filter((key) => /_point:|gas_hour:/.test(key));
}

describe("a rule whose window the store does not reach", () => {
  it("is asked for its history once, at the start, and tells of what it shows", async () => {
    const answer = (ask: Ask): Answer =>
      ask.record === "supply_point"
        ? ok(
            ...points(
              MIDNIGHT - 4 * DAY,
              [100, 100, 100, 100].map((n) => BigInt(n) * MILLION),
            ),
          )
        : ok(supply(106n * MILLION));
    const world = await World.create(MINTED, { answer, backfill: true });
    await world.backfilled();
    await world.minutes(2);
    expect(world.found()).toBe("1 not known yet");
    expect(world.story()).toEqual(["1 fired"]);
    expect(histories(world)).toEqual([
      `supply_point:1:${TOKEN}:${day(START - 4 * DAY)}:${day(START)}`,
    ]);
    await world.stop();
  });

  it("keeps the points over a restart on SQLite, and does not ask again", async () => {
    const place = await mkdtemp(join(tmpdir(), "tickwatch-"));
    let now = 104n * MILLION;
    const answer = (ask: Ask): Answer =>
      ask.record === "supply_point"
        ? ok(
            ...points(
              MIDNIGHT - 4 * DAY,
              Array.from({ length: 4 }, () => 100n * MILLION),
            ),
          )
        : ok(supply(now));
    const path = join(place, "store.db");
    const first = await openSqliteStore(path);
    const world = await World.create(MINTED, { answer, backfill: true, store: first });
    await world.backfilled();
    await world.minutes(2);
    await world.restart();
    await world.backfilled();
    expect(histories(world)).toHaveLength(1);
    now = 105n * MILLION;
    await world.minutes(1);
    expect(world.story()).toEqual(["3 fired"]);
    await world.stop();
    await first.close();
    await rm(place, { recursive: true });
  });

  it("is true for as long as a point is in force, and not longer", async () => {
    // The newest point ended three days before the value in force is looked for: to the millisecond.
    for (const [start, kinds] of [
      [MIDNIGHT + 4 * DAY - MINUTE, ["fired"]],
      [MIDNIGHT + 4 * DAY, []],
    ] as const) {
      const answer = (ask: Ask): Answer =>
        ask.record === "supply_point"
          ? ok(...points(MIDNIGHT - DAY, [1]))
          : ok(supply(6n * MILLION));
      const world = await World.create(MINTED, { answer, backfill: true, start });
      await world.backfilled();
      await world.minutes(1);
      expect(world.story().map((line) => line.split(" ")[1])).toEqual(kinds);
      await world.stop();
    }
  });

  it("has nothing of points that are farther apart than it is long: what a day ended with is no value of an hour ago", async () => {
    const days = Array.from({ length: 8 }, () => 100n * MILLION);
    let now = 110n * MILLION;
    const answer = (ask: Ask): Answer =>
      ask.record === "supply_point" ? ok(...points(MIDNIGHT - 8 * DAY, days)) : ok(supply(now));
    const rules = (whens: readonly string[]): string =>
      `rules:\n${whens
        .map(
          (when, i) => `  - name: rule-${i}
    notify: [slack]
    watch: {kind: token_supply, chain: 1, token: ${TOKEN}, decimals: 6}
    when: {metric: total_supply, ${when}}
`,
        )
        .join("")}`;
    const hour = [
      "rises: 5%, within: 1h",
      "moves: 5%, since: 23h",
      "unchanged: 1h",
      "above: p90, within: 1h",
    ];
    const alone = await World.create(rules(hour), { answer, backfill: true });
    await alone.backfilled();
    await alone.minutes(3);
    expect(histories(alone)).toEqual([]);
    expect(alone.story()).toEqual([]);
    await alone.stop();
    // It may have been another value since the day ended.
    now = 100n * MILLION;
    const same = await World.create(rules([...hour, "rises: 5%, within: 7d"]), {
      answer,
      backfill: true,
    });
    await same.backfilled();
    await same.minutes(3);
    expect(histories(same)).toHaveLength(1);
    expect(same.story()).toEqual([]);
    await same.stop();
    // Beside a rule that looks back over days, and after a restart.
    now = 110n * MILLION;
    const world = await World.create(
      rules([...hour, "rises: 5%, within: 7d", "rises: 5%, within: 1d"]),
      {
        answer,
        backfill: true,
      },
    );
    await world.backfilled();
    await world.minutes(2);
    await world.restart();
    await world.backfilled();
    await world.minutes(1);
    expect(histories(world)).toHaveLength(1);
    expect(world.story()).toEqual(["1 fired", "1 fired"]);
    expect(world.told.flatMap(({ kind, notice }) => (kind === "fired" ? notice.rule : []))).toEqual(
      ["rule-4", "rule-5"],
    );
    // From its own samples on it is as any other.
    now = 120n * MILLION;
    await world.minutes(2);
    expect(world.told.map(({ notice }) => notice.rule)).toContain("rule-0");
    await world.stop();
  });

  it("says that it is priming until the history was had, which is tried again", async () => {
    let works = false;
    const answer = (ask: Ask): Answer => {
      if (ask.record !== "supply_point") return ok(supply(100n * MILLION));
      return works ? ok(...points(MIDNIGHT - 3 * DAY, [1, 1, 1])) : failed;
    };
    const world = await World.create(MINTED, { answer, backfill: true });
    await world.backfilled();
    expect(world.found()).toBe("1 not known yet");
    expect(world.warnings.filter((line) => line.includes("histories cannot be fetched"))).toEqual([
      expect.stringContaining('"subjects":1,"detail":"timed out after 10 s"'),
    ]);
    works = true;
    await world.minutes(3);
    await world.backfilled();
    await world.minutes(1);
    // It had begun to be watched: what turns out to be so is told like anything that happens.
    expect(world.story().map((line) => line.split(" ")[1])).toEqual(["fired"]);
    await world.stop();
  });

  it("asks again after a day where the history was empty", async () => {
    const answer = (ask: Ask): Answer => (ask.record === "supply_point" ? ok() : absent);
    const world = await World.create(MINTED.replace("24h", "4d"), { answer, backfill: true });
    await world.backfilled();
    await world.restart();
    await world.backfilled();
    expect(histories(world)).toHaveLength(1);
    await world.pass(DAY);
    await world.restart();
    await world.backfilled();
    expect(histories(world)).toHaveLength(2);
    await world.stop();
  });

  it("never has points in the place of its own samples", async () => {
    const place = await mkdtemp(join(tmpdir(), "tickwatch-"));
    const store = await openSqliteStore(join(place, "store.db"));
    const start = MIDNIGHT - 90 * MINUTE;
    const answer = (ask: Ask, date: number): Answer =>
      ask.record === "supply_point"
        ? ok(...points(MIDNIGHT - 6 * DAY, [1, 2, 3, 4, 5, 6]))
        : ok(supply(Math.floor((date - start) / MINUTE)));
    const yaml = MINTED.replace("24h", "4d");
    const world = await World.create(yaml, { answer, store, start });
    await world.minutes(100);
    const before = await store.window([1], 0);
    await world.stop();
    const primed = await World.create(yaml, {
      answer,
      store,
      start: start + 100 * MINUTE,
      backfill: true,
    });
    await primed.backfilled();
    const after = await store.window([1], 0);
    const own = before.get(1) ?? [];
    const all = after.get(1) ?? [];
    // The day that ended while it polled is known better from its own samples.
    expect(all.slice(0, -own.length).map(({ first, value }) => [day(first), value])).toEqual(
      [1, 2, 3, 4, 5].map((n) => [day(MIDNIGHT + (n - 6) * DAY), String(n)]),
    );
    expect(all.slice(-own.length)).toEqual(own);
    await primed.stop();
    await store.close();
    await rm(place, { recursive: true });
  });

  it("begins a new run after points that came behind its own samples", async () => {
    const place = await mkdtemp(join(tmpdir(), "tickwatch-"));
    const path = join(place, "store.db");
    const store = await openSqliteStore(path);
    const noon = MIDNIGHT + 12 * HOUR;
    // Within three intervals of its last sample, of which its window is too short to reach back to any.
    const start = noon + 25 * HOUR;
    const answer = (ask: Ask, date: number): Answer => {
      if (ask.record === "supply_point") return ok(...points(MIDNIGHT, [8, 9]));
      return date === start ? failed : ok(supply(7));
    };
    const yaml = MINTED.replace("when:", "schedule: 12h\n    when:");
    const world = await World.create(yaml, { answer, store, start: noon - MINUTE });
    await world.run(2 * MINUTE);
    await world.stop();
    const primed = await World.create(yaml, { answer, store, start, backfill: true });
    await primed.backfilled();
    const known = (await store.window([1], 0)).get(1) ?? [];
    expect(known.map(({ value }) => value)).toEqual(["7", "8"]);
    await primed.run(11 * HOUR + MINUTE);
    const after = (await store.window([1], 0)).get(1) ?? [];
    expect(after).toEqual([
      ...known,
      { series: 1, first: noon + 36 * HOUR, last: noon + 36 * HOUR, value: "7" },
    ]);
    await primed.stop();
    await store.close();
    await rm(place, { recursive: true });
  });

  it("asks for nothing where its own samples reach far enough", async () => {
    const answer = (): Answer => ok(supply(1));
    const yaml = MINTED.replace("24h", "30m");
    const world = await World.create(yaml, { answer });
    await world.minutes(40);
    const { store } = world;
    await world.stop();
    const primed = await World.create(yaml, {
      answer,
      store,
      start: START + 40 * MINUTE,
      backfill: true,
    });
    await primed.backfilled();
    expect(histories(primed)).toEqual([]);
    await primed.stop();
  });

  it("sums the points of a rule over several chains, where every chain has one", async () => {
    const answer = ({ record, chainId }: Ask): Answer => {
      if (record !== "supply_point") return ok(supply(53n * MILLION, chainId));
      const values = Array.from({ length: 4 }, () => 50n * MILLION);
      return ok(...points(MIDNIGHT - 4 * DAY, values).slice(chainId === 1 ? 0 : 1));
    };
    const yaml = MINTED.replace("chain: 1,", "chain: [1, 137],").replace(
      "    when",
      "    across: sum\n    when",
    );
    const world = await World.create(yaml, { answer, backfill: true });
    await world.backfilled();
    await world.minutes(1);
    expect(world.story()).toEqual(["1 fired"]);
    const id = world.rounds.memory.rules[0]?.alerts[0]?.owner.series[0]?.id ?? 0;
    const runs = (await world.store.window([id], 0)).get(id) ?? [];
    expect(runs.map(({ value }) => value)).toEqual([
      ...Array.from({ length: 3 }, () => String(100n * MILLION)),
      String(106n * MILLION),
    ]);
    await world.stop();
  });

  it("knows a week of gas right after the start", async () => {
    const answer = (ask: Ask, date: number): Answer => {
      const from = Date.parse(`${ask.from}T00:00:00Z`);
      const hours = Math.floor((date - from) / HOUR) + 1;
      return ok(
        ...Array.from({ length: hours }, (_, i) => ({
          hour: iso(from + i * HOUR),
          block_count: 300,
          // Cheap in the last finished hour, and once in a hundred hours before.
          avg_priority_fee_top10_threshold:
            from + i * HOUR === START - HOUR || i % 100 === 0 ? "1000000000" : "5000000000",
        })),
      );
    };
    const world = await World.create(
      `
rules:
  - name: cheap-gas
    notify: [slack]
    watch: {kind: gas, chain: ethereum}
    when: {metric: tip_top10, below: p10, within: 7d}
    bucket: complete
`,
      { answer, backfill: true },
    );
    await world.backfilled();
    await world.minutes(1);
    expect(histories(world)).toContain(`gas_hour:1:${day(START - 7 * DAY)}:${day(START)}`);
    expect(world.story()).toEqual(["1 fired"]);
    await world.stop();
  });

  it("asks for the ticks of a position's pool once a round has shown which one it is", async () => {
    const answer = ({ record }: Ask): Answer => {
      if (record === "v4_pool") return ok(poolRecord({ current_tick: -199_500 }));
      if (record === "v4_position") return ok(positionRecord());
      return ok(
        ...Array.from({ length: 9 }, (_, i) => ({
          date: iso(START - (9 - i) * HOUR),
          tick: -199_900,
        })),
      );
    };
    const world = await World.create(
      `
rules:
  - name: drift
    notify: [slack]
    watch: {kind: v4_position, chain: 1, protocol: dexa, positions: [42]}
    when: {metric: current_tick, moves: 300 ticks, within: 6h}
`,
      { answer, backfill: true },
    );
    await world.minutes(1);
    await world.backfilled();
    await world.minutes(1);
    expect(world.found()).toBe("1 not known yet");
    expect(histories(world)).toEqual([`v4_pool_point:1:${POOL_ID}:h:10`]);
    expect(world.story()).toEqual(["2 fired"]);
    await world.stop();
  });
});

/** Lets days pass until the rounds that come then are over. */
async function pass(world: World, ms: number): Promise<void> {
  await world.pass(ms);
  const { rules } = world.rounds.memory;
  while (rules.some(({ running }) => running)) {
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  }
}

function statesOf(world: World): unknown[] {
  return world.rounds.memory.rules.map(({ alerts }) => alerts[0]?.alert?.state);
}

describe("a primed window", () => {
  it("gives the verdicts of one that was polled day by day", async () => {
    const conditions = [
      "rises: 40%, within: 4d",
      "falls: 3 raw, within: 4d",
      "moves: 3 raw, since: 3d",
      "above: p80, within: 20d",
      "unchanged: 2d",
    ];
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 3, max: 9 }), { minLength: 32, maxLength: 32 }),
        async (values) => {
          const rules = conditions.map(
            (condition, i) => `
  - name: rule-${i}
    notify: [slack]
    schedule: 1d
    watch: {kind: token_supply, chain: 1, token: ${TOKEN}, decimals: 0}
    when: {metric: total_supply, ${condition}}`,
          );
          const yaml = `rules:${rules.join("")}\n`;
          const begin = MIDNIGHT - DAY;
          // What is polled at midnight is the value of the day that ended then.
          const at = (date: number): number => values[Math.round((date - MIDNIGHT) / DAY)] ?? 0;
          const answer = (ask: Ask, date: number): Answer => {
            if (ask.record !== "supply_point") return ok(supply(at(date)));
            const from = Date.parse(`${ask.from}T00:00:00Z`);
            const days = Math.max(0, Math.floor((date - begin) / DAY));
            return ok(
              ...points(begin, values.slice(0, days)).filter(
                ({ date: of }) => String(of) >= day(from),
              ),
            );
          };
          const polled = await World.create(yaml, { answer, start: MIDNIGHT });
          for (let i = 0; i < 26; i += 1) await pass(polled, DAY);
          const start = polled.clock.now();
          const primed = await World.create(yaml, { answer, start, backfill: true });
          await primed.backfilled();
          for (let i = 0; i < 5; i += 1) {
            await pass(polled, DAY);
            await pass(primed, DAY);
            expect(statesOf(primed)).toEqual(statesOf(polled));
          }
          await polled.stop();
          await primed.stop();
        },
      ),
      { numRuns: propertyRuns(8) },
    );
  });
});
