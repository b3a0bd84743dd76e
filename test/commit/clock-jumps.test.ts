import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createFailoverStore } from "../../src/store/failover.ts";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";
import { type Store, StoreError } from "../../src/store/store.ts";
import { createFakeClock } from "../support/fake-clock.ts";
import { createMemoryStore } from "../support/memory-store.ts";
import { absent, MINUTE, ok, POOL_ID, poolRecord, World } from "../support/world.ts";

const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const POOL = `watch: {kind: v4_pool, chain: 1, pools: [${POOL_ID}]}`;
const RULES = `
rules:
  - {name: level, ${POOL}, when: {metric: tvl_usd, below: 900}, remind: 10m}
  - {name: cooling, ${POOL}, when: {metric: tvl_usd, below: 900}, cooldown: 30m}
  - {name: held, ${POOL}, when: {metric: tvl_usd, below: 900}, for: 6m, resolve_after: 6m}
  - {name: step, ${POOL}, when: {metric: tvl_usd, crosses: 900}}
  - {name: fall, ${POOL}, when: {metric: tvl_usd, falls: 10%, within: 10m}}
`;
/** After its round the clock is set. */
const JUMP = 25;

/** The pool in each minute that truly passes; null: it is missing. */
function tvl(elapsed: number): number | null {
  if (elapsed >= 71 && elapsed <= 78) return null;
  return (elapsed >= 21 && elapsed <= 40) || elapsed >= 61 ? 800 : 1_000;
}

/** A store that endures it that nothing can be written when a test says so. */
function storeThatFails(isFull: () => boolean): Store {
  const inner = createMemoryStore();
  const write = async (act: () => Promise<void>): Promise<void> => {
    if (isFull()) throw new StoreError("unwritable", "the disk is full");
    await act();
  };
  return createFailoverStore({
    store: {
      ...inner,
      commit: (change) => write(() => inner.commit(change)),
      rewind: (series, now) => write(() => inner.rewind(series, now)),
      wake: (channel) => write(() => inner.wake(channel)),
    },
    clock: createFakeClock(0),
    onOutage: () => {},
    onOver: () => {},
    onTrouble: () => {},
  });
}

/** By rule, what is told in which minute that truly passed. */
async function storyOf(
  jump: number,
  how: string,
  full = Infinity,
): Promise<Readonly<Record<string, string>>> {
  let elapsed = 0;
  const world = await World.create(RULES, { store: storeThatFails(() => elapsed >= full) });
  world.answer = () => {
    const value = tvl(elapsed);
    return value === null ? absent : ok(poolRecord({ tvl_usd: value }));
  };
  const story: Record<string, string[]> = {};
  const take = (): void => {
    for (const { kind, notice } of world.told.splice(0)) {
      if (kind !== "started") (story[notice.rule ?? "daemon"] ??= []).push(`${elapsed} ${kind}`);
    }
  };
  for (elapsed = 1; elapsed <= 90; elapsed += 1) {
    await world.run(MINUTE);
    take();
    if (elapsed !== JUMP || jump === 0) continue;
    if (how === "stopped") await world.stop();
    await world.clock.set(world.clock.now() + jump);
    if (how === "stopped") await world.open();
    await world.run(0);
    take();
  }
  await world.stop();
  return Object.fromEntries(Object.entries(story).map(([rule, all]) => [rule, all.join(", ")]));
}

const UNTOUCHED = {
  cooling: "21 fired, 41 resolved, 61 fired, 75 no_data, 79 data_back",
  step: "21 changed, 41 changed, 61 changed, 75 no_data, 79 data_back",
};

/** After the jump everything goes on as ever; reminders count from what was told last. */
const LATER = {
  fall: "61 fired, 75 no_data, 79 data_back, 84 resolved",
  held: "47 resolved, 67 fired, 75 no_data, 79 data_back",
  level: "41 resolved, 61 fired, 75 no_data, 79 data_back, 89 reminder",
};

interface Around {
  readonly fall: string;
  readonly held: string;
  readonly level: string;
  readonly daemon?: string;
}

