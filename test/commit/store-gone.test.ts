import { expect, it } from "vitest";
import { StoreError } from "../../src/store/store.ts";
import { createMemoryStore } from "../support/memory-store.ts";
import { ok, POOL_ID, poolRecord, World } from "../support/world.ts";

const RULES = `
rules:
  - name: level
    watch: {kind: v4_pool, chain: 1, pools: [${POOL_ID}]}
    when: {metric: tvl_usd, below: 900}
`;

it("a notice for which the store cannot be read tells its value all the same", async () => {
  const world = await World.create(RULES, {
    store: {
      ...createMemoryStore(),
      window: () => Promise.reject(new StoreError("unwritable", "the server is gone")),
    },
  });
  let usd = 1_000;
  world.answer = () => ok(poolRecord({ tvl_usd: usd }));
  await world.minutes(2);
  usd = 800.5;
  await world.minutes(1);
  await world.stop();
  const fired = world.told.find(({ kind }) => kind === "fired");
  expect(fired?.notice).toMatchObject({ recent: [], values: [{ value: "800.5" }] });
});
