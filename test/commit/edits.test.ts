import { describe, expect, it } from "vitest";
import { type Alert, type Answer, type Ask, NO_CHANGE } from "../../src/model/index.ts";
import { absent, MINUTE, ok, POOL_ID, poolRecord, START, World } from "../support/world.ts";

const HEAD = `
rules:
  - name: tvl
    watch: {kind: v4_pool, chain: 1, pools: [{id: ${POOL_ID}, name: The pool}]}
`;

const GATE_POOL = `0x${"cd".repeat(32)}`;

type Minutes = readonly (number | Answer)[];

function tvlBy(minutes: Minutes): (ask: Ask, date: number) => Answer {
  return (_ask, date) => {
    const one = minutes[Math.round((date - START) / MINUTE) - 1] ?? minutes.at(-1) ?? absent;
    return typeof one === "number" ? ok(poolRecord({ tvl_usd: one })) : one;
  };
}

/** Lives through the minutes under one wording after the other, each with so many of them. */
async function edited(
  minutes: Minutes,
  ...wordings: readonly (readonly [keys: string, count: number])[]
): Promise<World> {
  const [first] = wordings;
  const world = await World.create(`${HEAD}    ${first?.[0]}\n`, { answer: tvlBy(minutes) });
  for (const [index, [keys, count]] of wordings.entries()) {
    if (index > 0) await world.restart(`${HEAD}    ${keys}\n`);
    await world.minutes(count);
  }
  await world.stop();
  return world;
}

const ABOVE = "when: {metric: tvl_usd, above: 100}";

