import { describe, expect, it } from "vitest";
import { parseSchedule } from "../../src/base/schedule.ts";
import { lateRules, Scheduler } from "../../src/poll/schedule.ts";
import { createFakeClock } from "../support/fake-clock.ts";
import { MINUTE, START, World } from "../support/world.ts";

const HOUR = 60 * MINUTE;

/** What is due over a time, as `minutes since the start: members`. */
function schedule(texts: readonly string[], start = START) {
  const clock = createFakeClock(start);
  const seen: string[] = [];
  const scheduler = new Scheduler(
    texts,
    {
      scheduleOf: (text) => parseSchedule(text.split("@")[0] ?? "", "UTC"),
      chainsOf: (text) => new Set((text.split("@")[1] ?? "").split(" ").map(Number)),
    },
    clock,
    (due, date) => seen.push(`${(date - START) / MINUTE}: ${due.join(", ")}`),
  );
  scheduler.start();
  return { clock, seen, scheduler };
}

describe("the scheduler", () => {
  it("is due at whole multiples of a duration, whenever it was started", async () => {
    const { clock, seen } = schedule(["5m"], START + 2 * MINUTE + 17);
    await clock.advance(11 * MINUTE);
    expect(seen).toEqual(["5: 5m", "10: 5m"]);
  });

  it("puts what is due in one second into one round", async () => {
    const { clock, seen } = schedule(["1m", "2m", "*/2 * * * *", "0 */2 * * * *"]);
    await clock.advance(2 * MINUTE);
    expect(seen).toEqual(["1: 1m", "2: 1m, 2m, */2 * * * *, 0 */2 * * * *"]);
  });

  it("catches up with one round, dated by the last time that passed", async () => {
    const { clock, seen } = schedule(["1m", "1h"]);
    await clock.advance(MINUTE);
    await clock.set(START + 6 * HOUR + 30_000);
    expect(seen).toEqual(["1: 1m", "360: 1m, 1h"]);
    await clock.advance(MINUTE);
    expect(seen.at(-1)).toBe("361: 1m");
  });

  it("catches up in the order of the times, whatever the order of what is due", async () => {
    const { clock, seen } = schedule(["1m", "5m"]);
    await clock.advance(MINUTE);
    await clock.set(START + 7 * MINUTE + 30_000);
    expect(seen).toEqual(["1: 1m", "5: 5m", "7: 1m"]);
  });

  it("leaves what passed unseen before a stop to whoever goes on from there", async () => {
    const fake = createFakeClock(START);
    let late = 0;
    // A loop that is blocked: time passes, and no timer wakes anybody.
    const clock = { ...fake, now: () => fake.now() + late };
    const seen: number[] = [];
    const make = (): Scheduler<string> =>
      new Scheduler(
        ["1m"],
        { scheduleOf: (text) => parseSchedule(text, "UTC"), chainsOf: () => new Set() },
        clock,
        (_due, date) => seen.push((date - START) / MINUTE),
      );
    const first = make();
    first.start();
    late = 90_000;
    const from = first.stop();
    const next = make();
    next.start(from);
    late = 0;
    await fake.set(START + 90_000);
    expect(seen).toEqual([1]);
    next.stop();
  });

  it("goes on at once when the clock was set back", async () => {
    const { clock, seen } = schedule(["1m"]);
    await clock.advance(MINUTE);
    await clock.set(START - 3 * HOUR);
    await clock.advance(3 * MINUTE);
    expect(seen).toEqual(["1: 1m", "-179: 1m", "-178: 1m", "-177: 1m"]);
  });

  it("is due at each block of its chains, once a second, and after 15 s without one", async () => {
    const { clock, seen, scheduler } = schedule(
      ["block@1", "block@1 8453", "block@10"],
      START + 400,
    );
    const seconds = (): string[] =>
      seen.splice(0).map((one) => {
        const [minutes = "", members = ""] = one.split(": ");
        return `${Math.round(Number(minutes) * 60)}: ${members}`;
      });
    scheduler.block(8453);
    await clock.advance(599);
    expect(seconds()).toEqual([]);
    await clock.advance(1);
    expect(seconds()).toEqual(["1: block@1 8453"]);

    // Two blocks within a second are one round, at once; the third comes in the next second.
    await clock.advance(1_300);
    scheduler.block(1);
    scheduler.block(1);
    expect(seconds()).toEqual(["2: block@1, block@1 8453"]);
    await clock.advance(300);
    scheduler.block(1);
    await clock.advance(400);
    expect(seconds()).toEqual(["3: block@1, block@1 8453"]);

    // The chains have stopped: what saw a block last is due 15 s after it.
    await clock.advance(15_000);
    expect(seconds()).toEqual(["15: block@10", "18: block@1, block@1 8453"]);
  });

  it("makes up for what was busy at a block, and for nothing else", async () => {
    const { clock, seen, scheduler } = schedule(["block@1", "block@10", "1m"]);
    await clock.advance(2_000);
    scheduler.block(1);
    scheduler.again(new Set(["block@1", "1m"]));
    await clock.advance(1_000);
    expect(seen).toEqual([`${2 / 60}: block@1`, `${3 / 60}: block@1`]);
  });

  it("hears of no block once it was stopped, nor after the clock was set back by hours", async () => {
    const { clock, seen, scheduler } = schedule(["block@1"]);
    await clock.advance(2_000);
    await clock.set(START - 3 * HOUR);
    scheduler.block(1);
    await clock.advance(1_000);
    expect(seen).toEqual([`${-180 + 1 / 60}: block@1`]);
    scheduler.stop();
    scheduler.block(1);
    await clock.advance(MINUTE);
    expect(seen).toHaveLength(1);
  });

  it("is quiet once it was stopped", async () => {
    const { clock, seen, scheduler } = schedule(["1m"]);
    await clock.advance(MINUTE);
    scheduler.stop();
    await clock.advance(5 * MINUTE);
    expect(seen).toEqual(["1: 1m"]);
  });
});

