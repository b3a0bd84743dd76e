import { describe, expect, it } from "vitest";
import type { Answer, Ask } from "../../src/model/index.ts";
import { absent, failed, MINUTE, ok, POOL_ID, poolRecord, START, World } from "../support/world.ts";

const RULE = `
rules:
  - name: tvl
    watch: {kind: v4_pool, chain: 1, pools: [{id: ${POOL_ID}, name: The pool}]}
`;

type Minutes = readonly (number | Answer)[];

/** Answers by minute since the start, the last one going on. */
function tvlBy(minutes: Minutes): (ask: Ask, date: number) => Answer {
  return (_ask, date) => {
    const one = minutes[Math.round((date - START) / MINUTE) - 1] ?? minutes.at(-1) ?? absent;
    return typeof one === "number" ? ok(poolRecord({ tvl_usd: one })) : one;
  };
}

async function storyOf(keys: string, minutes: Minutes, length = minutes.length): Promise<World> {
  const world = await World.create(`${RULE}    ${keys.trim()}\n`, { answer: tvlBy(minutes) });
  await world.minutes(length);
  await world.stop();
  return world;
}

function headlines(world: World): string[] {
  return world.told.map(({ notice }) => notice.headline).filter((text) => !/Watching/.test(text));
}

describe("worse_by", () => {
  const LEVEL = `
    when: {metric: tvl_usd, below: 500}
    worse_by: 100 usd`;

  it("tells each further step from the furthest that was told, exactly reached included", async () => {
    const world = await storyOf(LEVEL, [1000, 450, 351, 350, 300, 250, 480, 251, 150, 1000]);
    expect(world.story()).toEqual(["2 fired", "4 worse", "6 worse", "9 worse", "10 resolved"]);
    expect(headlines(world)[1]).toBe("🟠 Worse: The pool TVL $350, below $500. Ethereum");
  });

  it("of moves goes on from the base that was told, when its window has moved on", async () => {
    const keys = `
    when: {metric: tvl_usd, moves: 10%, within: 2m}
    worse_by: 10%`;
    const world = await storyOf(keys, [1000, 1000, 1000, 900, 880, 790, 700, 690]);
    expect(world.story()).toEqual(["4 fired", "6 worse", "8 worse"]);
  });

  it("of moves is a slide as well that is too slow for its window, as long as nothing has resolved it", async () => {
    const quiet = Array.from({ length: 10 }, () => 1000);
    const slide = Array.from({ length: 21 }, (_, i) => 890 - 10 * i);
    for (const span of ["within", "since"]) {
      const keys = `
    when: {metric: tvl_usd, moves: 10%, ${span}: 5m}
    resolve_when: {metric: tvl_usd, above: 990}`;
      const world = await storyOf(keys, [...quiet, 890, ...slide]);
      expect(world.story()).toEqual(["11 fired", "22 worse", "32 worse"]);
      expect(headlines(world)[2]).toContain("The pool lost $50, now $690");
    }
  });

  it("begins anew with the next firing", async () => {
    const world = await storyOf(LEVEL, [1000, 100, 1000, 450, 340]);
    expect(world.story()).toEqual(["2 fired", "3 resolved", "4 fired", "5 worse"]);
  });

  it("takes percentages as points of the limit", async () => {
    const keys = LEVEL.replace("100 usd", "20%");
    const world = await storyOf(keys, [1000, 450, 351, 350, 250, 1000]);
    expect(world.story()).toEqual(["2 fired", "4 worse", "5 worse", "6 resolved"]);
  });

  it("of outside is measured from the nearer limit", async () => {
    const keys = `
    when: {metric: tvl_usd, outside: [400, 600]}
    worse_by: 100 usd`;
    const world = await storyOf(keys, [500, 650, 749, 340, 250, 500]);
    expect(world.story()).toEqual(["2 fired", "5 worse", "6 resolved"]);
  });

  it("measures what was true when its watch began from what was told then", async () => {
    const world = await storyOf(LEVEL, [450, 360, 350, 1000]);
    expect(world.story()).toEqual(["1 fired", "3 worse", "4 resolved"]);
  });

  it("of all is measured on the first term", async () => {
    const keys = `
    when: {all: [{metric: tvl_usd, below: 500}, {metric: swap_count, at_least: 0}]}
    worse_by: 100 usd`;
    const world = await World.create(`${RULE}${keys}\n`);
    const tvl = [1000, 450, 340];
    world.answer = (_ask, date) =>
      ok(poolRecord({ tvl_usd: tvl[Math.round((date - START) / MINUTE) - 1], swap_count: 5 }));
    await world.minutes(3);
    expect(world.story()).toEqual(["2 fired", "3 worse"]);
    await world.stop();
  });

  it("a window has its own distance without saying so, in points of the base", async () => {
    const quiet = Array.from({ length: 10 }, () => 1000);
    const keys = "when: {metric: tvl_usd, falls: 10%, within: 1h}";
    const world = await storyOf(keys, [...quiet, 900, 900, 801, 801, 800, 800, 700]);
    expect(world.story()).toEqual(["11 fired", "15 worse", "17 worse"]);
    expect(headlines(world)[1]).toMatch(/^🟠 Worse: TVL -20% in 1 h: The pool lost \$200/);
  });

  it("a swing of moves is not, however often and however far it goes", async () => {
    const quiet = Array.from({ length: 10 }, () => 1000);
    const keys = "when: {metric: tvl_usd, moves: 10%, within: 1h}\n    cooldown: 1h";
    const swings = Array.from({ length: 22 }, (_, i) => (i % 2 === 0 ? [900, 900] : [1100, 1100]));
    const world = await storyOf(keys, [...quiet, 1100, 1100, ...swings.flat()]);
    expect(world.story()).toEqual(["11 fired"]);
  });

  it("tells the direction and the number that are further, whatever it did meanwhile", async () => {
    const quiet = Array.from({ length: 10 }, () => 900);
    const keys = "when: {metric: tvl_usd, moves: 100, within: 1h}\n    remind: 10m";
    const after = [1200, 1200, 1000, 1000, 1250, 1299, 1300];
    const world = await storyOf(keys, [...quiet, ...after], 40);
    expect(world.story()).toEqual(["11 fired", "17 worse", "27 reminder", "37 reminder"]);
    expect(headlines(world)[1]).toBe(
      "🟠 Worse: TVL +$400 in 1 h: The pool, limit $100, now $1,300. Ethereum",
    );
  });

  it("of moves goes on in the direction that was told after a reminder on the other side", async () => {
    const quiet = Array.from({ length: 10 }, () => 900);
    const keys = "when: {metric: tvl_usd, moves: 100, within: 1h}\n    remind: 3m";
    const world = await storyOf(keys, [...quiet, 1200, 700, 700, 700, 1300]);
    expect(world.story()).toEqual(["11 fired", "14 reminder", "15 worse"]);
  });

  it("a reminder shows the direction that was told, though the value has gone farther the other way", async () => {
    const quiet = Array.from({ length: 10 }, () => 900);
    const keys = "when: {metric: tvl_usd, moves: 100, within: 1h}\n    remind: 3m";
    const world = await storyOf(keys, [...quiet, 1200, 1200, 1010, 1010]);
    expect(world.story()).toEqual(["11 fired", "14 reminder"]);
    expect(headlines(world)[1]).toMatch(/^🟠 Still: TVL \+\$110 in 1 h: The pool/);
  });

  it("of a change since last from zero is one, however small the number", async () => {
    const keys = "when: {metric: swap_count, moves: 1000%, since: last}\n    resolve_after: 1h";
    const counts = [1, 1, 11, 0, 0, 4];
    const world = await storyOf(
      keys,
      counts.map((swap_count) => ok(poolRecord({ swap_count }))),
    );
    expect(world.story()).toEqual(["3 fired", "6 worse"]);
  });

  it("a resolution says how far it is from where it fired, not from what was told last", async () => {
    const quiet = Array.from({ length: 10 }, () => 1000);
    const keys = "when: {metric: tvl_usd, falls: 10%, within: 5m}";
    const world = await storyOf(keys, [...quiet, 900, 900, 700, 504], 20);
    expect(world.story()).toEqual(["11 fired", "13 worse", "14 worse", "19 resolved"]);
    expect(headlines(world).at(-1)).toBe(
      "⚪ TVL steady at $504: The pool, -44% since it fired. Ethereum",
    );
  });

  const both = (tvl_usd: number | null, current_tick: number): Answer =>
    ok(poolRecord({ tvl_usd, current_tick }));

  it("a resolution compares with no value of another metric, where the first of all has none", async () => {
    const quiet = Array.from({ length: 10 }, () => both(1000, 50));
    const fallen = Array.from({ length: 5 }, () => both(800, 10));
    const keys =
      "when: {all: [{metric: tvl_usd, falls: 10%, within: 5m}, {metric: current_tick, falls: 20, within: 5m}]}";
    const world = await storyOf(keys, [...quiet, ...fallen, both(null, 9)], 20);
    expect(world.story()).toEqual(["11 fired", "16 resolved"]);
    expect(headlines(world).at(-1)).toBe("⚪ Tick now 9: The pool. Fired for 5 min. Ethereum");
  });

  it("nor where another one of any has fired", async () => {
    const quiet = Array.from({ length: 10 }, () => both(1000, 50));
    const keys =
      "when: {any: [{metric: tvl_usd, falls: 10%, within: 5m}, {metric: current_tick, falls: 20, within: 5m}]}";
    const minutes = [...quiet, both(1000, 10), both(1000, 10), both(800, 10)];
    const world = await storyOf(keys, minutes, 25);
    expect(world.story()).toEqual(["11 fired", "18 resolved"]);
    expect(headlines(world)).toEqual([
      expect.stringMatching(/^🟠 Tick -40 ticks in 5 min/),
      "⚪ TVL steady at $800: The pool. Fired for 7 min. Ethereum",
    ]);
  });
});

