import { describe, expect, it } from "vitest";
import type { Answer, Ask } from "../../src/model/index.ts";
import { failed, MINUTE, ok, poolRecord, START, World } from "../support/world.ts";

const idOf = (index: number): string => `0x${index.toString(16).padStart(64, "0")}`;

/** In each round one of them is answered first, the next once a slice was committed, the last after another one. */
const [EARLY, LATE, LATER] = [idOf(1), idOf(2), idOf(3)];
/** More than a slice holds; all of them are answered at once. */
const OTHERS = Array.from({ length: 1_001 }, (_, i) => idOf(100 + i));
const CROWD = rule("crowd", OTHERS, "below: 10");

function rule(name: string, pools: readonly string[], when: string, more = ""): string {
  return `
  - name: ${name}
    watch: {kind: v4_pool, chain: 1, pools: [${pools.join(", ")}]}
    when: {metric: tvl_usd, ${when}}
    ${more}`;
}

function reference(pools: readonly string[], more = ""): string {
  return `
references:
  known:
    watch: {kind: v4_pool, chain: 1, pools: [${pools.join(", ")}]}
    metric: tvl_usd
    ${more}`;
}

/** What pools are worth in hundreds, minute by minute and then for good, 9 unless told; `x`: the request fails. */
type Worth = Readonly<Record<string, string>>;

function answerOf(worth: Worth): (ask: Ask, date: number) => Answer {
  return ({ id }, date) => {
    const line = worth[id] ?? "9";
    const sign = line[Math.round((date - START) / MINUTE) - 1] ?? line.at(-1);
    if (sign === "x") return failed;
    return ok(poolRecord({ pool_id: id, tvl_usd: 100 * Number(sign) }));
  };
}

async function worldOf(yaml: string, worth: Worth): Promise<World> {
  const world = await World.create(yaml);
  world.perRequest = 1;
  const say = answerOf(worth);
  const held: (() => void)[] = [];
  world.onDecided = () => held.shift()?.();
  world.answer = async (ask, date) => {
    if (ask.id === LATE || ask.id === LATER) {
      await new Promise<void>((resolve) => {
        held.push(resolve);
      });
    }
    return say(ask, date);
  };
  return world;
}

/** What is told by minute, kind and rule. */
async function storyOf(yaml: string, worth: Worth): Promise<string[]> {
  const world = await worldOf(yaml, worth);
  await world.minutes(Math.max(...Object.values(worth).map(({ length }) => length)));
  await world.stop();
  return world.told
    .filter(({ kind }) => kind !== "started")
    .map(({ minute, kind, notice }) => `${minute} ${kind} ${notice.rule}`);
}

const GATE = rule("gate", [LATE], "below: 500", "notify: []");
const GATED = `rules:${rule("gated", [EARLY], "below: 500", "only_while: [gate]")}`;

