import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createLogger } from "../../src/base/log.ts";
import { KINDS } from "../../src/kinds/index.ts";
import type { AddressedNotice } from "../../src/model/index.ts";
import { backtest } from "../../src/replay/past/backtest.ts";
import { needsByKey, needsOf } from "../../src/replay/past/needs.ts";
import { recordedMetrics } from "../../src/replay/past/recorded-tracks.ts";
import { tracksOf } from "../../src/replay/past/tracks.ts";
import { openRecorded } from "../../src/store/operator-db/recorded.ts";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";
import { answersOf, anyTracks, POOLS, SUPPLY_TOKEN, type Tracks } from "../support/any-answers.ts";
import { type AnyRule, anyRules, plainWording, yamlOf } from "../support/any-rules.ts";
import { WHOLE } from "../support/tier.ts";
import { MINUTE, poolRecord, START, World } from "../support/world.ts";
import { setupOf } from "../support/world-setup.ts";

const MINUTES = 60;
/** RUNS: more of them, where somebody hunts for faults. */
const RUNS = Number(process.env.RUNS ?? (WHOLE ? 200 : 5));
/** The whole pass tries other worlds each time, of which a failure says the seed; SEED: those again. */
const SEED = process.env.SEED ?? (WHOLE ? undefined : "20");
const DRAWN = {
  numRuns: RUNS,
  endOnFailure: true,
  ...(SEED === undefined ? {} : { seed: Number(SEED) }),
};

let folder = "";
let worlds = 0;
beforeAll(async () => {
  // Each round is committed, and a disk would be waited for each time.
  const memory = "/dev/shm";
  folder = await mkdtemp(join(existsSync(memory) ? memory : tmpdir(), "tickwatch-backtest-"));
});
afterAll(() => rm(folder, { recursive: true }));

/** What the daemon tells of the tracks from the first minute on, while it records to `path`. */
async function told(
  yaml: string,
  tracks: Tracks,
  restarts: readonly number[],
  path: string,
): Promise<readonly AddressedNotice[]> {
  const store = await openSqliteStore(path);
  const world = await World.create(yaml, { store, answer: answers(tracks) });
  await world.run(0);
  for (let minute = 0; minute < MINUTES; minute += 1) {
    if (restarts.includes(minute)) await world.restart();
    await world.run(MINUTE);
  }
  await world.stop();
  await store.close();
  expect(world.refused).toEqual([]);
  return world.told;
}

/** What a backtest of the recorded tells. */
async function replayed(yaml: string, path: string): Promise<readonly AddressedNotice[]> {
  const setup = setupOf(yaml);
  const recorded = await openRecorded(path);
  if (recorded === null) throw new Error("nothing was recorded");
  const all = setup.rules.map((rule) => needsOf(rule, KINDS));
  const needs = needsByKey(all, await recordedMetrics(recorded, all));
  const result = await backtest({
    worlds: [setup.rules],
    kinds: KINDS,
    from: START,
    to: START + MINUTES * MINUTE,
    tracks: await tracksOf(needs, recorded, new Map(), new Map()),
    recorded,
    lookBackMs: 0,
    selfNotify: setup.selfNotify,
    log: createLogger({ level: "silent", stream: { write: () => true } }),
    stop: new AbortController().signal,
  });
  recorded.close();
  return result.worlds[0]?.notices ?? [];
}

/** Whole notices, headlines and fields included, without the values of their pictures. A start is told by the daemon alone. */
function linesOf(all: readonly AddressedNotice[]): readonly string[] {
  return all
    .filter(({ notice }) => notice.kind !== "started")
    .map(({ notice, channels }) => {
      const to = channels.toSorted().join("+");
      return `${(notice.at - START) / MINUTE} ${notice.kind} ${to} ${JSON.stringify({ ...notice, recent: [] })}`;
    })
    .toSorted();
}

/** Pools say which tokens they have and what the price is, which notices of positions tell. */
function answers(tracks: Tracks): ReturnType<typeof answersOf> {
  const answer = answersOf(tracks, START);
  return (ask, date) => {
    const given = answer(ask, date);
    if (ask.record !== "v4_pool" || given.status !== "ok") return given;
    const records = given.records.map((one) => {
      const tick = typeof one.current_tick === "number" ? one.current_tick : null;
      const price0 = tick === null ? null : 1.0001 ** tick * 1e12 + (date % 7);
      return poolRecord({ ...one, price0, price1: null, sqrt_price_x96: null });
    });
    return { ...given, records };
  };
}

