import { describe, expect, it } from "vitest";
import type { Answer, Ask } from "../../src/model/index.ts";
import { type Store, StoreError } from "../../src/store/store.ts";
import { createMemoryStore } from "../support/memory-store.ts";
import { until as eventually } from "../support/until.ts";
import { failed, MINUTE, ok, poolRecord, START, World } from "../support/world.ts";

/** Pools each minute; with them, and with what is slow, others every ten. */
const pools = (name: string, chain: number, schedule: string): string =>
  `  - {name: ${name}, watch: {kind: v4_pool, chain: ${chain}, pools: [0x${"a1".repeat(32)}, 0x${"b2".repeat(32)}]}, when: {metric: tvl_usd, below: 500}, schedule: ${schedule}}\n`;
const TIPS =
  "  - {name: tips, watch: {kind: gas, chain: [1, 137]}, when: {metric: tip_top10, above: 100 gwei}, schedule: 1m}\n";
const HOLDERS = `  - {name: holders, watch: {kind: holder_count, token: 0x${"2e".repeat(20)}, chain: 137}, when: {metric: holder_count, below: 5}, schedule: 1m}\n`;
const SLOW = `  - {name: slow, watch: {kind: token_supply, token: 0x${"1f".repeat(20)}, chain: 10, decimals: 0}, when: {metric: total_supply, below: 5}, schedule: 10m}\n`;

const minuteOf = (date: number): number => Math.round((date - START) / MINUTE);

function answerOf(ask: Ask, date: number): Answer {
  if (ask.record === "v4_pool") return ok(poolRecord({ pool_id: ask.id, chain_id: ask.chainId }));
  if (ask.record !== "gas_hour") {
    return ok({
      token_address: ask.id,
      chain_id: ask.chainId,
      holder_count: 10,
      total_supply: "10",
    });
  }
  const hour = new Date(Math.floor(date / 3_600_000) * 3_600_000 - 3_600_000).toISOString();
  return ok({ hour, block_count: 1, avg_priority_fee_top10_threshold: "1000000000" });
}

/** A world whose slow rule is answered `lateMinutes` after its round began. */
async function worldOf(
  rules: string,
  lateMinutes: number,
  isOut: (ask: Ask, minute: number) => boolean,
  options: Parameters<typeof World.create>[1] = {},
): Promise<{
  readonly world: World;
  readonly until: (minute: number) => Promise<void>;
  readonly answerAll: () => void;
}> {
  const waiting: { readonly until: number; readonly go: () => void }[] = [];
  const world = await World.create(`rules:\n${rules}`, options);
  world.answer = async (ask, date) => {
    const minute = minuteOf(date);
    if (ask.record === "supply" && minute >= 10) {
      await new Promise<void>((go) => {
        waiting.push({ until: minute + lateMinutes, go });
      });
    }
    return isOut(ask, minute) ? failed : answerOf(ask, date);
  };
  const until = async (end: number): Promise<void> => {
    for (let now = minuteOf(world.clock.now()); now < end; now += 1) {
      await world.pass(MINUTE);
      for (const one of waiting) if (one.until <= now + 1) one.go();
      await world.pass(0);
    }
  };
  const answerAll = (): void => {
    for (const { go } of waiting) go();
  };
  return { world, until, answerAll };
}

describe("beside what is answered only minutes later", () => {
  it("what is asked with what is asked more often is told to have no data", async () => {
    const { world, until } = await worldOf(
      pools("often", 1, "1m") + pools("seldom", 137, "10m") + SLOW,
      3,
      ({ chainId, id }, minute) => chainId === 137 && id.startsWith("0xa1") && minute >= 10,
    );
    await until(35);
    expect(world.story()).toEqual(["30 no_data"]);
    await world.stop();
  });

  it("what is due is told also where the store refuses that the slow round is over", async () => {
    const store = createMemoryStore();
    let refusals = 1;
    const refusing: Store = {
      ...store,
      commit: async (change) => {
        const isSlow = change.closed.some(
          ({ date, rules }) => minuteOf(date) === 30 && rules.includes("slow"),
        );
        if (isSlow && refusals-- > 0) throw new StoreError("unwritable", "the disk is full");
        await store.commit(change);
      },
    };
    const { world, until } = await worldOf(
      pools("seldom", 137, "10m") + SLOW,
      0,
      ({ chainId, id }, minute) => chainId === 137 && id.startsWith("0xa1") && minute >= 10,
      { store: refusing },
    );
    await until(35);
    expect(world.refused).toHaveLength(1);
    expect(world.story()).toEqual(["30 no_data"]);
    await world.stop();
  });

  it("what is due is told also where a stop cuts that off", async () => {
    const { world, until, answerAll } = await worldOf(
      pools("seldom", 137, "10m") + SLOW,
      5,
      ({ chainId, id }, minute) => chainId === 137 && id.startsWith("0xa1") && minute >= 10,
    );
    await until(32);
    expect(world.story()).toEqual([]);
    const stopped = world.stop();
    answerAll();
    await stopped;
    expect(world.story()).toEqual(["30 no_data"]);
    await world.open();
    await until(49);
    expect(world.story()).toEqual(["30 no_data"]);
    await world.stop();
  });

  it("what is due is told also where a fault of the program ends that round", async () => {
    const { world, until } = await worldOf(
      pools("seldom", 137, "10m") + SLOW,
      0,
      ({ chainId, id }, minute) => chainId === 137 && id.startsWith("0xa1") && minute >= 10,
    );
    world.room = async ({ record }) => {
      if (record !== "supply") return;
      const [seldom] = world.rounds.memory.rules;
      await eventually(() => seldom?.running === false);
      throw new Error("a fault");
    };
    await until(35);
    expect(world.story()).toEqual(["30 no_data"]);
    await world.stop();
  });

  it("an answer ends no outage that was told after it", async () => {
    const { world, until } = await worldOf(
      pools("seldom", 137, "10m") + TIPS + HOLDERS + SLOW,
      8,
      ({ record, chainId }, minute) => record !== "v4_pool" && chainId === 137 && minute >= 11,
    );
    await until(19);
    expect(world.story()).toEqual(["15 source_down"]);
    await world.stop();
  });
});