describe("what is answered slices later than those that depend on it", () => {
  it("is a gate for the alerts of its own round", async () => {
    const worth = { [EARLY]: "9444449", [LATE]: "9944994" };
    expect(await storyOf(GATED + CROWD + GATE, worth)).toEqual([
      "3 fired gated",
      "5 resolved gated",
    ]);
  });

  it("holds back the notices of its own round", async () => {
    const held = `rules:${rule("held", [EARLY], "below: 500", "unless: [gate]")}${CROWD}${GATE}`;
    expect(await storyOf(held, { [EARLY]: "99444", [LATE]: "99449" })).toEqual(["5 fired held"]);
    expect(await storyOf(held, { [EARLY]: "99499", [LATE]: "99499" })).toEqual([]);
  });

  it("is a gate after its own gate, which comes later still", async () => {
    const gate = rule("gate", [LATE], "below: 500", "notify: []\n    only_while: [outer]");
    const outer = rule("outer", [LATER], "below: 500", "notify: []");
    const worth = { [EARLY]: "4", [LATE]: "4", [LATER]: "99449" };
    expect(await storyOf(GATED + CROWD + gate + outer, worth)).toEqual([
      "3 fired gated",
      "5 resolved gated",
    ]);
  });

  it("is one of several alerts of a gate, each of which can open it", async () => {
    const gate = rule("gate", [LATE, LATER], "below: 500", "notify: []");
    const worth = { [EARLY]: "4", [LATE]: "9", [LATER]: "99449" };
    expect(await storyOf(GATED + CROWD + gate, worth)).toEqual([
      "3 fired gated",
      "5 resolved gated",
    ]);
  });

  it("is a gate over several pools together once the last of them is there", async () => {
    const gate = rule("gate", [LATE, LATER], "below: 800", "notify: []\n    across: sum");
    const worth = { [EARLY]: "4", [LATE]: "66566", [LATER]: "32222" };
    expect(await storyOf(GATED + CROWD + gate, worth)).toEqual([
      "3 fired gated",
      "4 resolved gated",
    ]);
  });

  it("counts as it was for the same round where it fails as a gate", async () => {
    const worth = { [EARLY]: "9994", [LATE]: "94xx" };
    expect(await storyOf(GATED + CROWD + GATE, worth)).toEqual(["4 fired gated"]);
  });

  it("is what alerts of its own round are compared with", async () => {
    const compared = rule("compared", [EARLY], "below: 100% of known");
    const worth = { [EARLY]: "5", [LATE]: "44664" };
    expect(await storyOf(`${reference([LATE])}\nrules:${compared}${CROWD}`, worth)).toEqual([
      "3 fired compared",
      "5 resolved compared",
    ]);
  });

  it("is compared with as one sum, never as a part of it", async () => {
    const compared = rule("compared", [EARLY], "not_equals: known");
    const sum = reference([LATE, LATER], "across: sum");
    const worth = { [EARLY]: "5", [LATE]: "32142", [LATER]: "23413" };
    expect(await storyOf(`${sum}\nrules:${compared}${CROWD}`, worth)).toEqual([]);
    const other = { ...worth, [LATER]: "23513" };
    expect(await storyOf(`${sum}\nrules:${compared}${CROWD}`, other)).toEqual([
      "3 fired compared",
      "4 resolved compared",
    ]);
  });

  it("is what a gate is compared with before that counts for others", async () => {
    const gate = rule("gate", [EARLY], "below: 100% of known", "notify: []");
    const gated = rule("gated", [OTHERS[0] ?? ""], "below: 500", "only_while: [gate]");
    const worth = { [EARLY]: "5", [OTHERS[0] ?? ""]: "4", [LATE]: "44664" };
    expect(await storyOf(`${reference([LATE])}\nrules:${gated}${gate}${CROWD}`, worth)).toEqual([
      "3 fired gated",
      "5 resolved gated",
    ]);
  });

  it("is added to the sum of its own round", async () => {
    const sum = rule("sum", [EARLY, LATE, LATER], "below: 1_400", "across: sum");
    const worth = { [EARLY]: "6", [LATE]: "66565", [LATER]: "22223" };
    expect(await storyOf(`rules:${sum}${CROWD}`, worth)).toEqual(["3 fired sum", "4 resolved sum"]);
  });

  it("keeps no alert waiting that does not depend on it", async () => {
    // The alert's own pool is the gate that counts: where it waited the other one would never be answered.
    const gate = rule("gate", [EARLY, LATE], "below: 500", "notify: []");
    expect(await storyOf(GATED + gate, { [EARLY]: "94" })).toEqual(["2 fired gated"]);
  });

  it("keeps nobody waiting for a gate that is not due", async () => {
    const gate = rule("gate", [LATE], "below: 500", "notify: []\n    schedule: 10m");
    const slow = rule("slow", [LATER], "below: 500");
    const world = await World.create(GATED + gate + slow);
    world.perRequest = 1;
    const say = answerOf({ [EARLY]: "94", [LATE]: "4", [LATER]: "94" });
    world.answer = say;
    await world.minutes(1);
    // It is answered once another one is decided, before its request is given up.
    const decided = new Promise<void>((resolve) => {
      world.onDecided = () => resolve();
    });
    world.answer = async (ask, date) => {
      if (ask.id === LATER) await decided;
      return say(ask, date);
    };
    await world.minutes(1);
    expect(world.story()).toEqual(["2 fired", "2 fired"]);
    await world.stop();
  });

  it.each([
    ["gate", GATED + GATE, { [EARLY]: "94", [LATE]: "49" }],
    [
      "reference",
      `${reference([LATE])}\nrules:${rule("compared", [EARLY], "below: 100% of known")}`,
      { [EARLY]: "54", [LATE]: "53" },
    ],
  ])(
    "and cut off as a %s by a stop leaves what depends on it to the next start",
    async (_, yaml, worth) => {
      const world = await World.create(yaml, { answer: answerOf(worth) });
      world.perRequest = 1;
      await world.minutes(1);
      await world.stopBefore(LATE);
      await world.open();
      await world.minutes(1);
      expect(world.story()).toEqual([]);
      await world.stop();
    },
  );
});

describe("alerts that wait for each other", () => {
  it("are decided after the last answer, before those that wait for them", async () => {
    const [one, other, behind] = [idOf(4), idOf(5), OTHERS[0] ?? ""];
    const crowd = rule("behind", OTHERS, "below: 500", "only_while: [x]");
    const gates = rule("a", [one], "below: 500") + rule("b", [other], "below: 500");
    const x = rule("x", [one], "below: 500", "only_while: [b]");
    const y = rule("y", [other], "below: 500", "only_while: [a]");
    const worth = { [one]: "94494", [other]: "94449", [behind]: "4" };
    const story = await storyOf(`rules:${crowd}${gates}${x}${y}`, worth);
    expect(story.filter((told) => told.endsWith(" behind"))).toEqual([
      "2 fired behind",
      "4 resolved behind",
    ]);
    expect(story.filter((told) => /[xy]$/.test(told)).toSorted()).toEqual([
      "2 fired x",
      "2 fired y",
      "4 resolved x",
      "4 resolved y",
    ]);
  });
});