describe("remind", () => {
  const REMIND = `
    when: {metric: tvl_usd, below: 500}
    remind: [2m, 5m]`;
  const low = (count: number): number[] => Array.from({ length: count }, () => 400);

  it("goes on in its list after a worse one, which the next gap counts from", async () => {
    const keys = `${REMIND}\n    worse_by: 100 usd`;
    const world = await storyOf(keys, [1000, 400, 400, 400, 300], 15);
    expect(world.story()).toEqual([
      "2 fired",
      "4 reminder",
      "5 worse",
      "10 reminder",
      "15 reminder",
    ]);
  });

  it("counts the gaps from what was told last, and the last one goes on", async () => {
    const world = await storyOf(REMIND, [1000, ...low(18), 1000]);
    const told = [
      "2 fired",
      "4 reminder",
      "9 reminder",
      "14 reminder",
      "19 reminder",
      "20 resolved",
    ];
    expect(world.story()).toEqual(told);
    expect(headlines(world)[1]).toBe(
      "🟠 Still: The pool TVL $400, below $500. For 2 min. Ethereum",
    );
  });

  it("is one if several are overdue", async () => {
    const world = await World.create(`${RULE}${REMIND}\n`, { answer: tvlBy([1000, 400]) });
    await world.minutes(2);
    await world.stop();
    await world.clock.advance(60 * MINUTE);
    await world.open();
    await world.minutes(4);
    expect(world.story()).toEqual(["2 fired", "62 reminder"]);
    await world.stop();
  });

  it("goes on in its list after a gap in the data, whose notices the next one counts from", async () => {
    const gap = Array.from({ length: 6 }, () => absent);
    const world = await storyOf(REMIND, [1000, 400, 400, 400, ...gap, 400], 20);
    expect(world.story()).toEqual([
      "2 fired",
      "4 reminder",
      "9 no_data",
      "11 data_back",
      "16 reminder",
    ]);
  });

  it("comes not while recovering, and not in a round that knows nothing", async () => {
    const keys = `${REMIND}
    resolve_after: 3m`;
    const world = await storyOf(keys, [1000, 400, 400, 1000, 1000, 400, absent, 400]);
    expect(world.story()).toEqual(["2 fired", "6 reminder"]);
    const gap = await storyOf(REMIND, [1000, 400, 400, absent, absent, 400]);
    expect(gap.story()).toEqual(["2 fired", "6 reminder"]);
  });

  it("is beaten by worse at the same time, and counts from it", async () => {
    const keys = `${REMIND}
    worse_by: 100 usd`;
    const world = await storyOf(keys, [1000, 400, 400, 300, 300, 300, 300]);
    expect(world.story()).toEqual(["2 fired", "4 worse", "6 reminder"]);
  });
});

