import { describe, expect, it } from "vitest";
import type { Answer, Ask, RawRecord } from "../../src/model/index.ts";
import { absent, ok, POOL_ID, poolRecord, START, World } from "../support/world.ts";

const RULE = (share: number): string => `
rules:
  - name: pulled
    watch: {kind: v4_liquidity, chain: 1, pools: ["${POOL_ID}"]}
    when: {metric: removed_share, at_least: ${share}%}
    notify: [slack]
`;
const WALLET = `0x${"5e".repeat(20)}`;

/** A whole record, nothing of which is missing. */
function change(n: number, block: number, delta: number): RawRecord {
  return {
    id: `${POOL_ID}-${n}`,
    pool_id: POOL_ID,
    pool_entity_id: POOL_ID,
    salt: "0x00",
    sender: WALLET,
    sender_id: WALLET,
    liquidity_delta: String(delta),
    tick_lower: -887_270,
    tick_upper: 887_270,
    hash: `0x${n.toString(16).padStart(64, "0")}`,
    tx_at_block_number: String(block),
    tx_at_timestamp: String(START / 1_000 + block * 12),
  };
}

/** A pool with these changes, newest first, and so much active liquidity; null: it is not told. */
async function watched(share: number, active: number) {
  const list: RawRecord[] = [change(1, 10, 1_000)];
  const state: { liquidity: number | null } = { liquidity: active };
  const answer = ({ record, offset = 0, limit = 0 }: Ask): Answer => {
    if (record === "v4_liquidity") return ok(...list.toReversed().slice(offset, offset + limit));
    if (record !== "v4_pool" || state.liquidity === null) return absent;
    const block_number = list.at(-1)?.["tx_at_block_number"];
    return ok(poolRecord({ liquidity: String(state.liquidity), block_number }));
  };
  const world = await World.create(RULE(share), { answer });
  await world.minutes(2);
  const shares = (): string[] =>
    world.told.flatMap(({ notice }) => /[\d.]+% of the active/.exec(notice.headline)?.[0] ?? []);
  return { list, state, world, shares };
}

describe("changes of liquidity of which one lacks a field for a while", () => {
  it.each([
    [90_000, -10_000, []],
    [-90_000, -5_000, ["90.01% of the active", "50.05% of the active"]],
  ])("keep their order in the block: %i, then %i", async (first, second, shares) => {
    const one = await watched(8, 100_000);
    const whole = change(2, 20, first);
    one.state.liquidity = null;
    one.list.push(change(9, 15, -10), { ...whole, salt: null }, change(3, 20, second));
    await one.world.minutes(1);
    one.list[2] = whole;
    await one.world.minutes(1);
    one.state.liquidity = 100_000 - 10 + first + second;
    await one.world.minutes(2);
    expect(one.shares()).toEqual(shares);
    await one.world.stop();
  });

  it.each([1, 3])("lose none before it, which waits for it %i rounds", async (rounds) => {
    const one = await watched(20, 1_000);
    const later = change(3, 21, 50);
    one.state.liquidity = 150;
    one.list.push(change(2, 20, -900), { ...later, liquidity_delta: null });
    await one.world.minutes(rounds);
    expect(one.shares()).toEqual([]);
    one.list[2] = later;
    await one.world.minutes(2);
    expect(one.shares()).toEqual(["90% of the active"]);
    await one.world.stop();
  });
});
