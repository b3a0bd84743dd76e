import { mkdtemp, rm, statfs, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause, setImmediate as turn } from "node:timers/promises";
import { pino } from "pino";
import { afterEach, describe, expect, it } from "vitest";
import type { CheckEvent } from "../../src/notices/self-event.ts";
import { composeSelf } from "../../src/notices/self-notice.ts";
import { type SelfChecks, type Space, startSelfChecks } from "../../src/ops/self-checks.ts";
import type { RuleMemory } from "../../src/poll/memory.ts";
import { createFakeClock } from "../support/fake-clock.ts";
import { until } from "../support/until.ts";
import { absent, MINUTE, START, World } from "../support/world.ts";

const RULES = `
rules:
  - name: each-minute
    watch: {kind: gas, chain: 1}
    when: {metric: tip_top10, above: 5 gwei}
    schedule: 1m
  - name: each-hour
    watch: {kind: gas, chain: 1}
    when: {metric: tip_top10, above: 5 gwei}
    schedule: 1h
`;

const running: SelfChecks[] = [];
afterEach(async () => {
  for (const checks of running.splice(0)) await checks.stop();
});

async function setUp(space?: () => Space | Promise<Space>, file?: string) {
  const database = file ?? (space === undefined ? null : "/data/tickwatch.db");
  const lines: string[] = [];
  const { rounds, stop } = await worldOf();
  const rules = new Map(rounds.memory.rules.map((one) => [one.rule.name, one]));
  await stop();
  const clock = createFakeClock(START);
  const told: string[] = [];
  const state = { late: [] as string[], keeps: true };
  const found = (event: CheckEvent): Promise<boolean> => {
    const minute = (clock.now() - START) / MINUTE;
    if (state.keeps) told.push(`${minute} ${composeSelf(event, clock.now()).headline}`);
    return Promise.resolve(state.keeps);
  };
  running.push(
    startSelfChecks({
      late: () =>
        state.late
          .map((name) => rules.get(name))
          .filter((one): one is RuleMemory => one !== undefined),
      database,
      clock,
      log: pino({ level: "debug" }, { write: (line: string) => void lines.push(line) }),
      found,
      ...(space === undefined ? {} : { space: () => (async () => await space())() }),
    }),
  );
  const minutes = async (count: number): Promise<void> => {
    for (let i = 0; i < count; i += 1) {
      await clock.advance(MINUTE);
      for (let turns = 0; turns < 5; turns += 1) await turn();
    }
  };
  /** A look at the real disk takes real time: until it is heard of. */
  const heard = (): Promise<void> => until(() => lines.length > 0 || told.length > 0);
  /** The machine sleeps: its clock has gone on when it wakes. */
  const sleep = async (ms: number): Promise<void> => {
    await clock.set(clock.now() + ms);
    for (let turns = 0; turns < 5; turns += 1) await turn();
  };
  return { told, state, minutes, sleep, heard, lines, clock };
}

async function worldOf() {
  const world = await World.create(RULES, { answer: () => absent });
  return { rounds: world.rounds, stop: () => world.stop() };
}

describe("a rule that is late", () => {
  it("is told once while it lasts, and once when all are back", async () => {
    const { told, state, minutes } = await setUp();
    await minutes(2);
    state.late = ["each-minute"];
    await minutes(30);
    expect(told).toEqual(["3 ⚪ A rule missed every round for three intervals: each-minute"]);
    state.late = [];
    await minutes(30);
    expect(told.slice(1)).toEqual(["43 🟢 All rules are polled on time again"]);
  });

  it("is one trouble however often it comes and goes", async () => {
    const { told, state, minutes } = await setUp();
    for (let i = 0; i < 20; i += 1) {
      state.late = i % 2 === 0 ? ["each-minute"] : [];
      await minutes(3);
    }
    expect(told).toHaveLength(1);
  });

  it("is told beside others that are late already, and anew after it was over", async () => {
    const { told, state, minutes } = await setUp();
    state.late = ["each-minute"];
    await minutes(1);
    state.late = ["each-minute", "each-hour"];
    await minutes(1);
    state.late = ["each-minute"];
    await minutes(15);
    state.late = ["each-minute", "each-hour"];
    await minutes(1);
    expect(told).toEqual([
      "1 ⚪ A rule missed every round for three intervals: each-minute",
      "2 ⚪ A rule missed every round for three intervals: each-hour",
      "18 ⚪ A rule missed every round for three intervals: each-hour",
    ]);
  });

  it("is counted with others, the first by name", async () => {
    const { told, state, minutes } = await setUp();
    state.late = ["each-minute", "each-hour"];
    await minutes(1);
    expect(told).toEqual([
      "1 ⚪ 2 rules missed every round for three intervals: each-minute and 1 more",
    ]);
  });

  it("is told later when it could not be told at first, and not that it is over otherwise", async () => {
    const { told, state, minutes } = await setUp();
    state.keeps = false;
    state.late = ["each-minute"];
    await minutes(3);
    state.late = [];
    await minutes(20);
    state.keeps = true;
    await minutes(20);
    expect(told).toEqual([]);
    state.keeps = false;
    state.late = ["each-minute"];
    await minutes(3);
    state.keeps = true;
    await minutes(3);
    expect(told).toHaveLength(1);
  });
});