describe("what people were told outlives an edit of the rule", () => {
  it("the furthest for worse, whatever else is edited", async () => {
    const world = await edited(
      [100, 110, 119, 121],
      [`${ABOVE}\n    worse_by: 10`, 2],
      [`${ABOVE}\n    worse_by: 10\n    severity: critical`, 2],
    );
    expect(world.story()).toEqual(["2 fired", "4 worse"]);
    expect(world.told.at(-1)?.notice.headline).toMatch(/^🔴 Worse: The pool TVL \$121/);
  });

  it("to those who heard of a firing, who hear of its end and nobody else does", async () => {
    const world = await edited(
      [100, 110, 110, 90, 110],
      [`${ABOVE}\n    notify: [slack]`, 2],
      [`${ABOVE}\n    notify: [console]`, 3],
    );
    const told = world.told.filter(({ kind }) => kind !== "started");
    expect(told.map(({ minute, kind, channels }) => `${minute} ${kind} ${channels}`)).toEqual([
      "2 fired slack",
      "4 resolved slack",
      "5 fired console",
    ]);
  });

  it("and to those who were only reminded of it, beside them", async () => {
    const world = await edited(
      [100, 110, 110, 110, 90],
      [`${ABOVE}\n    remind: 2m\n    notify: [slack]`, 2],
      [`${ABOVE}\n    remind: 2m\n    notify: [console]`, 3],
    );
    const told = world.told.filter(({ kind }) => kind !== "started");
    expect(told.map(({ minute, kind, channels }) => `${minute} ${kind} ${channels}`)).toEqual([
      "2 fired slack",
      "4 reminder console",
      "5 resolved slack,console",
    ]);
  });

  it("but not its value, where the rule is on another metric now", async () => {
    const at = (tvl_usd: number, current_tick: number): Answer =>
      ok(poolRecord({ tvl_usd, current_tick }));
    const world = await edited(
      [at(1000, 50), at(1000, 50), at(800, 50), at(800, 10)],
      [
        "when: {all: [{metric: tvl_usd, falls: 10%, within: 3m}, {metric: current_tick, above: 0}]}",
        4,
      ],
      ["when: {metric: current_tick, falls: 20, within: 3m}", 9],
    );
    expect(world.story()).toEqual(["3 fired", "7 resolved"]);
    expect(world.told.map(({ notice }) => notice.headline).at(-1)).toBe(
      "⚪ Tick steady at 10: The pool. Fired for 4 min. Ethereum",
    );
  });

  it("and with another distance, or another kind of distance", async () => {
    const farther = await edited(
      [100, 110, 121, 129, 130],
      [`${ABOVE}\n    worse_by: 10`, 2],
      [`${ABOVE}\n    worse_by: 20`, 3],
    );
    expect(farther.story()).toEqual(["2 fired", "5 worse"]);
    const percent = await edited(
      [100, 110, 119, 120],
      [`${ABOVE}\n    worse_by: 50`, 2],
      [`${ABOVE}\n    worse_by: 10%`, 2],
    );
    expect(percent.story()).toEqual(["2 fired", "4 worse"]);
  });

  it("and where a fall has become a level, which goes one way only", async () => {
    const world = await edited(
      [100, 100, 80, 71, 70],
      ["when: {metric: tvl_usd, falls: 10, within: 5m}", 3],
      ["when: {metric: tvl_usd, below: 90}\n    worse_by: 10", 2],
    );
    expect(world.story()).toEqual(["3 fired", "5 worse"]);
  });

  it("and where worse_by is new", async () => {
    const world = await edited([100, 110, 119, 120], [ABOVE, 2], [`${ABOVE}\n    worse_by: 10`, 2]);
    expect(world.story()).toEqual(["2 fired", "4 worse"]);
  });

  it("but of another metric nothing was told that could be further", async () => {
    const world = await edited(
      [100, 110, 110, 110],
      [`${ABOVE}\n    worse_by: 10`, 2],
      ["when: {metric: price, above: 100}\n    worse_by: 10", 2],
    );
    expect(world.story()).toEqual(["2 fired"]);
  });

  it("a change is measured from the base that was told", async () => {
    const quiet = Array.from({ length: 10 }, () => 1000);
    const keys = "when: {metric: tvl_usd, moves: 10%, within: 1h}";
    const world = await edited(
      [...quiet, 900, 900, 801, 800],
      [keys, 11],
      [`${keys}\n    severity: info`, 3],
    );
    expect(world.story()).toEqual(["11 fired", "14 worse"]);
  });

  it("but that it fell is nothing that a rise could be further than", async () => {
    const quiet = Array.from({ length: 10 }, () => 1000);
    const keys = (op: string): string => `when: {metric: tvl_usd, ${op}: 10%, within: 1h}`;
    const minutes = [...quiet, 800, 800, 900, 979, 980];
    const world = await edited(minutes, [keys("moves"), 12], [keys("rises"), 3]);
    expect(world.story()).toEqual(["11 fired", "15 worse"]);
    expect(world.told.at(-1)?.notice.headline).toMatch(/^🟠 Worse: TVL \+23% in 1 h/);
  });

  it("but not which of any it fired for, where that is another one now", async () => {
    const of = (tvl_usd: number, current_tick: number): Answer =>
      ok(poolRecord({ tvl_usd, current_tick }));
    const low = (limit: number): string => `{metric: tvl_usd, below: ${limit}}`;
    const high = (limit: number): string => `{metric: current_tick, above: ${limit}}`;
    const world = await edited(
      [of(1000, 10), of(1000, 70), of(1000, 70)],
      [`when: {any: [${low(500)}, ${high(50)}]}`, 2],
      [`when: {any: [${high(90)}, ${low(500)}]}`, 1],
    );
    expect(world.story()).toEqual(["2 fired", "3 resolved"]);
    expect(world.told.at(-1)?.notice.headline).toMatch(/Tick/i);
  });

  it("that it has no data, which is a firing as soon as the rule says so", async () => {
    const gap = [...Array.from({ length: 9 }, () => absent), 90];
    const story = [
      [ABOVE, 7],
      [`${ABOVE}\n    on_missing: fire`, 4],
    ] as const;
    const world = await edited([90, ...gap], ...story);
    expect(world.story()).toEqual(["6 no_data", "8 fired", "11 resolved"]);
  });

  it("the last changed, for a cooldown that is new", async () => {
    const changes = "when: {metric: tvl_usd, changes: true}";
    const world = await edited(
      [1, 2, 3, 3, 3, 3, 3, 3],
      [changes, 2],
      [`${changes}\n    cooldown: 5m`, 6],
    );
    expect(world.story()).toEqual(["2 changed", "7 changed"]);
  });

  it("the last fired, for a cooldown that is new", async () => {
    const world = await edited(
      [100, 110, 100, 110, 110, 110, 110],
      [ABOVE, 3],
      [`${ABOVE}\n    cooldown: 5m`, 4],
    );
    expect(world.story()).toEqual(["2 fired", "3 resolved", "7 fired"]);
  });

  it("and for one that was taken away and put back", async () => {
    const world = await edited(
      [100, 110, 100, 100, 110, 110, 110],
      [`${ABOVE}\n    cooldown: 5m`, 3],
      [ABOVE, 1],
      [`${ABOVE}\n    cooldown: 5m`, 3],
    );
    expect(world.story()).toEqual(["2 fired", "3 resolved", "7 fired"]);
  });

  it("the last word, for a reminder that is new", async () => {
    const world = await edited(
      [100, 110],
      [`${ABOVE}\n    worse_by: 1000`, 4],
      [`${ABOVE}\n    worse_by: 1000\n    remind: 5m`, 4],
    );
    expect(world.story()).toEqual(["2 fired", "7 reminder"]);
    const worse = await edited(
      [100, 110, 110, 110, 200],
      [`${ABOVE}\n    worse_by: 50`, 6],
      [`${ABOVE}\n    worse_by: 50\n    remind: 5m`, 5],
    );
    expect(worse.story()).toEqual(["2 fired", "5 worse", "10 reminder"]);
  });

  it("once counts anew", async () => {
    const world = await edited(
      [100, 110, 100, 110, 100, 110],
      [`${ABOVE}\n    once: true`, 4],
      [`${ABOVE}\n    once: true\n    severity: info`, 4],
    );
    expect(world.story()).toEqual(["2 fired", "3 resolved", "6 fired"]);
  });
});

