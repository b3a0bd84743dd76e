import { expect, it } from "vitest";
import type { Answer } from "../../src/model/index.ts";
import { ok, POOL_ID, poolRecord, World } from "../support/world.ts";

const SECOND = 1_000;
const RULES = `
rules:
  - name: price
    schedule: block
    watch: {kind: v4_pool, chain: [1], pools: [${POOL_ID}]}
    when: {metric: tvl_usd, above: 100}
  - name: other
    schedule: block
    watch: {kind: v4_pool, chain: 10, pools: [${POOL_ID}]}
    when: {metric: tvl_usd, above: 100}
`;

function story(world: World): string[] {
  return world.told
    .filter(({ kind }) => kind !== "started")
    .map(({ minute, kind, notice }) => `${Math.round(minute * 60)}: ${kind} ${notice.rule ?? ""}`);
}

it("decides a rule at each block of its own chain, and a restart looks at once", async () => {
  let tvl = 50;
  const world = await World.create(RULES, { answer: () => ok(poolRecord({ tvl_usd: tvl })) });
  await world.pass(2 * SECOND);
  tvl = 200;
  world.rounds.block(8453);
  await world.pass(2 * SECOND);
  expect(story(world)).toEqual([]);
  world.rounds.block(1);
  await world.pass(0);
  expect(story(world)).toEqual(["4: fired price"]);
  tvl = 50;
  await world.pass(SECOND);
  await world.restart();
  await world.pass(0);
  expect(story(world)).toEqual(["4: fired price", "5: resolved price"]);
  await world.stop();
});

it("decides once more after a round in which another block came, by what is so then", async () => {
  let tvl = 50;
  let answer = (): void => {};
  let holds = false;
  const world = await World.create(RULES, {
    answer: () => {
      const seen = tvl;
      if (!holds) return ok(poolRecord({ tvl_usd: seen }));
      return new Promise<Answer>((resolve) => {
        answer = () => resolve(ok(poolRecord({ tvl_usd: seen })));
      });
    },
  });
  await world.pass(2 * SECOND);
  holds = true;
  world.rounds.block(1);
  await world.pass(3 * SECOND);
  holds = false;
  tvl = 200;
  for (let block = 0; block < 5; block += 1) world.rounds.block(1);
  answer();
  await world.pass(SECOND);
  await world.pass(SECOND);
  expect(story(world)).toEqual(["5: fired price"]);
  await world.stop();
});

it("asks 15 s after the last block all the same, so that a chain that has stopped is no silence", async () => {
  const world = await World.create(RULES, { answer: () => ok(poolRecord({ tvl_usd: 50 })) });
  await world.pass(2 * SECOND);
  const before = world.requests;
  await world.pass(60 * SECOND);
  // Each for both chains.
  expect(world.requests - before).toBe(4);
  await world.stop();
});
