import { describe, expect, it } from "vitest";
import type { Answer, Ask } from "../../src/model/index.ts";
import { absent, failed, MINUTE, ok, POOL_ID, poolRecord, START, World } from "../support/world.ts";

const OTHER = `0x${"cd".repeat(32)}`;

const rule = (name: string, pool: string, below: number, more = ""): string => `
  - name: ${name}
    watch: {kind: v4_pool, chain: 1, pools: [{id: ${pool}, name: ${name}}]}
    when: {metric: tvl_usd, below: ${below}}
${more}`;

/** A gate on one pool and a rule behind it on the other one of the same chain. */
const GATED = `rules:
${rule("gated", POOL_ID, 500, "    only_while: [gate]\n    for: 2m")}
${rule("gate", OTHER, 500, "    notify: []")}
`;

type Line = string;

/** A line for each pool: `-` is low, `+` is fine, `0` is absent, `x` fails; by minute. */
function answers(pool: Line, other: Line): (ask: Ask, date: number) => Answer {
  return ({ id }, date) => {
    const line = id === POOL_ID ? pool : other;
    const minute = Math.round((date - START) / MINUTE) - 1;
    const sign = line[minute] ?? line.at(-1);
    if (sign === "0") return absent;
    if (sign === "x") return failed;
    return ok(poolRecord({ pool_id: id, tvl_usd: sign === "-" ? 400 : 1000 }));
  };
}

async function worldOf(yaml: string, pool: Line, other: Line): Promise<World> {
  const world = await World.create(yaml, { answer: answers(pool, other) });
  await world.minutes(Math.max(pool.length, other.length));
  return world;
}

async function storyOf(yaml: string, pool: Line, other: Line): Promise<string[]> {
  const world = await worldOf(yaml, pool, other);
  await world.stop();
  return world.story();
}

describe("only_while", () => {
  it("fires only while the gate fires, and in the same round in which it opens", async () => {
    expect(await storyOf(GATED, "+-------", "+++++---")).toEqual(["6 fired"]);
  });

  it("lets for run on the condition alone", async () => {
    expect(await storyOf(GATED, "+++--", "+----")).toEqual([]);
    expect(await storyOf(GATED, "+++---", "+-----")).toEqual(["6 fired"]);
  });

  it("resolves at once when the gate closes, saying that the condition still holds", async () => {
    const world = await worldOf(GATED, "+----------", "+----++-++-");
    expect(world.story()).toEqual(["4 fired", "6 resolved", "8 fired", "9 resolved", "11 fired"]);
    const resolved = world.told.find(({ kind }) => kind === "resolved");
    expect(resolved?.notice.headline).toBe(
      "⚪ Gate gate closed: gated. The condition still holds. Fired for 2 min",
    );
    await world.stop();
  });

  it("counts for anew if the condition was over for a moment while it fired", async () => {
    const yaml = GATED.replace("for: 2m", "for: 2m\n    resolve_after: 5m");
    // Over at 5, true again from 6 on; the gate is closed at 7 and open from 8.
    expect(await storyOf(yaml, "+---+-----", "+-----+---")).toEqual([
      "4 fired",
      "7 resolved",
      "8 fired",
    ]);
    expect(await storyOf(yaml, "+---+-----", "+----+----")).toEqual([
      "4 fired",
      "6 resolved",
      "8 fired",
    ]);
  });

  it("does not let a start fire what the gate keeps from firing", async () => {
    const world = await worldOf(GATED, "----", "++--");
    expect(world.told.map(({ minute, kind }) => `${minute} ${kind}`)).toEqual([
      "1 started",
      "3 fired",
    ]);
    await world.stop();
  });

  it("a gate without data counts with its last state", async () => {
    expect(await storyOf(GATED, "+++++++++++---", "+--0000000000000")).toEqual(["14 fired"]);
  });

  it("waits for a gate that answers late in the same round, and no longer than the poll", async () => {
    const world = await World.create(GATED);
    const say = answers("+----", "++---");
    let release = (): void => {};
    world.answer = async (ask, date) => {
      if (ask.id === OTHER && date === START + 4 * MINUTE) {
        await new Promise<void>((resolve) => {
          release = resolve;
        });
      }
      return say(ask, date);
    };
    await world.minutes(3);
    await world.pass(MINUTE);
    expect(world.story()).toEqual([]);
    release();
    await world.minutes(1);
    expect(world.story()).toEqual(["4 fired"]);
    await world.stop();
  });

  it("a gate whose poll fails counts as it was, in the same round", async () => {
    expect(await storyOf(GATED, "+-----", "+--xxx")).toEqual(["4 fired"]);
  });

  it("an alert of its own subject comes before those of the chain", async () => {
    const yaml = `rules:
${rule("gated", POOL_ID, 500, "    only_while: [gate]")}
  - name: gate
    watch: {kind: v4_pool, chain: 1, pools: [${POOL_ID}, ${OTHER}]}
    when: {metric: tvl_usd, below: 450}
    notify: []
`;
    const world = await World.create(yaml);
    const values = [1000, 460, 440];
    world.answer = ({ id }, date) => {
      const tvl = id === OTHER ? 100 : values[Math.round((date - START) / MINUTE) - 1];
      return ok(poolRecord({ pool_id: id, tvl_usd: tvl }));
    };
    await world.minutes(3);
    expect(world.story()).toEqual(["3 fired"]);
    await world.stop();
  });

  it("closed for events keeps them unsent, and their memory moves on", async () => {
    const yaml = GATED.replace(
      "when: {metric: tvl_usd, below: 500}",
      "when: {metric: tvl_usd, changes: true}",
    ).replace("    for: 2m\n", "\n");
    expect(await storyOf(yaml, "+--+++", "++++-----")).toEqual([]);
    expect(await storyOf(yaml, "+--+-+", "+++++---")).toEqual(["6 changed"]);
  });

  it("of subjects that are gates for each other is right in the same round", async () => {
    const yaml = `rules:
${rule("a", POOL_ID, 500, "    notify: []")}
${rule("b", OTHER, 500, "    notify: []")}
${rule("x", POOL_ID, 500, "    only_while: [b]\n    any_chain: true")}
${rule("y", OTHER, 500, "    only_while: [a]\n    any_chain: true")}
`;
    const world = await worldOf(yaml, "++-+", "++-+");
    const told = world.told.filter(({ kind }) => kind !== "started");
    expect(
      told.map(({ minute, kind, notice }) => `${minute} ${kind} ${notice.rule}`).toSorted(),
    ).toEqual(["3 fired x", "3 fired y", "4 resolved x", "4 resolved y"]);
    await world.stop();
  });
});