describe("a rule over several subjects whose set is edited", () => {
  const TOKEN = "0x00000000eFE302BEAA2b3e6e1b18d08D69a9012a";
  const MILLION = 10n ** 12n;
  const rule = (chains: string, keys: string, across = "sum"): string => `
rules:
  - name: supply
    watch: {kind: token_supply, chain: [${chains}], token: ${TOKEN}, decimals: 6}
    across: ${across}
    ${keys}
`;
  /** Millions by minute, on every chain. */
  const supplies =
    (minutes: readonly number[]) =>
    (ask: Ask, date: number): Answer => {
      const millions = minutes[Math.round((date - START) / MINUTE) - 1] ?? minutes.at(-1) ?? 0;
      return ok({
        token_address: TOKEN.toLowerCase(),
        chain_id: ask.chainId,
        total_supply: String(BigInt(millions) * MILLION),
      });
    };
  const all = (world: World): string[] =>
    world.told
      .map(({ minute, kind }) => `${minute} ${kind}`)
      .filter((one) => !one.endsWith("started"));

  it("keeps its alert: a chain that is added ends nothing and begins nothing", async () => {
    const keys = "when: {metric: total_supply, above: 15M tokens}\n    remind: 5m";
    const world = await World.create(rule("1, 137", keys), {
      answer: supplies([5, 10, 10, 10, 10, 10, 10, 10, 5]),
    });
    await world.minutes(4);
    await world.restart(rule("1, 137, 143", keys));
    await world.minutes(8);
    expect(all(world)).toEqual(["2 fired", "7 reminder", "9 resolved"]);
    await world.restart();
    await world.minutes(2);
    expect(all(world)).toHaveLength(3);
    await world.stop();
  });

  it("keeps it as well where a start ends before its first round", async () => {
    const keys = "when: {metric: total_supply, above: 15M tokens}";
    const world = await World.create(rule("1, 137", keys), { answer: supplies([5, 10, 10, 5]) });
    await world.minutes(2);
    await world.restart(rule("1, 137, 143", keys));
    await world.restart();
    await world.minutes(2);
    expect(all(world)).toEqual(["2 fired", "4 resolved"]);
    await world.stop();
  });

  it("so does one that is taken away, and the way of putting them together", async () => {
    const keys = "when: {metric: total_supply, at_least: 10M tokens}";
    const world = await World.create(rule("1, 137, 143", keys), {
      answer: supplies([1, 10, 10, 10, 10, 10, 1]),
    });
    await world.minutes(3);
    await world.restart(rule("1, 137", keys));
    await world.minutes(2);
    await world.restart(rule("1, 137", keys, "max"));
    await world.minutes(2);
    expect(all(world)).toEqual(["2 fired", "7 resolved"]);
    await world.stop();
  });

  it("is no change of value: neither of a window, nor of the last value, nor for worse", async () => {
    const within = "when: {metric: total_supply, moves: 1M tokens, within: 10m}";
    const world = await World.create(rule("1, 137", within), {
      answer: supplies([5, 5, 5, 5, 5, 5, 7]),
    });
    await world.minutes(9);
    await world.restart(rule("1, 137, 143", within));
    await world.minutes(20);
    expect(all(world)).toEqual(["7 fired", "15 resolved"]);
    expect(world.told.at(-1)?.notice.headline).not.toContain("since it fired");
    await world.stop();

    for (const keys of [
      "when: {metric: total_supply, changes: true}",
      "when: {metric: total_supply, crosses: 12M tokens}",
      "when: {metric: total_supply, moves: 1M tokens, since: last}",
    ]) {
      const other = await World.create(rule("1, 137", keys), { answer: supplies([5]) });
      await other.minutes(5);
      await other.restart(rule("1, 137, 143", keys));
      await other.minutes(5);
      expect(all(other)).toEqual([]);
      await other.stop();
    }
  });

  it("an alert that nobody was told of fires as if nothing had been edited", async () => {
    const keys = "when: {metric: total_supply, above: 15M tokens}\n    for: 5m";
    const world = await World.create(rule("1, 137", keys), { answer: supplies([5, 10]) });
    await world.minutes(4);
    await world.restart(rule("1, 137, 143", keys));
    await world.minutes(5);
    expect(all(world)).toEqual(["7 fired"]);
    await world.stop();
  });

  it("that is over by the edit says so, and is not green", async () => {
    const keys = "when: {metric: total_supply, above: 15M tokens}";
    const world = await World.create(rule("1, 137", keys), { answer: supplies([5, 10]) });
    await world.minutes(3);
    await world.restart(rule("1", keys));
    await world.minutes(2);
    expect(all(world)).toEqual(["2 fired", "4 resolved"]);
    expect(world.told.at(-1)?.notice.headline).toMatch(/^⚪ Rule edited, no longer firing: /);
    await world.stop();
  });

  it("is over by the edit of the decimals, too", async () => {
    const keys = "when: {metric: total_supply, above: 15M tokens}";
    const world = await World.create(rule("1, 137", keys), { answer: supplies([5, 10]) });
    await world.minutes(3);
    await world.restart(rule("1, 137", keys).replace("decimals: 6", "decimals: 8"));
    await world.minutes(2);
    expect(world.told.at(-1)?.notice.ending).toBe("edited");
    await world.stop();
  });

  it("of something else altogether ends, and another begins", async () => {
    const keys = "when: {metric: total_supply, above: 15M tokens}";
    const world = await World.create(rule("1, 137", keys), { answer: supplies([5, 10]) });
    await world.minutes(3);
    await world.restart(
      rule("1, 137", "when: {metric: holder_count, above: 15}").replace(
        "token_supply, chain: [1, 137], token: 0x00000000eFE302BEAA2b3e6e1b18d08D69a9012a, decimals: 6",
        "holder_count, chain: [1, 137], token: 0x00000000eFE302BEAA2b3e6e1b18d08D69a9012a",
      ),
    );
    expect(all(world)).toEqual(["2 fired", "3 rule_removed"]);
    await world.stop();
  });
});