describe("cooldown", () => {
  const COOL = `
    when: {metric: tvl_usd, below: 500}
    cooldown: 5m`;

  it("holds fired back until it is over, and counts what came and went", async () => {
    const world = await storyOf(COOL, [1000, 400, 1000, 400, 1000, 400, 400, 400, 1000]);
    expect(world.story()).toEqual(["2 fired", "3 resolved", "7 fired", "9 resolved"]);
    expect(world.told[3]?.notice.fields).toContainEqual({
      name: "Held back",
      value: "1 firing before, since 2026-11-28 12:04 UTC",
    });
    expect(headlines(world)[2]).toContain("Since 1 min");
  });

  it("counts all of them from the first on", async () => {
    const keys = COOL.replace("5m", "7m");
    const world = await storyOf(keys, [1000, 400, 1000, 400, 1000, 400, 1000, 1000, 400]);
    expect(world.story()).toEqual(["2 fired", "3 resolved", "9 fired"]);
    expect(world.told.at(-1)?.notice.fields).toContainEqual({
      name: "Held back",
      value: "2 firings before, since 2026-11-28 12:04 UTC",
    });
  });

  it("says nothing of what came and went", async () => {
    const world = await storyOf(COOL, [1000, 400, 1000, 400, 1000, 1000, 1000, 1000]);
    expect(world.story()).toEqual(["2 fired", "3 resolved"]);
  });

  it("of events ends in a round with values", async () => {
    const keys = `
    when: {metric: tvl_usd, changes: true}
    cooldown: 3m`;
    const world = await storyOf(keys, [1, 2, 3, 3, absent, absent, 3]);
    expect(world.story()).toEqual(["2 changed", "7 changed"]);
  });

  it("of events sends one with how many, from the first to the last", async () => {
    const keys = `
    when: {metric: tvl_usd, changes: true}
    cooldown: 4m`;
    const world = await storyOf(keys, [1, 2, 2, 3, 4, 4, 4, 4, 4, 4, 5]);
    expect(world.story()).toEqual(["2 changed", "6 changed", "11 changed"]);
    const [, , held] = world.told;
    expect(held?.notice.headline).toBe(
      "🟠 TVL changed: The pool. $2 → $4. 2 times in 2 min. Ethereum",
    );
    expect(held?.notice.fields).toContainEqual({
      name: "Held back",
      value: "2 times in all, the first at 2026-11-28 12:04 UTC: $3",
    });
  });
});