it("a backtest tells what the daemon told that recorded it, over restarts, gaps and lagging records", async () => {
  const restarts = fc.array(fc.nat(MINUTES - 1), { maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(
      anyRules,
      anyTracks(MINUTES),
      restarts,
      async (rules: readonly AnyRule[], tracks, at) => {
        worlds += 1;
        const path = join(folder, `${worlds}.db`);
        const yaml = yamlOf(rules, plainWording(rules));
        const live = linesOf(await told(yaml, tracks, at, path));
        expect(linesOf(await replayed(yaml, path))).toEqual(live);
        await rm(path);
      },
    ),
    DRAWN,
  );
});

it("says why a reference had no value as the daemon did that recorded it", async () => {
  const yaml = `references:
  other: {watch: {kind: v4_pool, chain: 137, pools: ["${POOLS[2].id}"]}, metric: swap_count}
rules:
  - name: busier
    watch: {kind: v4_pool, chain: 1, pools: ["${POOLS[0].id}"]}
    schedule: 1m
    when: {metric: swap_count, above: 100% of other}
`;
  const out = Array.from({ length: 20 }, () => "failed" as const);
  const tracks: Tracks = new Map([
    [`v4_pool ${POOLS[0].id}`, [8]],
    [`v4_pool ${POOLS[2].id}`, [8, 8, 8, ...out, 8]],
  ]);
  const path = join(folder, "reference.db");
  const live = linesOf(await told(yaml, tracks, [], path));
  expect(live.find((line) => line.includes(" no_data "))).toContain("other: timed out after 10 s");
  expect(linesOf(await replayed(yaml, path))).toEqual(live);
});

it("says why several subjects together had no value, also where another rule on them is over", async () => {
  const pools = POOLS.slice(0, 2).map(({ id }) => `{id: "${id}", chain: 1}`);
  const rule = (name: string, keys: string): string => `
  - name: ${name}
    watch: {kind: v4_pool, pools: [${pools.join(", ")}]}
    schedule: 1m
    missing_after: 2m
    across: max
    ${keys}`;
  const rules = [
    rule("tvl", "when: {metric: tvl_usd, above: 1_000 usd}"),
    rule("over", "once: true\n    when: {metric: current_tick, below: 7500}"),
  ];
  const yaml = `rules:${rules.join("")}\n`;
  const out = Array.from({ length: 10 }, () => "failed" as const);
  const tracks: Tracks = new Map(
    POOLS.map(({ id }, i) => [`v4_pool ${id}`, i === 0 ? [7, 7, 8, 8, ...out, 8] : [7, 7, 8]]),
  );
  const path = join(folder, "together.db");
  const live = linesOf(await told(yaml, tracks, [], path));
  expect(live.find((line) => line.includes(" no_data "))).toContain("timed out after 10 s");
  expect(linesOf(await replayed(yaml, path))).toEqual(live);
});

it("gives several subjects together the time that their source has once it is back on one of the chains", async () => {
  const yaml = `rules:
  - name: least
    watch: {kind: token_supply, chain: [1, 137], token: "${SUPPLY_TOKEN}", decimals: 0}
    schedule: 1m
    missing_after: 2m
    across: min
    when: {metric: total_supply, below: 5 tokens}
`;
  const tracks: Tracks = new Map([
    ["supply 1", [6, "failed", "failed", "failed", 10]],
    ["supply 137", [6, "failed", "failed", "failed", "failed", "failed", "failed", "failed", 12]],
  ]);
  const path = join(folder, "least.db");
  const live = linesOf(await told(yaml, tracks, [], path));
  const kinds = live.map((line) => line.split(" ").slice(0, 2).join(" "));
  expect(kinds).toEqual(["3 source_down", "4 source_up", "6 no_data", "8 data_back"]);
  expect(linesOf(await replayed(yaml, path))).toEqual(live);
});
