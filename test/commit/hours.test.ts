import { describe, expect, it } from "vitest";
import type { Answer, Ask, RawRecord } from "../../src/model/index.ts";
import { gasHour } from "../kinds/records.ts";
import { absent, failed, MINUTE, ok, START, World } from "../support/world.ts";

const HOUR = 60 * MINUTE;

const rule = (when: string, watch = "chain: 1", more = ""): string => `
rules:
  - name: tip
    watch: {kind: gas, ${watch}}
    when: {metric: tip_top10, ${when}}
    schedule: 10m
${more}`;

/** An hour of a chain's gas, by its distance from the start of the world in hours. */
const hourAt = (place: number, gwei: number, given: RawRecord = {}): RawRecord =>
  gasHour(new Date(START + place * HOUR).toISOString(), {
    avg_priority_fee_top10_threshold: `${gwei}000000000`,
    ...given,
  });

/** What services send of an hour in which nothing happened. */
const NO_TIPS: RawRecord = {
  avg_block_priority_fee_min: "0",
  avg_block_priority_fee_max: "0",
  avg_priority_fee_top5_threshold: "0",
  avg_priority_fee_top5_avg: "0",
  avg_priority_fee_top10_threshold: "0",
  avg_priority_fee_top10_avg: "0",
  zero_tip_ratio: 0,
};

/** The hours that have begun by a date, of those that a function gives by their place. */
const hours =
  (make: (place: number, chainId: number) => RawRecord | null, from = -30) =>
  ({ chainId }: Ask, date: number): Answer => {
    const now = Math.floor((date - START) / HOUR);
    const records: RawRecord[] = [];
    for (let place = from; place <= now; place += 1) {
      const record = make(place, chainId);
      if (record !== null) records.push(record);
    }
    return ok(...records);
  };

describe("an hour without transactions", () => {
  const empty = { block_count: 0, tx_count: "0", avg_base_fee: "0", ...NO_TIPS };

  it.each([
    ["no blocks", empty],
    ["no transactions", { ...NO_TIPS, tx_count: "0", avg_gas_used: "0" }],
    [
      "no count of transactions, and no gas was used",
      { ...NO_TIPS, tx_count: null, avg_gas_used: "0" },
    ],
  ])("has no tip that would fire or open a gate: %s", async (_, given) => {
    const gated = `
  - name: gated
    watch: {kind: gas, chain: 1}
    when: {metric: utilization, at_least: 0%}
    schedule: 10m
    only_while: [tip]
`;
    const world = await World.create(rule("below: 0.5 gwei", "chain: 1", gated));
    world.answer = hours((place) => hourAt(place, 2, place >= 1 ? given : {}));
    await world.run(90 * MINUTE);
    expect(world.story()).toEqual(["90 no_data", ...(given === empty ? ["90 no_data"] : [])]);
    expect(world.told.at(-1)?.notice.fields).toContainEqual({
      name: "Reason",
      value: expect.stringMatching(/^the hour had no (blocks|transactions)$/),
    });
    await world.stop();
  });

  it("is told by a tip of 0 where there were some", async () => {
    const world = await World.create(rule("below: 0.5 gwei"));
    world.answer = hours((place) => hourAt(place, 2, place >= 1 ? NO_TIPS : {}));
    await world.run(90 * MINUTE);
    expect(world.story()).toEqual(["70 fired"]);
    await world.stop();
  });

  it("is no part of a percentile", async () => {
    const world = await World.create(rule("below: p10, within: 24h"));
    // Ten of 24 hours were empty; the others had 2 gwei, and now 1.
    world.answer = hours((place) =>
      place >= 1 ? hourAt(place, 1) : hourAt(place, 2, place % 5 < -2 ? empty : {}),
    );
    await world.run(80 * MINUTE);
    expect(world.story()).toEqual(["70 fired"]);
    expect(world.told.at(-1)?.notice.headline).toContain("below 2");
    await world.stop();
  });
});

describe("a percentile whose value is 0", () => {
  const quiet = (place: number): RawRecord => hourAt(place, place >= 1 ? 3 : 0);

  it("has no multiples that would be a limit", async () => {
    const world = await World.create(rule("above: 300% of p50, within: 24h"));
    world.answer = hours(quiet);
    await world.run(90 * MINUTE);
    expect(world.story()).toEqual([]);
    await world.stop();
  });

  it("is a limit by itself", async () => {
    const world = await World.create(rule("above: p50, within: 24h"));
    world.answer = hours(quiet);
    await world.run(90 * MINUTE);
    expect(world.story()).toEqual(["70 fired"]);
    await world.stop();
  });
});

