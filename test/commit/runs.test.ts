import { describe, expect, it } from "vitest";
import { MINUTE, ok, POOL_ID, poolRecord, START, World } from "../support/world.ts";

const OTHER = `0x${"cd".repeat(32)}`;
const rule = (name: string, when: string, pool = POOL_ID): string =>
  `rules:\n  - {name: ${name}, watch: {kind: v4_pool, chain: 1, pools: ["${pool}"]}, when: ${when}}\n`;

/** What is stored of a pool, as `from to value` in minutes. */
async function runsOf({ store }: World, pool: string): Promise<string[]> {
  const { series } = await store.load();
  const id = series.find(({ subject }) => subject.endsWith(pool))?.id ?? Number.NaN;
  const minute = (date: number): number => (date - START) / MINUTE;
  return ((await store.window([id], 0)).get(id) ?? []).map(
    ({ first, last, value }) => `${minute(first)} ${minute(last)} ${value}`,
  );
}

/** Rounds for five minutes and, after a quarter of an hour in which nothing ran, for two. */
async function interrupted(world: World): Promise<void> {
  await world.run(5 * MINUTE);
  await world.stop();
  await world.clock.set(START + 20 * MINUTE);
  await world.open();
  await world.run(2 * MINUTE);
}

const answer: World["answer"] = ({ id }) => ok(poolRecord({ pool_id: id, tvl_usd: 1_000 }));

describe("a value that nobody looked at for a while", () => {
  it("is not taken to have been there, over a restart either", async () => {
    const world = await World.create(rule("still", "{metric: tvl_usd, unchanged: 20m}"), {
      answer,
    });
    await interrupted(world);
    expect(await runsOf(world, POOL_ID)).toEqual(["0 5 1000", "20 22 1000"]);
    await world.restart();
    await world.run(25 * MINUTE);
    expect(world.story()).toEqual(["40 fired"]);
    await world.stop();
  });

  it("is not taken to have been there where rules only compare with it", async () => {
    const other = `references: {other: {watch: {kind: v4_pool, chain: 1, pools: ["${OTHER}"]}, metric: tvl_usd}}\n`;
    const below = rule("below", "{metric: tvl_usd, below: other}");
    const world = await World.create(`${other}${below}`, { answer });
    await interrupted(world);
    expect(await runsOf(world, OTHER)).toEqual(["0 5 1000", "20 22 1000"]);
    await world.stop();
  });
});