describe("a rule that is removed", () => {
  const LEFT = `${HEAD.replace("tvl", "left")}    when: {metric: price, below: 1}\n`;
  const GATED = `${HEAD}    ${ABOVE}
    notify: [slack]
    unless: gate
  - {name: gate, watch: {kind: v4_pool, chain: 1, pools: [${GATE_POOL}]}, when: {metric: tvl_usd, below: 5}, notify: []}
`;

  /** No value in the minutes 2 to 7, of which people are told; `quiet`: from 7 on nothing is told. */
  async function removedAfter(minutes: number, quiet: boolean): Promise<string[]> {
    const world = await World.create(GATED);
    world.answer = ({ id }, date) => {
      const minute = Math.round((date - START) / MINUTE);
      if (id === GATE_POOL)
        return ok(poolRecord({ pool_id: id, tvl_usd: quiet && minute > 6 ? 1 : 9 }));
      return minute > 1 && minute < 8 ? absent : ok(poolRecord({ tvl_usd: 90 }));
    };
    await world.minutes(minutes);
    await world.restart(LEFT);
    await world.stop();
    return world.told
      .filter(({ kind }) => kind !== "started")
      .map(({ minute, kind, channels }) => `${minute} ${kind} ${channels.join()}`);
  }

  it("says so to those who believe that it has no data, and to nobody who knows better", async () => {
    expect(await removedAfter(7, false)).toEqual(["6 no_data slack", "7 rule_removed slack"]);
    expect(await removedAfter(9, false)).toEqual(["6 no_data slack", "8 data_back slack"]);
    expect(await removedAfter(9, true)).toEqual(["6 no_data slack", "9 rule_removed slack"]);
  });
});

