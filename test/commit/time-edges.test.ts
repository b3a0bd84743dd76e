import { describe, expect, it } from "vitest";
import type { Answer, Ask } from "../../src/model/index.ts";
import { absent, MINUTE, ok, POOL_ID, poolRecord, START, World } from "../support/world.ts";

const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const iso = (at: number): string => new Date(at).toISOString().replace(":00.000Z", "Z");

const pool = (keys: string): string => `
rules:
  - name: tvl
    watch: {kind: v4_pool, chain: 1, pools: [${POOL_ID}]}
${keys}`;

const GAS = (keys: string): string => `
rules:
  - name: tip
    watch: {kind: gas, chain: 1}
    when: {metric: tip_top10, above: 5 gwei}
${keys}`;

/** Hours of gas, each with its tip in gwei. */
function hours(tips: ReadonlyMap<number, number>): Answer {
  return ok(
    ...[...tips].map(([start, gwei]) => ({
      hour: new Date(start).toISOString(),
      chain_id: 1,
      block_count: 300,
      avg_priority_fee_top10_threshold: String(gwei * 1e9),
    })),
  );
}

/** Everything told but `started`, by the time of its round. */
const story = (world: World): string[] =>
  world.told
    .filter(({ kind }) => kind !== "started")
    .map(({ kind, notice }) => `${iso(notice.at)} ${kind}`);

describe("a machine that slept for six hours", () => {
  it("has one round for all that it missed, in which nothing of before is a base", async () => {
    const world = await World.create(pool("    when: {metric: tvl_usd, falls: 10%, within: 1h}\n"));
    const dates: number[] = [];
    let value = 1000;
    world.answer = (_ask, date) => {
      dates.push(date);
      return ok(poolRecord({ tvl_usd: value }));
    };
    await world.minutes(30);
    const slept = world.clock.now();
    dates.length = 0;
    value = 500;
    await world.clock.set(slept + 6 * HOUR);
    await world.minutes(0);
    expect(dates).toEqual([slept + 6 * HOUR]);
    await world.minutes(40);
    expect(dates).toHaveLength(41);
    expect(story(world)).toEqual([]);
    await world.stop();
  });

  it("begins a for anew, since nobody knows what was meanwhile", async () => {
    const world = await World.create(
      pool("    when: {metric: tvl_usd, below: 500}\n    for: 1h\n"),
    );
    let value = 1000;
    world.answer = () => ok(poolRecord({ tvl_usd: value }));
    await world.minutes(5);
    value = 400;
    await world.minutes(10);
    const slept = world.clock.now();
    await world.clock.set(slept + 6 * HOUR);
    await world.minutes(65);
    expect(story(world)).toEqual([`${iso(slept + 7 * HOUR)} fired`]);
    await world.stop();
  });

  it("goes by cron as well, dated by the last time that passed", async () => {
    const world = await World.create(
      pool('    when: {metric: tvl_usd, below: 500}\n    schedule: "*/10 * * * *"\n'),
    );
    let value = 1000;
    world.answer = () => ok(poolRecord({ tvl_usd: value }));
    await world.pass(30 * MINUTE);
    const slept = world.clock.now();
    value = 400;
    await world.clock.set(slept + 6 * HOUR + 3 * MINUTE);
    await world.pass(0);
    expect(story(world)).toEqual([`${iso(slept + 6 * HOUR)} fired`]);
    await world.stop();
  });
});

describe("a for over one change", () => {
  it.each([
    ["9m", "within", ["2026-11-28T12:29Z fired", "2026-11-28T12:30Z resolved"]],
    ["10m", "within", []],
    ["9m", "since", ["2026-11-28T12:29Z fired", "2026-11-28T12:30Z resolved"]],
    ["10m", "since", []],
  ] as const)(
    "%s with %s: 10m is reached while its base is in the window",
    async (long, span, expected) => {
      const when = `{metric: tvl_usd, falls: 10%, ${span}: 10m}`;
      const world = await World.create(pool(`    when: ${when}\n    for: ${long}\n`));
      let value = 1000;
      world.answer = () => ok(poolRecord({ tvl_usd: value }));
      await world.minutes(19);
      value = 500;
      await world.minutes(40);
      expect(story(world)).toEqual(expected);
      await world.stop();
    },
  );
});