describe("a machine that slept", () => {
  it("is told once, in place of the rules that are late for it", async () => {
    const { told, state, minutes, sleep } = await setUp();
    await minutes(2);
    state.late = ["each-minute", "each-hour"];
    await sleep(6 * 60 * MINUTE);
    state.late = [];
    await minutes(30);
    expect(told).toEqual(["362 ⚪ Nothing was watched for 6 h: the machine slept"]);
  });

  it("is told of rules as well that stay late afterwards", async () => {
    const { told, state, minutes, sleep } = await setUp();
    state.late = ["each-minute"];
    await sleep(10 * MINUTE);
    await minutes(2);
    expect(told).toEqual([
      "10 ⚪ Nothing was watched for 10 min: the machine slept",
      "11 ⚪ A rule missed every round for three intervals: each-minute",
    ]);
  });

  it("is one from five minutes on, and none when the clock is set back", async () => {
    const { told, minutes, sleep } = await setUp();
    await minutes(1);
    await sleep(5 * MINUTE - 1);
    await minutes(1);
    await sleep(-60 * MINUTE);
    await minutes(5);
    expect(told).toEqual([]);
    await sleep(5 * MINUTE);
    expect(told).toHaveLength(1);
  });

  it("is told when it can be, from the first time that could not be told", async () => {
    const { told, state, minutes, sleep, clock } = await setUp();
    await minutes(1);
    state.keeps = false;
    await sleep(60 * MINUTE);
    await sleep(60 * MINUTE);
    state.keeps = true;
    await minutes(3);
    expect(told).toEqual(["122 ⚪ Nothing was watched for 2 h: the machine slept"]);
    expect(clock.now()).toBe(START + 124 * MINUTE);
  });
});

describe("the disk of the database", () => {
  const GB = 1_000_000_000;

  it.each([
    [{ free: 0.049 * 100 * GB, total: 100 * GB }, 1],
    [{ free: 0.051 * 100 * GB, total: 100 * GB }, 0],
    [{ free: 199_000_000, total: 2 * GB }, 1],
    [{ free: 201_000_000, total: 2 * GB }, 0],
    // A small volume of a container is not full for being small.
    [{ free: 50_000_000, total: 100_000_000 }, 0],
    [{ free: 19_000_000, total: 100_000_000 }, 1],
  ])("with %j is told %i times", async (space, times) => {
    const { told, minutes } = await setUp(() => space);
    await minutes(45);
    expect(told).toHaveLength(times);
  });

  it("is looked at every ten minutes, and over only with some room to spare", async () => {
    const space = { free: 150_000_000, total: 2 * GB };
    const { told, minutes } = await setUp(() => space);
    await minutes(25);
    expect(told).toEqual(["10 ⚪ The database's disk is nearly full: 150 MB free"]);
    space.free = 205_000_000;
    await minutes(20);
    space.free = 190_000_000;
    await minutes(20);
    expect(told).toHaveLength(1);
    space.free = 245_000_000;
    await minutes(20);
    expect(told.slice(1)).toEqual(["70 🟢 The database's disk has room again: 245 MB free"]);
  });

  it("holds nothing up while it does not answer", async () => {
    const { told, state, minutes } = await setUp(() => new Promise(() => {}));
    await minutes(10);
    state.late = ["each-minute"];
    await minutes(1);
    expect(told).toHaveLength(1);
  });

  it("is that of the real file, and one that cannot be asked is no trouble", async () => {
    const folder = await mkdtemp(join(tmpdir(), "tickwatch-disk-"));
    await writeFile(join(folder, "t.db"), "");
    const { bsize, bavail, blocks } = await statfs(folder);
    const share = bavail / blocks;
    const full = share < 0.05 || bavail * bsize < 200_000_000;
    const { told, minutes, heard } = await setUp(undefined, join(folder, "t.db"));
    await minutes(10);
    // A disk with room is not heard of.
    if (full) await heard();
    else await pause(100);
    expect(told).toHaveLength(full ? 1 : 0);
    const none = await setUp(undefined, join(folder, "none.db"));
    await none.minutes(10);
    await none.heard();
    expect(none.told).toEqual([]);
    expect(none.lines.join("")).toContain("ENOENT");
    await rm(folder, { recursive: true });
  });
});