describe("once", () => {
  const ONCE = `
    when: {metric: tvl_usd, below: 500}
    once: true`;

  it("has completed after its fired and resolved, and says no more until it is edited", async () => {
    const gap = Array.from({ length: 8 }, () => absent);
    const world = await World.create(`${RULE}${ONCE}\n`, {
      answer: tvlBy([1000, 400, 1000, 400, ...gap, 400]),
    });
    await world.minutes(13);
    expect(world.story()).toEqual(["2 fired", "3 resolved"]);
    await world.restart();
    await world.minutes(1);
    expect(world.story()).toHaveLength(2);
    await world.restart(`${RULE}${ONCE.replace("500", "501")}\n`);
    await world.restart();
    await world.minutes(2);
    expect(world.story().slice(2)).toEqual(["15 fired"]);
    await world.stop();
  });

  it("has completed by what was true when its watch began", async () => {
    const world = await storyOf(ONCE, [400, 1000, 400, 1000, 400]);
    expect(world.story()).toEqual(["1 fired", "2 resolved"]);
  });

  it("of an event has completed after the first", async () => {
    const keys = `
    when: {metric: tvl_usd, changes: true}
    once: true`;
    const world = await storyOf(keys, [1, 2, 3, 4]);
    expect(world.story()).toEqual(["2 changed"]);
  });
});

