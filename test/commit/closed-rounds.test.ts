import { describe, expect, it } from "vitest";
import type { Store } from "../../src/store/store.ts";
import { createMemoryStore } from "../support/memory-store.ts";
import { MINUTE, ok, POOL_ID, poolRecord, START, World } from "../support/world.ts";

const OTHER_ID = `0x${"7".repeat(64)}`;
const RULE = `
rules:
  - name: low
    watch: {kind: v4_pool, chain: 1, pools: ["${POOL_ID}", "${OTHER_ID}"]}
    when: {metric: tvl_usd, below: 500}
`;

async function lastRoundIn(store: Store): Promise<number | null | undefined> {
  return (await store.load()).rules.find(({ name }) => name === "low")?.lastRound;
}

describe("a round counts as done for its rules", () => {
  it("not while something that was decided in it could not be written", async () => {
    const kept = createMemoryStore();
    let refuses = false;
    const store: Store = {
      ...kept,
      commit: async (change) => {
        if (refuses && change.runs.length > 0) throw new Error("refused once");
        await kept.commit(change);
      },
    };
    const world = await World.create(RULE, { store });
    world.answer = ({ id }, date) =>
      ok(poolRecord({ pool_id: id, tvl_usd: date > START + MINUTE ? 400 : 900 }));
    await world.minutes(1);
    expect(await lastRoundIn(kept)).toBe(START + MINUTE);
    refuses = true;
    await world.minutes(1);
    expect(await lastRoundIn(kept)).toBe(START + MINUTE);
    refuses = false;
    await world.minutes(1);
    expect(await lastRoundIn(kept)).toBe(START + 3 * MINUTE);
    expect(world.story()).toEqual(["3 fired", "3 fired"]);
    await world.stop();
  });

  it("not where a stop has cut off an answer", async () => {
    const store = createMemoryStore();
    const world = await World.create(RULE, { store });
    world.perRequest = 1;
    world.answer = ({ id }) => ok(poolRecord({ pool_id: id, tvl_usd: 900 }));
    await world.minutes(1);
    await world.stopBefore(OTHER_ID);
    expect(await lastRoundIn(store)).toBe(START + MINUTE);
  });
});
