import { expect, it } from "vitest";
import { createLogger } from "../../src/base/log.ts";
import { Commands } from "../../src/commit/commands.ts";
import { Committer } from "../../src/commit/committer.ts";
import type { Change, Command, CommandPlace } from "../../src/model/index.ts";
import { Division, type Share, SLOTS } from "../../src/poll/division.ts";
import { NO_MEMORY } from "../../src/poll/memory.ts";
import { createFakeClock } from "../support/fake-clock.ts";
import { createMemoryStore } from "../support/memory-store.ts";
import { ok, POOL_ID, poolRecord, START, World } from "../support/world.ts";
import { setupOf } from "../support/world-setup.ts";

const { rules } = setupOf(`rules:
  - name: low
    watch: {kind: v4_pool, chain: 1, pools: ["${POOL_ID}"]}
    when: {metric: tvl_usd, below: 900 usd}
`);
const COMMAND: Command = {
  id: 7,
  kind: "ack",
  rule: "low",
  subject: `v4_pool:1:${POOL_ID}`,
  author: "anna",
  comment: null,
  at: START,
};

/** A daemon that shares the work, and what it asks for and writes of commands. */
function sharing(division: Division) {
  const asked: (CommandPlace | undefined)[] = [];
  const written: Pick<Change, "commands" | "commandsIn">[] = [];
  const store = {
    ...createMemoryStore(),
    commands: async (place?: CommandPlace) => {
      asked.push(place);
      return [COMMAND];
    },
    commit: async ({ commands, commandsIn }: Change) => {
      written.push({ commands, ...(commandsIn === undefined ? {} : { commandsIn }) });
    },
  };
  const share: Share = { config: 3, division, slots: new Set([1, 2]), current: new Set() };
  const commands = new Commands({
    memory: NO_MEMORY,
    store,
    committer: new Committer(store, () => {}, { channels: [], rules: [], selfNotify: [] }),
    clock: createFakeClock(START),
    log: createLogger({
      level: "silent",
      stream: { write: () => true },
      pretty: false,
      secrets: [],
    }),
    share,
  });
  return { commands, asked, written };
}

it("carries out the commands in its slots, by its configuration", async () => {
  const { commands, asked, written } = sharing(new Division(rules));
  await commands.look();
  const place = { slots: [1, 2], config: 3 };
  expect(asked).toEqual([place]);
  expect(written).toEqual([{ commands: [7], commandsIn: place }]);
});

it("waits with it while alerts that are to be its own are still decided elsewhere", async () => {
  const { commands, asked, written } = sharing(new Division(rules, null));
  await commands.look();
  expect([asked, written]).toEqual([[], []]);
});

it("leaves alone what another daemon did before it had the slot", async () => {
  const other = `0x${"cd".repeat(32)}`;
  const yaml = `rules:
  - name: low
    watch: {kind: v4_pool, chain: 1, pools: ["${POOL_ID}", "${other}"]}
    when: {metric: tvl_usd, below: 900 usd}
`;
  const division = new Division(setupOf(yaml).rules);
  const store = createMemoryStore();
  let given: readonly Command[] = [];
  const world = await World.create(yaml, {
    store: { ...store, commands: async () => given },
    slots: new Set(Array(SLOTS).keys()),
    commands: true,
    answer: ({ id }) => ok(poolRecord({ pool_id: id, tvl_usd: 400 })),
  });
  await world.minutes(1);
  const doneIn = new Set([division.slotOf("low", `v4_pool:1:${POOL_ID}`)]);
  given = [{ ...COMMAND, subject: null, doneIn }];
  await world.pass(5_000);
  const { alerts } = await store.load();
  const watched = alerts.filter(({ rule }) => rule === "low");
  const acked = watched.map(({ subject, life }) => [subject, life?.acked?.by ?? null]);
  expect(Object.fromEntries(acked)).toEqual({
    [`v4_pool:1:${POOL_ID}`]: null,
    [`v4_pool:1:${other}`]: "anna",
  });
  await world.stop();
});