describe("what an earlier version remembers", () => {
  /** As the alert would have been written without what is remembered of it since. */
  function earlier(alert: Alert): Alert {
    const { life } = alert;
    if (life === null) return alert;
    const { when: _when, ...rest } = life;
    const { worst } = rest;
    if (worst === null) return { ...alert, life: rest };
    const { up, down, value, way } = worst;
    return { ...alert, life: { ...rest, worst: { up, down, value, way } } };
  }

  it.each([
    [
      `${ABOVE}\n    worse_by: 10`,
      [100, 110, 110, 119, 120, 90],
      ["2 fired", "5 worse", "6 resolved"],
    ],
    [
      "when: {metric: tvl_usd, moves: 10, within: 30m}",
      [...Array.from({ length: 15 }, () => 100), 110, 110, 100, 119, 120],
      ["16 fired", "20 worse"],
    ],
  ] as const)("is read as it was: %s", async (keys, minutes, story) => {
    const world = await World.create(`${HEAD}    ${keys}\n`, { answer: tvlBy(minutes) });
    await world.minutes(minutes.indexOf(110) + 2);
    await world.stop();
    const { alerts } = await world.store.load();
    await world.store.commit({ ...NO_CHANGE, alerts: alerts.map(earlier) });
    await world.open();
    await world.minutes(minutes.length - minutes.indexOf(110) - 2);
    expect(world.story()).toEqual(story);
    await world.stop();
  });

  it("and that its rule was edited meanwhile is not taken for good news", async () => {
    const world = await World.create(`${HEAD}    ${ABOVE}\n`, { answer: tvlBy([100, 110]) });
    await world.minutes(2);
    await world.stop();
    const { alerts } = await world.store.load();
    await world.store.commit({ ...NO_CHANGE, alerts: alerts.map(earlier) });
    await world.open(`${HEAD}    ${ABOVE.replace("100", "200")}\n`);
    await world.minutes(1);
    expect(world.told.at(-1)?.notice.headline).toMatch(/^⚪ Rule edited/);
    await world.stop();
  });
});

describe("an alert that has started", () => {
  const LATE = `${HEAD}    ${ABOVE}\n    for: 3m\n`;

  it("waits for `for`, also where the build before did not write down that it has", async () => {
    const world = await World.create(LATE, { answer: tvlBy([90, 90, 110]) });
    await world.minutes(2);
    await world.stop();
    const { alerts } = await world.store.load();
    const before = alerts.map((alert) => ({ ...alert, started: false }));
    await world.store.commit({ ...NO_CHANGE, alerts: before });
    await world.open();
    await world.minutes(4);
    expect(world.story()).toEqual(["6 fired"]);
    await world.stop();
  });

  it("is none that has had no value, whatever starts come between", async () => {
    const world = await World.create(LATE, { answer: tvlBy([absent, absent, 110]) });
    await world.minutes(2);
    await world.restart();
    await world.minutes(1);
    expect(world.story()).toEqual(["3 fired"]);
    await world.stop();
  });
});

describe("a subject whose name is taken out of the rules", () => {
  it("is called by the service's own at once, also where nothing is told of it", async () => {
    const keys = `    ${ABOVE}\n`;
    const world = await World.create(`${HEAD}${keys}`, { answer: tvlBy([90]) });
    await world.minutes(1);
    await world.restart(`${HEAD.replace(", name: The pool", "")}${keys}`);
    await world.minutes(1);
    const [alert] = world.rounds.memory.rules[0]?.alerts ?? [];
    expect(alert?.alert?.label).toBe("ETH/USDC 0.05%");
    await world.stop();
  });
});