describe("when the clocks of a rule's zone change", () => {
  /** The dates of the rounds of a schedule in Berlin, after the first look. */
  async function rounds(schedule: string, start: number, days: number): Promise<string[]> {
    const keys = `    when: {metric: tvl_usd, below: 500}\n    schedule: "${schedule}"\n    timezone: Europe/Berlin\n`;
    const world = await World.create(pool(keys), { start });
    const dates: string[] = [];
    world.answer = (_ask, date) => {
      dates.push(iso(date));
      return ok(poolRecord());
    };
    await world.pass(days * DAY);
    await world.stop();
    expect(dates.shift()).toBe(iso(start));
    return dates;
  }

  it("a job of 02:30 runs once on each day, also where 02:30 is skipped or comes twice", async () => {
    expect(await rounds("30 2 * * *", Date.UTC(2027, 2, 27), 3)).toEqual([
      "2027-03-27T01:30Z",
      "2027-03-28T01:00Z",
      "2027-03-29T00:30Z",
    ]);
    expect(await rounds("30 2 * * *", Date.UTC(2027, 9, 30), 3)).toEqual([
      "2027-10-30T00:30Z",
      "2027-10-31T00:30Z",
      "2027-11-01T01:30Z",
    ]);
  });

  it("a for in minutes is not shorter or longer for it", async () => {
    // 03:00 becomes 02:00 at 01:00 UTC.
    const keys =
      '    when: {metric: tvl_usd, below: 500}\n    for: 90m\n    schedule: "*/30 * * * *"\n    timezone: Europe/Berlin\n';
    const start = Date.UTC(2027, 9, 31, 0, 0);
    const world = await World.create(pool(keys), { start });
    world.answer = (_ask, date) =>
      ok(poolRecord({ tvl_usd: date > start + 30 * MINUTE ? 400 : 1000 }));
    await world.pass(4 * HOUR);
    expect(story(world)).toEqual(["2027-10-31T02:30Z fired"]);
    await world.stop();
  });
});

describe("midnights and the ends of months, in UTC", () => {
  it.each([
    ["a month", Date.UTC(2026, 10, 30, 21)],
    ["a year", Date.UTC(2026, 11, 31, 21)],
    ["a February", Date.UTC(2027, 1, 28, 21)],
    ["a leap February", Date.UTC(2028, 1, 29, 21)],
  ])("hours over the end of %s are one row", async (_name, start) => {
    const world = await World.create(GAS("    for: 3h\n    schedule: 1h\n"), { start });
    const tips = new Map<number, number>();
    world.answer = (_ask: Ask, date: number) => {
      // 22:00 and 23:00 of the one day, 00:00 of the other.
      const hour = date - HOUR;
      tips.set(hour, hour > start ? 6 : 1);
      return hours(tips);
    };
    await world.pass(6 * HOUR);
    expect(story(world)).toEqual([`${iso(start + 4 * HOUR)} fired`]);
    await world.stop();
  });

  it("a net change of 24 hours looks at the same time of the day before", async () => {
    const start = Date.UTC(2027, 1, 28, 0);
    const world = await World.create(
      pool("    when: {metric: tvl_usd, falls: 10%, since: 24h}\n    schedule: 1h\n"),
      { start },
    );
    world.answer = (_ask, date) =>
      ok(poolRecord({ tvl_usd: date >= start + 30 * HOUR ? 850 : 1000 }));
    await world.pass(60 * HOUR);
    expect(story(world)).toEqual(["2027-03-01T06:00Z fired", "2027-03-02T06:00Z resolved"]);
    await world.stop();
  });
});