describe("a rule that fires for want of hours", () => {
  it("resolves by consecutive ones from the first that it had again", async () => {
    const more = "    on_missing: fire\n    resolve_after: 2h\n";
    const world = await World.create(rule("below: 3 gwei", "chain: 1", more));
    world.answer = hours((place) => hourAt(place, 9));
    await world.run(20 * MINUTE);
    world.answer = () => absent;
    await world.run(40 * MINUTE);
    world.answer = hours((place) => hourAt(place, place < 2 ? 2 : 9));
    await world.run(4 * HOUR);
    // The hours 2 and 3 are not below; at 190 the third is old enough.
    expect(world.story()).toEqual(["50 fired", "70 data_back", "190 resolved"]);
    await world.stop();
  });
});

describe("a change since the last hour", () => {
  it("is measured from the hour as it is, whatever was before it", async () => {
    const world = await World.create(rule("falls: 40%, since: last").replace("10m", "1h"));
    const tips = [0, 1000, 600];
    // At each full hour the one before is the newest that is old enough.
    world.answer = hours((place) => hourAt(place, place < 0 ? 0 : (tips[place] ?? 500)));
    await world.run(3 * HOUR);
    expect(world.story()).toEqual(["180 fired"]);
    await world.stop();
  });
});

describe("an hour that fires", () => {
  it("says what the one before it had, if that had a value", async () => {
    const told: string[] = [];
    for (const gwei of [[3, 4, 9], [3, null, 9], [9]]) {
      const world = await World.create(rule("above: 5 gwei"));
      world.answer = () =>
        ok(
          ...gwei.map((tip, i) =>
            hourAt(i - gwei.length, tip ?? 0, tip === null ? { ...NO_TIPS, tx_count: "0" } : {}),
          ),
        );
      await world.minutes(1);
      await world.stop();
      const fields = world.told.find(({ kind }) => kind === "fired")?.notice.fields ?? [];
      told.push(fields.find(({ name }) => name === "Before")?.value ?? "nothing");
    }
    expect(told).toEqual(["4 gwei at 2026-11-28 10:00 UTC", "nothing", "nothing"]);
  });
});

describe("a rule across the hours of several chains", () => {
  const min = rule("below: 3 gwei", "chain: [1, 137]", "    across: min\n");

  it("has no value while one of them lacks the newest hour of another", async () => {
    const world = await World.create(min);
    world.answer = hours((place) => hourAt(place, 9));
    await world.run(65 * MINUTE);
    // From then on the second chain has no hour 13, and was low at 12.
    world.answer = hours((place, chainId) =>
      chainId === 137 && place >= 1 ? null : hourAt(place, chainId === 137 && place === 0 ? 2 : 9),
    );
    await world.run(30 * MINUTE);
    expect(world.story()).toEqual(["90 no_data"]);
    expect(world.told.at(-1)?.notice.fields).toContainEqual({
      name: "Reason",
      value: "Polygon: nothing from 2026-11-28 13:00 UTC on",
    });
    await world.stop();
  });

  it("calls off nothing for an answer without an hour that was known, nor when one fails", async () => {
    const world = await World.create(min);
    const low = (place: number, chainId: number): RawRecord => hourAt(place, chainId === 1 ? 9 : 2);
    world.answer = hours(low);
    await world.run(20 * MINUTE);
    world.answer = hours((place, chainId) =>
      chainId === 137 && place === 0 ? null : low(place, 1),
    );
    await world.run(10 * MINUTE);
    world.answer = (ask, date) => (ask.chainId === 1 ? failed : hours(low)(ask, date));
    await world.run(10 * MINUTE);
    expect(world.story()).toEqual(["0 fired"]);
    expect(world.rounds.memory.rules[0]?.alerts[0]?.alert?.state).toBe("firing");
    await world.stop();
  });

  it("keeps the hours that it knows when one fails, though later answers no longer have them", async () => {
    const world = await World.create(min.replace("    across", "    for: 3h\n    across"));
    const low = (place: number, chainId: number): RawRecord =>
      hourAt(place, chainId === 137 && place >= 1 ? 2 : 9);
    const newest = (ask: Ask, date: number): Answer =>
      hours(low, Math.floor((date - START) / HOUR))(ask, date);
    world.answer = newest;
    await world.run(130 * MINUTE);
    world.answer = (ask, date) => (ask.chainId === 1 ? failed : hours(low)(ask, date));
    await world.run(10 * MINUTE);
    world.answer = newest;
    await world.run(60 * MINUTE);
    expect(world.story()).toEqual(["190 fired"]);
    await world.stop();
  });

  it("has the newest hour as soon as all of them have it", async () => {
    const world = await World.create(min);
    world.answer = hours((place, chainId) => hourAt(place, place >= 1 && chainId === 137 ? 2 : 9));
    await world.run(90 * MINUTE);
    expect(world.story()).toEqual(["70 fired"]);
    await world.stop();
  });
});