describe("a rule that goes", () => {
  it("says so to those who believe that it fires, whatever it does", async () => {
    const held = (count: number): string => `
rules:
  - name: gate
    watch: {kind: v4_pool, chain: 1, pools: [{id: ${POOL_ID}, name: The pool}]}
    when: {metric: swap_count, above: 10}
    notify: []
${[...Array(count).keys()]
  .map(
    () => `  - name: tvl
    watch: {kind: v4_pool, chain: 1, pools: [{id: ${POOL_ID}, name: The pool}]}
    ${ABOVE}
    unless: gate
`,
  )
  .join("")}`;
    const of = (tvl: number, swaps: number): Answer =>
      ok(poolRecord({ tvl_usd: tvl, swap_count: swaps }));
    // It is over, and nobody has heard so.
    const over = await World.create(held(1), {
      answer: tvlBy([of(100, 1), of(110, 1), of(110, 11), of(90, 11)]),
    });
    await over.minutes(4);
    await over.restart(held(0));
    expect(over.story()).toEqual(["2 fired", "4 rule_removed"]);
    await over.stop();
    // It fires, and nobody has heard so.
    const untold = await World.create(held(1), { answer: tvlBy([of(100, 11), of(110, 11)]) });
    await untold.minutes(4);
    await untold.restart(held(0));
    expect(untold.story()).toEqual([]);
    await untold.stop();
  });

  it("nor does one leave anybody in the belief that becomes a rule of events", async () => {
    const gate =
      "\n    unless: gate\n  - name: gate\n    watch: {kind: v4_pool, chain: 1, pools: [0x" +
      `${"ab".repeat(32)}]}\n    when: {metric: swap_count, above: 10}\n    notify: []`;
    const of = (tvl: number, swaps: number): Answer =>
      ok(poolRecord({ tvl_usd: tvl, swap_count: swaps }));
    const world = await World.create(`${HEAD}    ${ABOVE}${gate}\n`, {
      answer: tvlBy([of(100, 1), of(110, 1), of(110, 11), of(90, 11)]),
    });
    await world.minutes(4);
    await world.restart(`${HEAD}    when: {metric: tvl_usd, changes: true}${gate}\n`);
    expect(world.story()).toEqual(["2 fired", "4 rule_removed"]);
    // Nor is it told once more.
    await world.minutes(2);
    await world.restart();
    await world.minutes(2);
    expect(world.story()).toEqual(["2 fired", "4 rule_removed"]);
    await world.stop();
  });

  it("leaves nothing that a rule of events with its name would tell, or hold back", async () => {
    const gate =
      "\n    unless: gate\n  - name: gate\n    watch: {kind: v4_pool, chain: 1, pools: [0x" +
      `${"ab".repeat(32)}]}\n    when: {metric: swap_count, above: 10}\n    notify: []`;
    const of = (tvl: number, swaps: number): Answer =>
      ok(poolRecord({ tvl_usd: tvl, swap_count: swaps }));
    // It fires, of which nobody has heard, and goes on as one of events once all may be told.
    const untold = await World.create(`${HEAD}    ${ABOVE}${gate}\n`, {
      answer: tvlBy([of(100, 11), of(110, 11), of(110, 11), of(110, 1), of(110, 1), of(120, 1)]),
    });
    await untold.minutes(3);
    await untold.restart(`${HEAD}    when: {metric: tvl_usd, changes: true}${gate}\n`);
    await untold.minutes(3);
    expect(untold.rounds.memory.rules[0]?.alerts[0]?.alert?.state).toBe("ok");
    expect(untold.story()).toEqual(["6 changed"]);
    await untold.stop();
    // It flaps, and what changes from then on is told each time.
    const swings = Array.from({ length: 12 }, (_, i) => (i % 2 === 0 ? 90 : 110));
    const flapping = await World.create(`${HEAD}    ${ABOVE}\n`, {
      answer: tvlBy([...swings, 110, 110, 120, 130]),
    });
    await flapping.minutes(13);
    expect(flapping.story().at(-1)).toMatch(/flapping$/);
    await flapping.restart(`${HEAD}    when: {metric: tvl_usd, changes: true}\n`);
    await flapping.minutes(3);
    expect(flapping.story().slice(-2)).toEqual(["15 changed", "16 changed"]);
    await flapping.stop();
  });
});

describe("what was held back", () => {
  const OTHER = `0x${"cd".repeat(32)}`;
  const RELATIVE = `
references:
  other: {watch: {kind: v4_pool, chain: 1, pools: [${OTHER}]}, metric: tvl_usd}
rules:
  - name: tvl
    watch: {kind: v4_pool, chain: 1, pools: [{id: ${POOL_ID}, name: The pool}]}
    when: {metric: tvl_usd, at_least: 100% of other}
    cooldown: 3m
`;

  it("waits while its limit is not known, and is told with its numbers", async () => {
    const tvl = [800, 900, 800, 900, 900, 900, 900, 900];
    const limits = [850, 850, 850, 850, null, null, 850, 850];
    const world = await World.create(RELATIVE);
    world.answer = ({ id }, date) => {
      const minute = Math.round((date - START) / MINUTE) - 1;
      const value = (id === OTHER ? limits : tvl)[minute];
      return ok(poolRecord({ pool_id: id, tvl_usd: value }));
    };
    await world.minutes(8);
    expect(world.story()).toEqual(["2 fired", "3 resolved", "7 fired"]);
    expect(world.told.at(-1)?.notice.headline).toBe(
      "🟠 The pool TVL $900, at least other ($850). Since 3 min. Ethereum",
    );
    await world.stop();
  });
});