describe("on_missing: fire", () => {
  const FIRE = `
    when: {metric: tvl_usd, below: 500}
    resolve_after: 3m
    on_missing: fire`;
  const gap = (count: number): Answer[] => Array.from({ length: count }, () => absent);

  it("fires in place of no_data, and a known false resolves it at once", async () => {
    const world = await storyOf(FIRE, [1000, 1000, ...gap(7), 1000]);
    expect(world.story()).toEqual(["7 fired", "10 resolved"]);
    expect(headlines(world)[0]).toBe("🟠 No data 5 min: The pool. Fires for that");
  });

  it("goes on firing when the condition turns out to be true", async () => {
    const world = await storyOf(FIRE, [1000, 1000, ...gap(7), 400, 1000, 1000, 1000, 1000]);
    expect(world.story()).toEqual(["7 fired", "10 data_back", "14 resolved"]);
  });

  it("goes on firing, and gets worse from the first value on that it has", async () => {
    const keys = `${FIRE}\n    worse_by: 100 usd`;
    const world = await storyOf(keys, [1000, 1000, ...gap(7), 400, 301, 300]);
    expect(world.story()).toEqual(["7 fired", "10 data_back", "12 worse"]);
  });

  it("of an alert that fires already tells no data as usual", async () => {
    const world = await storyOf(FIRE, [1000, 400, ...gap(7), 400]);
    expect(world.story()).toEqual(["2 fired", "7 no_data", "10 data_back"]);
  });

  it("fires also where the request fails while others are answered", async () => {
    const other = `0x${"cd".repeat(32)}`;
    const yaml = `${RULE}${FIRE}\n`.replace("pools: [", `pools: [${other}, `);
    const world = await World.create(yaml);
    world.answer = ({ id }, date) =>
      id === POOL_ID && date > START + 2 * MINUTE && date < START + 10 * MINUTE
        ? failed
        : ok(poolRecord({ pool_id: id, tvl_usd: 1000 }));
    await world.minutes(10);
    expect(world.story()).toEqual(["7 fired", "10 resolved"]);
    await world.stop();
  });

  describe("while a rule of unless fires", () => {
    const busy = `0x${"cd".repeat(32)}`;
    const held = `${RULE}${FIRE}
    unless: busy
  - name: busy
    watch: {kind: v4_pool, chain: 1, pools: [${busy}]}
    when: {metric: tvl_usd, below: 500}
    notify: []
`;
    /** `quiet`: the first and the last of the minutes in which notices wait. */
    async function heldStory(minutes: Minutes, quiet: [number, number]): Promise<World> {
      const world = await World.create(held);
      const tvl = tvlBy(minutes);
      world.answer = (ask, date) => {
        if (ask.id !== busy) return tvl(ask, date);
        const minute = Math.round((date - START) / MINUTE);
        const tvl_usd = minute >= quiet[0] && minute <= quiet[1] ? 1 : 1000;
        return ok(poolRecord({ pool_id: busy, tvl_usd }));
      };
      await world.minutes(minutes.length);
      await world.stop();
      return world;
    }

    it("waits with it, and tells it then, though there is still no data", async () => {
      const world = await heldStory([1000, 1000, ...gap(8), 1000], [5, 8]);
      expect(world.story()).toEqual(["9 fired", "11 resolved"]);
    });

    it("tells then that data is back, where it goes on firing", async () => {
      const world = await heldStory([1000, 1000, ...gap(7), 400, 400, 400, 400], [9, 11]);
      expect(world.story()).toEqual(["7 fired", "12 data_back"]);
    });

    it("tells then both, where it has ended meanwhile", async () => {
      const minutes = [1000, 1000, ...gap(7), 400, 1000, 1000, 1000, 1000, 1000, 1000];
      const world = await heldStory(minutes, [9, 15]);
      expect(world.story()).toEqual(["7 fired", "16 data_back", "16 resolved"]);
    });

    it("does not fire for a gap that has only begun when it was told of an earlier one", async () => {
      const minutes = [1000, 400, ...gap(7), 1000, 1000, 1000, 1000, ...gap(2), 1000];
      const world = await heldStory(minutes, [9, 13]);
      expect(world.story()).toEqual(["2 fired", "7 no_data", "16 data_back", "16 resolved"]);
    });

    it("tells nothing of data that was back for a moment, and its return once", async () => {
      const minutes = [1000, 1000, ...gap(7), 400, ...gap(7), 400];
      const world = await heldStory(minutes, [9, 16]);
      expect(world.story()).toEqual(["7 fired", "18 data_back"]);
    });
  });

  it("says nothing of a source that is down but that it is", async () => {
    const world = await World.create(`${RULE}${FIRE}\n`);
    world.answer = (_ask, date) =>
      date > START + 2 * MINUTE && date < START + 10 * MINUTE
        ? failed
        : ok(poolRecord({ tvl_usd: 1000 }));
    await world.minutes(10);
    expect(world.story()).toEqual(["7 source_down", "10 source_up"]);
    await world.stop();
  });
});
