import { describe, expect, it } from "vitest";
import { Division, SLOTS } from "../../src/poll/division.ts";
import { createMemoryStore } from "../support/memory-store.ts";
import { MINUTE, ok, poolRecord, START, World } from "../support/world.ts";
import { setupOf } from "../support/world-setup.ts";

const pool = (id: number): string => `0x${id.toString(16).padStart(64, "0")}`;
const RULES = `rules:
  - name: low
    watch: {kind: v4_pool, chain: 1, pools: [${[1, 2, 3].map(pool).join(", ")}]}
    when: {metric: tvl_usd, below: 900 usd}
    schedule: 1h
`;
const slots = new Division(setupOf(RULES).rules).slotsOf("low");
const [own = 0, taken = 0, elsewhere = 0] = slots;
const OWN = new Set([...Array(SLOTS).keys()].filter((slot) => slot !== elsewhere));

describe("a daemon that starts on slots of several others", () => {
  it.each<[string, Record<number, number>, boolean]>([
    ["waits for the next round where the last one was of all of its slots", {}, false],
    ["looks at once where one of them has missed a round", { [taken]: START - 120 * MINUTE }, true],
    [
      "does not where that is the slot of another daemon",
      { [elsewhere]: START - 120 * MINUTE },
      false,
    ],
  ])("%s", async (_, late, looks) => {
    expect(slots).toHaveLength(3);
    const store = createMemoryStore();
    const answer = () => ok(poolRecord());
    const before = await World.create(RULES, { store, answer });
    await before.minutes(1);
    await before.stop();
    const dates = { [own]: START + MINUTE, ...late };
    const slotRounds = new Map([
      ["low", new Map(Object.entries(dates).map(([slot, date]) => [Number(slot), date]))],
    ]);
    const world = await World.create(RULES, {
      store: { ...store, load: async () => ({ ...(await store.load()), slotRounds }) },
      start: START + 30 * MINUTE,
      slots: OWN,
      answer,
    });
    await world.look();
    expect(world.asked.length > 0).toBe(looks);
    await world.stop();
  });
});
