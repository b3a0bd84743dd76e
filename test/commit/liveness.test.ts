import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Answer, Ask, Change } from "../../src/model/index.ts";
import { type Store, StoreError } from "../../src/store/store.ts";
import { createMemoryStore } from "../support/memory-store.ts";
import { propertyRuns } from "../support/tier.ts";
import {
  absent,
  failed,
  MINUTE,
  ok,
  POOL_ID,
  poolRecord,
  positionRecord,
  World,
} from "../support/world.ts";

const HOUR = 60 * MINUTE;
const OTHER = `0x${"cd".repeat(32)}`;
const TOKEN = `0x${"1f".repeat(20)}`;
const RULES = `
rules:
  - name: level
    watch: {kind: v4_pool, chain: 1, pools: [${POOL_ID}, ${OTHER}]}
    when: {metric: tvl_usd, below: 900}
    resolve_when: {above: 1000}
    for: 2m
    resolve_after: 1m
  - name: event
    watch: {kind: v4_pool, chain: 1, pools: [${OTHER}]}
    when: {metric: tvl_usd, crosses: 950}
    schedule: "30 * * * * *"
  - name: range
    watch: {kind: v4_position, chain: 1, protocol: dexa, positions: [42]}
    when: {all: [{metric: in_range, equals: false}, {not: {metric: value_usd, below: 5}}]}
    for: 1m
    schedule: 2m
  - name: gas
    watch: {kind: gas, chain: [1, 137]}
    when: {metric: tip_top10, above: 5 gwei}
    for: 2h
    schedule: 10m
  - name: sum
    watch: {kind: token_supply, chain: [1, 137], token: "${TOKEN}", decimals: 0}
    across: sum
    when: {metric: total_supply, moves: 2 tokens, within: 8m}
  - name: net
    watch: {kind: v4_pool, chain: 1, pools: [${POOL_ID}]}
    when: {metric: tvl_usd, moves: 10%, since: 12m}
    schedule: 3m
`;

/** A small number from which every record is made, or what comes instead of a value. */
type Level = number | "failed" | "absent" | "null";
/** At 8 what is watched is low, out of range or dear; at 11 all is well. */
const LOW = 8;
const HIGH = 11;

const tracks = fc.array(
  fc
    .array(
      fc.tuple(
        fc.oneof(
          { weight: 7, arbitrary: fc.integer({ min: LOW, max: HIGH }) },
          { weight: 4, arbitrary: fc.constantFrom<Level>("failed", "failed", "absent", "null") },
        ),
        fc.integer({ min: 1, max: 9 }),
      ),
      { minLength: 6, maxLength: 24 },
    )
    .map((stretches) => stretches.flatMap(([level, n]) => Array.from({ length: n }, () => level))),
  { minLength: 7, maxLength: 7 },
);

/** In some minute: a restart, a store that refuses, or a clock that is set, also while stopped. */
const shocks = fc.array(
  fc.record({
    minute: fc.integer({ min: 1, max: 100 }),
    what: fc.constantFrom("restart", "refuse", "set", "set while stopped"),
    by: fc.integer({ min: -90, max: 90 }),
  }),
  { maxLength: 8 },
);

function trackOf({ record, chainId, id }: Ask): number {
  if (record === "v4_pool") return id === OTHER ? 1 : 0;
  if (record === "v4_position") return 2;
  return (record === "gas_hour" ? 3 : 5) + (chainId === 1 ? 0 : 1);
}

function answerOf({ record, chainId, id }: Ask, date: number, level: Level): Answer {
  if (level === "failed") return failed;
  if (level === "absent") return absent;
  const value = level === "null" ? null : level;
  switch (record) {
    case "v4_pool": {
      const tick = value === LOW ? -201_000 : -199_890;
      const tvl = value === null ? null : value * 100;
      return ok(poolRecord({ pool_id: id, tvl_usd: tvl, current_tick: tick }));
    }
    case "v4_position":
      return ok(positionRecord({ core_total_usd: value }));
    case "gas_hour": {
      const running = Math.floor(date / HOUR) * HOUR;
      return ok(
        ...[3, 2, 1, 0].map((back) => ({
          hour: new Date(running - back * HOUR).toISOString(),
          block_count: 1,
          avg_priority_fee_top10_threshold: value === null ? null : value === LOW ? 9e9 : 2e9,
        })),
      );
    }
    default:
      return ok({ token_address: TOKEN, chain_id: chainId, total_supply: value });
  }
}

/** Each alert's rule with its state, what was told, and whether anything is missing. */
function statesOf(world: World): [rule: string, state: string][] {
  return world.rounds.memory.rules.flatMap(({ rule, alerts }) =>
    alerts.map(({ alert }): [string, string] => [
      rule.name,
      `${alert?.state}, told ${alert?.lastNotified.state}, ${alert?.missing === null ? "known" : "missing"}`,
    ]),
  );
}

describe("whatever answers, restarts, refused commits and a clock that is set have done", () => {
  it("every alert is right soon after, and every notice is owed once", async () => {
    await fc.assert(
      fc.asyncProperty(tracks, shocks, async (given, disturbances) => {
        let refusals = 0;
        const inner = createMemoryStore();
        const store: Store = {
          ...inner,
          commit: async (change: Change) => {
            refusals -= 1;
            if (refusals >= 0) throw new StoreError("unwritable", "the disk is full");
            await inner.commit(change);
          },
        };
        const world = await World.create(RULES, { store });
        let minute = 0;
        let steady: Level | null = null;
        world.answer = (ask, date) => {
          const track = given[trackOf(ask)] ?? [HIGH];
          return answerOf(ask, date, steady ?? track[minute % track.length] ?? HIGH);
        };
        const shock = async (what: string, by: number): Promise<void> => {
          refusals = what === "refuse" ? 1 + Math.abs(by % 5) : 0;
          const to = world.clock.now() + by * MINUTE;
          if (what === "restart") await world.restart();
          if (what === "set") await world.clock.set(to);
          if (what !== "set while stopped") return;
          await world.stop();
          await world.clock.set(to);
          await world.open();
        };
        for (minute = 1; minute <= 100; minute += 1) {
          await world.pass(MINUTE);
          for (const one of disturbances) if (one.minute === minute) await shock(one.what, one.by);
        }
        refusals = 0;

        steady = LOW;
        await world.pass(30 * MINUTE);
        for (const [rule, state] of statesOf(world)) {
          if (rule === "event" || rule === "sum" || rule === "net") continue;
          expect([rule, state]).toEqual([rule, "firing, told firing, known"]);
        }
        steady = HIGH;
        // Long enough for what flaps to settle.
        await world.pass(75 * MINUTE);
        for (const [rule, state] of statesOf(world)) {
          expect([rule, state]).toEqual([rule, "ok, told ok, known"]);
        }
        steady = LOW;
        const before = world.told.length;
        await world.pass(4 * MINUTE);
        const after = world.told.slice(before).map(({ kind, notice }) => `${kind} ${notice.rule}`);
        for (const one of ["fired level", "changed event", "fired sum"])
          expect(after).toContain(one);
        await world.stop();
        const told = world.told.reduce((sum, { channels }) => sum + channels.length, 0);
        const owed = [...(await inner.owed()).values()].reduce((sum, count) => sum + count, 0);
        expect(owed).toBe(told);
      }),
      { numRuns: propertyRuns(12) },
    );
  });
});
