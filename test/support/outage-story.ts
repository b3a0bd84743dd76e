import { expect } from "vitest";
import type { Answer, Ask, Failure, Notice } from "../../src/model/index.ts";
import { MINUTE, ok, poolRecord, START, World } from "./world.ts";

export const TOKEN = `0x${"12".repeat(20)}`;
export const OTHER_TOKEN = `0x${"34".repeat(20)}`;
export const ids = (from: number, count: number): string[] =>
  Array.from(
    { length: count },
    (_, i) => `0x${(from + i).toString(16).padStart(2, "0").repeat(32)}`,
  );
export const ETHEREUM = ids(0x10, 4);
export const AVALANCHE = ids(0x30, 3);

/** Pools on two chains, supplies on three, gas on two; other schedules and patience in between. */
export const RULES = `
rules:
  - {name: eth-pools, watch: {kind: v4_pool, chain: 1, pools: [${ETHEREUM.join(", ")}]}, when: {metric: tvl_usd, below: 500}}
  - {name: avax-pools, watch: {kind: v4_pool, chain: 43114, pools: [${AVALANCHE.join(", ")}]}, when: {metric: tvl_usd, below: 500}, missing_after: 8m}
  - {name: supplies, watch: {kind: token_supply, chain: [1, 137, 43114], token: "${TOKEN}", decimals: 6}, when: {metric: total_supply, below: 5}, schedule: 2m}
  - {name: tips, watch: {kind: gas, chain: [1, 137]}, when: {metric: tip_top10, above: 100 gwei}, schedule: 5m}
`;

const minuteOf = (date: number): number => Math.round((date - START) / MINUTE);

function good(ask: Ask, date: number): Answer {
  if (ask.record === "v4_pool") {
    return ok(poolRecord({ pool_id: ask.id, chain_id: ask.chainId, tvl_usd: 1000 }));
  }
  if (ask.record === "gas_hour") {
    const hour = new Date(Math.floor(date / 3_600_000) * 3_600_000 - 3_600_000).toISOString();
    return ok({ hour, block_count: 1, avg_priority_fee_top10_threshold: "1000000000" });
  }
  return ok({
    chain_id: ask.chainId,
    token_address: ask.id,
    total_supply: "10000000",
    block_number: "1",
    timestamp: "1",
  });
}

export const fails = (reason: Failure["reason"], detail: string): Answer => ({
  status: "failed",
  failure: { reason, detail },
});

/** The story of an hour in which `answer` says what fails; null: that is answered. `edited`: the rules from the restart on. */
export async function story(
  answer: (ask: Ask, minute: number) => Answer | null,
  {
    rules = RULES,
    restartAt = -1,
    edited = null,
    minutes = 60,
  }: { rules?: string; restartAt?: number; edited?: string | null; minutes?: number } = {},
): Promise<{
  readonly lines: string[];
  readonly headlines: string[];
  readonly notices: readonly Notice[];
}> {
  const world = await World.create(rules);
  world.answer = (ask, date) => answer(ask, minuteOf(date)) ?? good(ask, date);
  for (let minute = 1; minute <= minutes; minute += 1) {
    await world.run(MINUTE);
    if (minute === restartAt) await world.restart(edited ?? rules);
  }
  await world.stop();
  expect(world.refused).toEqual([]);
  const told = world.told.filter(({ kind }) => kind !== "started" && kind !== "fired");
  return {
    lines: told.map(({ minute, kind, notice }) => `${minute} ${kind} ${notice.subject ?? ""}`),
    headlines: told.map(({ notice }) => notice.headline),
    notices: told.map(({ notice }) => notice),
  };
}