describe("hours of gas", () => {
  const START_HOUR = Date.UTC(2026, 10, 28, 12);

  it("that are revised after they were seen are judged as they are now", async () => {
    const world = await World.create(GAS("    schedule: 10m\n    bucket: complete\n"));
    const tips = new Map([[START_HOUR - HOUR, 6]]);
    world.answer = () => hours(tips);
    await world.pass(5 * MINUTE);
    tips.set(START_HOUR - HOUR, 1);
    await world.pass(10 * MINUTE);
    tips.set(START_HOUR - HOUR, 9);
    await world.pass(10 * MINUTE);
    tips.set(START_HOUR - HOUR, 2);
    await world.pass(10 * MINUTE);
    expect(story(world)).toEqual([
      "2026-11-28T12:00Z fired",
      "2026-11-28T12:10Z resolved",
      "2026-11-28T12:20Z fired",
      "2026-11-28T12:30Z resolved",
    ]);
    await world.stop();
  });

  it("that still run count as they are so far, unless complete ones are asked for", async () => {
    for (const [bucket, expected] of [
      ["newest", ["2026-11-28T12:30Z fired"]],
      ["complete", ["2026-11-28T13:00Z fired"]],
    ] as const) {
      const world = await World.create(GAS(`    schedule: 10m\n    bucket: ${bucket}\n`));
      world.answer = (_ask, date) => {
        const tips = new Map([[START_HOUR - HOUR, 1]]);
        if (date > START_HOUR) tips.set(START_HOUR, date >= START_HOUR + 30 * MINUTE ? 6 : 1);
        return hours(tips);
      };
      await world.pass(70 * MINUTE);
      expect(story(world)).toEqual(expected);
      await world.stop();
    }
  });

  it("five hours behind are no data, and no value of now, unless the rule allows their age", async () => {
    for (const [maxAge, expected] of [
      // At 14:00 it ended exactly two hours ago; three rounds without a value follow.
      ["2h", ["2026-11-28T14:30Z no_data"]],
      ["6h", ["2026-11-28T17:00Z fired"]],
    ] as const) {
      const world = await World.create(
        GAS(`    schedule: 10m\n    max_age: ${maxAge}\n    missing_after: 5m\n`),
      );
      world.answer = (_ask, date) => {
        // From noon on it falls behind, then goes on five hours late; its twelfth hour is dear.
        const newest = Math.max(START_HOUR - HOUR, date - 5 * HOUR);
        const at = newest - (newest % HOUR);
        return hours(new Map([[at, at >= START_HOUR ? 6 : 1]]));
      };
      await world.pass(6 * HOUR);
      expect(story(world)).toEqual(expected);
      await world.stop();
    }
  });

  it("that do not come at all are no data and fire nothing", async () => {
    const world = await World.create(GAS("    schedule: 10m\n"));
    world.answer = () => absent;
    await world.pass(2 * HOUR);
    expect(world.told.map(({ notice }) => notice.headline)).toEqual([
      "🔵 Watching 1 subject with 1 rule; new: tip",
      "⚪ No data 20 min: Ethereum. Was quiet, its state is kept",
    ]);
    await world.stop();
  });
});

describe("a first look that goes on when the next round is due", () => {
  it("is followed by that round as soon as it ends, and holds up no other", async () => {
    const OTHER = `0x${"cd".repeat(32)}`;
    const world = await World.create(
      `
rules:
  - {name: pools, watch: {kind: v4_pool, chain: 1, pools: ["${POOL_ID}", "${OTHER}"]}, when: {metric: tvl_usd, below: 900}, schedule: 1m}
  - {name: gas, watch: {kind: gas, chain: 1}, when: {metric: tip_top10, above: 5 gwei}, schedule: 1m}
`,
      { start: START + MINUTE - 1_000 },
    );
    let answerLate = (): void => {};
    const late = new Promise<void>((resolve) => {
      answerLate = resolve;
    });
    let tvl = 1_000;
    world.answer = async (ask) => {
      if (ask.record !== "v4_pool") return absent;
      if (ask.id === OTHER) await late;
      return ok(poolRecord({ pool_id: ask.id, tvl_usd: tvl }));
    };
    await world.pass(0);
    await world.pass(1_000);
    const lastRounds = (): (number | null)[] =>
      world.rounds.memory.rules.map(({ state }) => state.lastRound);
    expect(lastRounds()).toEqual([null, START + MINUTE]);
    tvl = 800;
    answerLate();
    await world.pass(0);
    await world.pass(0);
    expect(lastRounds()).toEqual([START + MINUTE, START + MINUTE]);
    expect(world.told.filter(({ kind }) => kind === "fired")).toHaveLength(2);
    await world.stop();
  });
});
