import { describe, expect, it } from "vitest";
import { absent, MINUTE, ok, POOL_ID, poolRecord, START, World } from "../support/world.ts";

const HOUR = 60 * MINUTE;

const rule = (name: string, below: number, more = ""): string =>
  `  - {name: ${name}, watch: {kind: v4_pool, chain: 1, pools: ["${POOL_ID}"]}, when: {metric: tvl_usd, below: ${below}}${more}}\n`;
const rules = (...all: readonly string[]): string => `rules:\n${all.join("")}`;

const startsIn = ({ told }: World): string[] =>
  told
    .filter(({ kind }) => kind === "started")
    .map(({ channels, notice }) => `${channels.join()} ${notice.headline}`);

/** The daemon starts anew with rules that were edited, two minutes later. */
async function edit(world: World, yaml: string): Promise<void> {
  await world.stop();
  await world.clock.set(world.clock.now() + 2 * MINUTE);
  await world.open(yaml);
  await world.run(MINUTE);
}

describe("a start", () => {
  it("tells of an edit once, however many starts follow", async () => {
    const world = await World.create(rules(rule("a", 500)), { answer: () => ok(poolRecord()) });
    await world.run(MINUTE);
    for (let i = 0; i < 3; i += 1) await edit(world, rules(rule("a", 600)));
    expect(startsIn(world)).toEqual([
      "console,slack 🔵 Watching 1 subject with 1 rule; new: a",
      "console,slack 🔵 Watching 1 subject with 1 rule; changed: a",
    ]);
    await world.stop();
  });

  it("tells of an edit where the start before it was cut off", async () => {
    const answer = () => ok(poolRecord());
    const world = await World.create(rules(rule("a", 500)), { answer });
    await world.run(MINUTE);
    await world.stop();
    const { store, clock } = world;
    const yaml = rules(rule("a", 600));
    await (await World.create(yaml, { store, answer, start: clock.now() })).stop();
    const next = await World.create(yaml, { store, answer, start: clock.now() + MINUTE });
    await next.look();
    expect(startsIn(next)).toEqual(["console,slack 🔵 Watching 1 subject with 1 rule; changed: a"]);
    await next.stop();
  });

  it("tells of an edit once, also where the rounds that told of it go on after a stop", async () => {
    const world = await World.create(rules(rule("a", 500)), { answer: () => ok(poolRecord()) });
    await world.run(MINUTE);
    await edit(world, rules(rule("a", 600)));
    const before = startsIn(world);
    await world.again();
    await world.run(MINUTE);
    expect(startsIn(world)).toEqual(before);
    await world.stop();
  });

  it("tells of an edit that came with the end of one of which nobody was told", async () => {
    const answer = () => ok(poolRecord());
    const world = await World.create(rules(rule("a", 500), rule("b", 500)), { answer });
    await world.run(MINUTE);
    await world.stop();
    const { store, clock } = world;
    const start = clock.now();
    const cutOff = async (yaml: string): Promise<void> =>
      (await World.create(yaml, { store, answer, start })).stop();
    await cutOff(rules(rule("a", 600), rule("b", 500)));
    await cutOff(rules(rule("b", 600)));
    const next = await World.create(rules(rule("b", 600)), { store, answer, start });
    await next.look();
    expect(startsIn(next)).toEqual(["console,slack 🔵 Watching 1 subject with 1 rule; changed: b"]);
    await next.stop();
  });

  it("takes no rule for an edited one that has the name of one which is gone", async () => {
    const answer = () => ok(poolRecord());
    const world = await World.create(rules(rule("a", 500)), { answer });
    await world.run(MINUTE);
    await world.stop();
    const { store, clock } = world;
    const start = clock.now() + MINUTE;
    // Nobody was told of this edit.
    await (await World.create(rules(rule("a", 600)), { store, answer, start })).stop();
    const next = await World.create(rules(rule("b", 500)), { store, answer, start });
    await next.look();
    await edit(next, rules(rule("a", 600)));
    await edit(next, rules(rule("a", 600)));
    expect(startsIn(next)).toEqual([
      "console,slack 🔵 Watching 1 subject with 1 rule; new: b",
      "console,slack 🔵 Watching 1 subject with 1 rule; new: a",
    ]);
    await next.stop();
  });

  it("tells channels together that hear of the same rules, and none that hears of nothing new", async () => {
    const of = (below: number, c = ""): string =>
      rules(rule("a", 500, ", notify: [slack]"), rule("b", below, ", notify: [console, slack]"), c);
    const world = await World.create(of(500), { answer: () => ok(poolRecord()) });
    await world.run(MINUTE);
    await edit(world, of(500, rule("c", 500, ", notify: [slack]")));
    await edit(world, of(600, rule("c", 500, ", notify: [slack]")));
    expect(startsIn(world)).toEqual([
      "slack 🔵 Watching 1 subject with 2 rules; new: a, b",
      "console 🔵 Watching 1 subject with 1 rule; new: b",
      "slack 🔵 Watching 1 subject with 3 rules; new: c",
      "slack 🔵 Watching 1 subject with 3 rules; changed: b",
      "console 🔵 Watching 1 subject with 1 rule; changed: b",
    ]);
    await world.stop();
  });

  it("tells each channel of the rules that it hears of, though others hear of as many", async () => {
    const world = await World.create(
      rules(rule("a", 500, ", notify: [slack]"), rule("b", 500, ", notify: [console]")),
      { answer: () => ok(poolRecord()) },
    );
    await world.run(MINUTE);
    expect(startsIn(world)).toEqual([
      "slack 🔵 Watching 1 subject with 1 rule; new: a",
      "console 🔵 Watching 1 subject with 1 rule; new: b",
    ]);
    await world.stop();
  });

  it("says of what fires and has no data that it has none, and names it", async () => {
    const world = await World.create(rules(rule("a", 1_100)), { answer: () => ok(poolRecord()) });
    await world.run(MINUTE);
    world.answer = () => absent;
    await world.run(10 * MINUTE);
    await edit(world, rules(rule("a", 1_200)));
    expect(world.found()).toBe("1 without data yet");
    expect(world.told.at(-1)?.notice.fields).toContainEqual({
      name: "No data yet",
      value: "0xababab…abab",
    });
    await world.stop();
  });

  it("names what has no data once, of however many rules", async () => {
    const world = await World.create(rules(rule("a", 500), rule("b", 600)), {
      answer: () => absent,
    });
    await world.run(10 * MINUTE);
    expect(world.found()).toBe("2 without data yet");
    const { fields } = world.told.find(({ kind }) => kind === "started")?.notice ?? {};
    expect(fields).toContainEqual({ name: "No data yet", value: "0xababab…abab" });
    await world.stop();
  });

  it.each([
    ["an hourly one", "1h", 600, "1 quiet, 1 not asked yet"],
    ["one that is looked at at once", "1m", 600, "2 quiet"],
    ["an hourly one that fires", "1h", 1_100, "1 firing, 1 quiet"],
  ] as const)(
    "says of an edited rule how it is, or that it waits: %s",
    async (_name, schedule, below, expected) => {
      const of = (limit: number, name: string): string =>
        rules(
          rule("edited", limit, `, title: ${name}, schedule: ${schedule}`),
          rule("other", 500, ", schedule: 1h"),
        );
      const world = await World.create(of(below, "a"), { answer: () => ok(poolRecord()) });
      await world.run(MINUTE);
      await edit(world, of(below, "b"));
      expect(world.found()).toBe(expected);
      await world.stop();
    },
  );
});

describe("the first look of a start", () => {
  /** How often it was asked at once, where the daemon starts anew so long after its first look. */
  async function looks(start: number, after: number, schedule: string): Promise<number> {
    const world = await World.create(rules(rule("a", 500, `, schedule: "${schedule}"`)), {
      start,
      answer: () => ok(poolRecord()),
    });
    await world.run(0);
    await world.stop();
    await world.clock.set(start + after);
    world.asked.length = 0;
    await world.open();
    await world.run(0);
    await world.stop();
    return world.asked.length;
  }

  it("is of what is an interval old, or due at this very moment, and of nothing twice", async () => {
    const half = START + 30 * MINUTE;
    expect(await looks(half, HOUR, "1h")).toBe(1);
    expect(await looks(half, HOUR - 1_000, "1h")).toBe(0);
    expect(await looks(half, 30 * MINUTE, "1h")).toBe(1);
    expect(await looks(START, 0, "1h")).toBe(0);
    expect(await looks(half, 30 * MINUTE, "0 * * * *")).toBe(1);
    expect(await looks(half, 31 * MINUTE, "0 * * * *")).toBe(1);
    expect(await looks(half, 29 * MINUTE, "0 * * * *")).toBe(0);
  });
});