describe("a rule that is late", () => {
  const POOL = `watch: {kind: v4_pool, chain: 1, pools: ["0x${"ab".repeat(32)}"]}`;
  const rule = (name: string, every: string, below = 900): string =>
    `  - {name: ${name}, ${POOL}, when: {metric: tvl_usd, below: ${below}}, schedule: ${every}}\n`;
  const lateIn = ({ rounds }: World, now: number, since: number): string[] =>
    lateRules(rounds.memory, now, since).map((one) => one.rule.name);

  it("has had no round for three intervals of its own", async () => {
    const world = await World.create(`rules:\n${rule("fast", "1m")}${rule("slow", "1h")}`);
    await world.run(10 * MINUTE);
    const third = START + 13 * MINUTE;
    expect(lateIn(world, third, START)).toEqual([]);
    expect(lateIn(world, third + 1, START)).toEqual(["fast"]);
    expect(lateIn(world, START + 3 * HOUR + 1, START)).toEqual(["fast", "slow"]);
    await world.stop();
  });

  it("has had none since the daemon began, however long ago its last one was", async () => {
    const world = await World.create(`rules:\n${rule("fast", "1m")}`);
    await world.run(10 * MINUTE);
    const since = START + 10 * HOUR;
    expect(lateIn(world, since + 3 * MINUTE, since)).toEqual([]);
    expect(lateIn(world, since + 3 * MINUTE + 1, since)).toEqual(["fast"]);
    await world.stop();
  });

  it.each([
    ["new", "other", 900],
    ["edited", "fast", 800],
  ])("has had none since it was read, if it is %s", async (_how, name, below) => {
    const world = await World.create(`rules:\n${rule("fast", "1h")}`);
    await world.run(10 * HOUR + 30 * MINUTE);
    await world.stop();
    // Read beside a daemon that runs on, whose rounds hang from then on.
    world.answer = () => new Promise(() => {});
    await world.open(`rules:\n${rule(name, "1m", below)}`);
    const read = START + 10 * HOUR + 30 * MINUTE;
    expect(lateIn(world, read + 3 * MINUTE, START)).toEqual([]);
    expect(lateIn(world, read + 3 * MINUTE + 1, START)).toEqual([name]);
  });

  it("has had none since the clock was set back, whatever it had before", async () => {
    const world = await World.create(`rules:\n${rule("fast", "1m")}`);
    await world.run(10 * MINUTE);
    const since = START - 24 * HOUR;
    expect(lateIn(world, since + 3 * MINUTE, since)).toEqual([]);
    expect(lateIn(world, since + 3 * MINUTE + 1, since)).toEqual(["fast"]);
    await world.stop();
  });

  it("has had none since the clock was set back, if it was new or edited then", async () => {
    const world = await World.create(`rules:\n${rule("fast", "1m")}`);
    world.answer = () => new Promise(() => {});
    const since = START - 24 * HOUR;
    expect(lateIn(world, since, since)).toEqual([]);
    expect(lateIn(world, since + 3 * MINUTE, since)).toEqual([]);
    expect(lateIn(world, since + 3 * MINUTE + 1, since)).toEqual(["fast"]);
  });
});