describe("a clock that is set", () => {
  it.each<[string, readonly number[], string, Around]>([
    ["not at all", [0], "running", { fall: "31 resolved", held: "27 fired", level: "31 reminder" }],
    // What is dated later is dated now: the alert fired now, and knows all since then.
    [
      "back while it runs",
      [-HOUR, -DAY],
      "running",
      { fall: "26 resolved", held: "32 fired", level: "36 reminder", daemon: "26 self" },
    ],
    [
      "back while it is stopped",
      [-HOUR, -DAY],
      "stopped",
      { fall: "26 resolved", held: "31 fired", level: "35 reminder", daemon: "25 self" },
    ],
    // Nothing is known of the time between: a round at once, one reminder that is overdue, a for
    // begun anew, and a window that is known again to the half.
    [
      "on while it runs",
      [HOUR, DAY],
      "running",
      { fall: "30 resolved", held: "31 fired", level: "25 reminder, 35 reminder" },
    ],
    [
      "on while it is stopped",
      [HOUR, DAY],
      "stopped",
      { fall: "30 resolved", held: "31 fired", level: "25 reminder, 35 reminder" },
    ],
  ])("%s repeats nothing, forgets nothing and holds nothing up", async (_name, jumps, how, at) => {
    const { fall, held, level, ...daemon } = at;
    for (const jump of jumps) {
      expect(await storyOf(jump, how)).toEqual({
        ...UNTOUCHED,
        ...daemon,
        fall: `21 fired, ${fall}, ${LATER.fall}`,
        held: `${held}, ${LATER.held}`,
        level: `21 fired, ${level}, ${LATER.level}`,
      });
    }
  });

  it.each([
    ["while it runs", "the time without data", "+++00", "0", "11 no_data"],
    ["while it is stopped", "the time without data", "+++00", "0", "10 no_data"],
    [
      "while it runs",
      "the time in which flapping settles",
      `+${"-+".repeat(6)}`,
      "+",
      "74 resolved",
    ],
    [
      "while it is stopped",
      "the time in which flapping settles",
      `+${"-+".repeat(6)}`,
      "+",
      "73 resolved",
    ],
    [
      "while it runs",
      "the hour that counts for flapping",
      `+${"-+".repeat(5)}`,
      `${"+".repeat(65)}-`,
      "77 fired",
    ],
  ])("back %s begins %s anew", async (how, _, before, after, last) => {
    let elapsed = 0;
    const told: string[] = [];
    const low = `{name: low, ${POOL}, when: {metric: tvl_usd, below: 900}}`;
    const world = await World.create(`rules: [${low}]`);
    world.answer = () => {
      const sign = `${before}${after}`[elapsed - 1] ?? after.at(-1);
      return sign === "0" ? absent : ok(poolRecord({ tvl_usd: sign === "-" ? 800 : 1_000 }));
    };
    for (elapsed = 1; elapsed <= 100; elapsed += 1) {
      await world.run(MINUTE);
      for (const { kind } of world.told.splice(0)) told.push(`${elapsed} ${kind}`);
      if (elapsed !== before.length) continue;
      if (how === "while it is stopped") await world.stop();
      await world.clock.set(world.clock.now() - DAY);
      if (how === "while it is stopped") await world.open();
    }
    await world.stop();
    expect(told.at(-1)).toBe(last);
  });

  it("back is the same story while the database cannot be written", async () => {
    expect(await storyOf(-HOUR, "running", 15)).toEqual(await storyOf(-HOUR, "running"));
  });

  it("writes down what is observed next, even where samples of before it were lost", async () => {
    const place = await mkdtemp(join(tmpdir(), "tickwatch-"));
    const inner = await openSqliteStore(join(place, "store.db"));
    let loses = false;
    const store: Store = {
      ...inner,
      commit: (change) => inner.commit(loses ? { ...change, runs: [] } : change),
    };
    const world = await World.create(RULES, { store });
    world.answer = () => ok(poolRecord({ tvl_usd: 1_000 }));
    await world.run(MINUTE);
    loses = true;
    world.answer = () => ok(poolRecord({ tvl_usd: 800 }));
    await world.run(MINUTE);
    loses = false;
    await world.clock.set(world.clock.now() - HOUR);
    await world.run(2 * MINUTE);
    expect((await inner.load()).newest.get(1)?.value).toBe("800");
    await world.stop();
    await inner.close();
    await rm(place, { recursive: true });
  });
});