describe("unless", () => {
  const HELD = GATED.replace("only_while: [gate]\n    for: 2m", "unless: [gate]");

  it("holds notices back, and then tells the difference", async () => {
    expect(await storyOf(HELD, "+-------", "++++++++")).toEqual(["2 fired"]);
    expect(await storyOf(HELD, "++------", "+-----++")).toEqual(["7 fired"]);
    // It came and went.
    expect(await storyOf(HELD, "++--++++", "+-----++")).toEqual([]);
    // It ended meanwhile.
    expect(await storyOf(HELD, "+---++++", "+++---++")).toEqual(["2 fired", "7 resolved"]);
    // It ended and began anew: people believe what is.
    expect(await storyOf(HELD, "+---++--", "+++---++")).toEqual(["2 fired"]);
  });

  it("tells when it really fired", async () => {
    const world = await worldOf(HELD, "++------", "+-----++");
    const fired = world.told.find(({ kind }) => kind === "fired");
    expect(fired?.notice.headline).toBe("🟠 gated TVL $400, below $500. Since 4 min. Ethereum");
    expect(fired?.notice.fields).toContainEqual({ name: "Since", value: "2026-11-28 12:03 UTC" });
    await world.stop();
  });

  it("holds no data and its end back in the same way", async () => {
    const gap = "0".repeat(10);
    expect(await storyOf(HELD, `++${gap}+++`, `+${"-".repeat(10)}++++`)).toEqual([
      "12 no_data",
      "13 data_back",
    ]);
    expect(await storyOf(HELD, `++${gap}+++`, `+${"-".repeat(12)}+`)).toEqual([]);
    expect(await storyOf(HELD, `++${gap}+++++`, `${"+".repeat(8)}${"-".repeat(7)}+`)).toEqual([
      "7 no_data",
      "16 data_back",
    ]);
  });

  it("of events sends one with how many, the first and the last value", async () => {
    const yaml = HELD.replace(
      "when: {metric: tvl_usd, below: 500}",
      "when: {metric: tvl_usd, changes: true}",
    );
    const world = await worldOf(yaml, "++-+-++", "++----+");
    expect(world.story()).toEqual(["7 changed"]);
    expect(world.told.at(-1)?.notice.headline).toBe(
      "🟠 TVL changed: gated. $1,000 → $1,000. 4 times in 4 min. Ethereum",
    );
    await world.stop();
  });

  it("counts nothing in a later notice of what came and went", async () => {
    const world = await worldOf(HELD, "++--++-+", "+----+++");
    await world.stop();
    expect(world.story()).toEqual(["7 fired", "8 resolved"]);
    const fired = world.told.find(({ kind }) => kind === "fired");
    expect(fired?.notice.fields.map(({ name }) => name)).not.toContain("Held back");
  });

  it("is kept quiet by a gate that fires for want of data", async () => {
    const firing = HELD.replace("notify: []", "notify: []\n    on_missing: fire");
    const story = await storyOf(
      firing,
      `${"+".repeat(8)}${"-".repeat(6)}`,
      `++${"0".repeat(10)}++`,
    );
    expect(story).toEqual(["13 fired"]);
  });

  it("is not kept quiet by a gate that has had no data for long", async () => {
    const gap = "0".repeat(12);
    const story = await storyOf(HELD, "++++--------------", `+--${gap}`);
    expect(story).toEqual(["8 fired"]);
  });
});
