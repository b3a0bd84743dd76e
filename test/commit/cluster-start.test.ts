import { expect, it } from "vitest";
import { startCluster } from "../../src/commit/cluster-start.ts";
import type { Source } from "../../src/fetch/source.ts";
import { KINDS } from "../../src/kinds/index.ts";
import { NO_CHANGE } from "../../src/model/index.ts";
import type { Store } from "../../src/store/store.ts";
import { createFakeClock } from "../support/fake-clock.ts";
import { createMemoryStore } from "../support/memory-store.ts";
import { makeAlert } from "../support/nouns.ts";
import { POOL_ID, START } from "../support/world.ts";
import { setupOf } from "../support/world-setup.ts";

const setup = setupOf(`rules:
  - name: tvl-low
    watch: {kind: v4_pool, chain: 1, pools: ["${POOL_ID}"]}
    when: {metric: tvl_usd, below: 900 usd}
`);
const [subject] = setup.rules.flatMap(({ subjects }) => subjects);

/** Nobody asks it anything. */
const source: Source = {
  serves: () => true,
  plan: () => [],
  room: () => Promise.resolve(),
  fetch: () => Promise.resolve([]),
  verify: () => Promise.resolve("valid"),
  close: () => Promise.resolve(),
};

it("does not read everything again and again while the first look lasts", async () => {
  const kept = createMemoryStore();
  let loads = 0;
  let counts = 0;
  const told: string[] = [];
  const store: Store = {
    ...kept,
    load: async () => {
      loads += 1;
      return await kept.load();
    },
    alertCounts: async () => {
      counts += 1;
      if (counts < 3) return new Map();
      // Another daemon has looked at it.
      const alerts = [makeAlert({ rule: "tvl-low", subject: subject?.key ?? "" })];
      await kept.commit({ ...NO_CHANGE, alerts });
      return new Map([["tvl-low", 1]]);
    },
    commit: async (change) => {
      told.push(...change.notices.map(({ notice }) => notice.kind));
      await kept.commit(change);
    },
  };
  await startCluster({
    setup,
    kinds: KINDS,
    source,
    store,
    clock: createFakeClock(START),
    onEvent: () => {},
    signal: new AbortController().signal,
  });
  expect({ loads, counts, told }).toEqual({ loads: 2, counts: 3, told: ["started"] });
});
