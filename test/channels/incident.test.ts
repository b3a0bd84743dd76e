import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { alertsBody } from "../../src/channels/alertmanager-alerts.ts";
import { pagerdutyEvents } from "../../src/channels/pagerduty.ts";
import type { Answer, Ask, Notice } from "../../src/model/index.ts";
import { composeSelf } from "../../src/notices/self-notice.ts";
import { propertyRuns } from "../support/tier.ts";
import { absent, failed, MINUTE, ok, POOL_ID, poolRecord, START, World } from "../support/world.ts";

const RULE = `
rules:
  - name: tvl
    watch: {kind: v4_pool, chain: 1, pools: [{id: ${POOL_ID}, name: The pool}]}
    when: {metric: tvl_usd, below: 500}
`;

const MISTYPED = `0x${"ef".repeat(32)}`;

/** Lives through the minutes: `-` fires, `+` is fine, `0` has no data. */
async function lived(text: string): Promise<World> {
  const world = await World.create(RULE);
  world.answer = (_ask, date): Answer => {
    const sign = text[Math.round((date - START) / MINUTE) - 1];
    return sign === "0" ? absent : ok(poolRecord({ tvl_usd: sign === "-" ? 400 : 1000 }));
  };
  await world.minutes(text.length);
  return world;
}

const notices = (world: World): readonly Notice[] => world.told.map(({ notice }) => notice);

/** What is open in PagerDuty after these notices, in the order of its opening. */
function open(told: readonly Notice[]): string[] {
  const keys = new Set<string>();
  for (const { event_action, dedup_key } of told.flatMap((notice) => pagerdutyEvents(notice))) {
    if (event_action === "resolve") keys.delete(dedup_key);
    else keys.add(dedup_key);
  }
  return [...keys];
}

/** What fires in Alertmanager at a time after these notices. */
function firing(told: readonly Notice[], at: number): string[] {
  const alerts = new Map<string, string>();
  for (const { labels, endsAt = "" } of told.flatMap((one) => alertsBody(one, 1e12).alerts)) {
    alerts.set(JSON.stringify(labels), endsAt);
  }
  return [...alerts].filter(([, end]) => Date.parse(end) > at).map(([labels]) => labels);
}

describe("a receiver that keeps alerts", () => {
  it("knows of one that fires when watching began, and hears of its end", async () => {
    const world = await lived("--+");
    await world.stop();
    expect(world.story()).toEqual(["1 fired", "3 resolved"]);
    expect(open(notices(world).slice(0, -1))).toHaveLength(1);
    expect(open(notices(world))).toEqual([]);
  });

  it("has nothing to say of a start", async () => {
    const world = await lived("+");
    await world.stop();
    expect(notices(world).map(({ kind }) => kind)).toEqual(["started"]);
    expect(notices(world).flatMap((notice) => pagerdutyEvents(notice))).toEqual([]);
  });

  it("opens what a start of an earlier build alone told of, where that is still to be sent", async () => {
    const world = await lived("+");
    await world.stop();
    const [started] = notices(world);
    if (started === undefined) throw new Error("a start is told");
    const one = { subject: `v4_pool:1:${POOL_ID}`, label: "The pool" };
    const old: Notice = { ...started, rule: "tvl", firing: [one] };
    const later = await lived("-+");
    await later.stop();
    const [fired, , resolved] = notices(later);
    expect(open([old])).toEqual(open(fired === undefined ? [] : [fired]));
    expect(open(resolved === undefined ? [old] : [old, resolved])).toEqual([]);
  });

  it("has one alert of a rule over several subjects, also when the set of them is edited", async () => {
    const token = "0x00000000eFE302BEAA2b3e6e1b18d08D69a9012a";
    const rule = (chains: string): string => `
rules:
  - name: supply
    watch: {kind: token_supply, chain: [${chains}], token: ${token}, decimals: 6}
    across: sum
    when: {metric: total_supply, above: 15M tokens}
    remind: 1m
`;
    const world = await World.create(rule("1, 137"));
    const millions = [1, 10, 10, 10, 10, 1];
    world.answer = ({ chainId }, date) =>
      ok({
        token_address: token.toLowerCase(),
        chain_id: chainId,
        total_supply: `${millions[Math.round((date - START) / MINUTE) - 1]}000000000000`,
      });
    await world.minutes(3);
    const before = open(notices(world));
    await world.restart(rule("1, 137, 143"));
    await world.minutes(2);
    expect(world.told.at(-1)?.kind).toBe("reminder");
    expect(before).toHaveLength(1);
    expect(open(notices(world))).toEqual(before);
    await world.minutes(1);
    expect(world.told.at(-1)?.kind).toBe("resolved");
    expect(open(notices(world))).toEqual([]);
    expect(firing(notices(world), world.clock.now())).toEqual([]);
    await world.stop();
  });

  it("hears that an alert is no longer watched", async () => {
    const world = await lived("+-");
    expect(open(notices(world))).toHaveLength(1);
    await world.restart(RULE.replace("name: tvl", "name: other"));
    await world.minutes(1);
    await world.stop();
    expect(world.story()).toContain("2 rule_removed");
    expect(open(notices(world).filter(({ kind }) => kind !== "started"))).toEqual([]);
  });

  it("does not take data that comes and goes for an alert that fires", async () => {
    const world = await lived(`+${"0000000+".repeat(7)}${"+".repeat(130)}`);
    await world.stop();
    const flapping = notices(world).filter(({ kind }) => kind === "flapping");
    expect(flapping.map(({ gaps }) => gaps)).toEqual([true]);
    const noData = notices(world).find(({ kind }) => kind === "no_data");
    expect(open(flapping)).toEqual(open(noData === undefined ? [] : [noData]));
    expect(open(notices(world))).toEqual([]);
  });

  it("has open in the end what is true, whatever came before", async () => {
    const sign = fc.constantFrom("+", "-", "0");
    const past = fc.array(fc.tuple(sign, fc.integer({ min: 1, max: 7 })), { maxLength: 16 });
    await fc.assert(
      fc.asyncProperty(past, fc.constantFrom("+", "-"), async (before, end) => {
        const text = before.map(([one, count]) => one.repeat(count)).join("");
        // Two hours are what flapping takes to settle.
        const world = await lived(text + end.repeat(130));
        const told = notices(world);
        const now = world.clock.now();
        await world.stop();
        const expected = end === "-" ? 1 : 0;
        expect(open(told)).toHaveLength(expected);
        expect(firing(told, now)).toHaveLength(expected);
      }),
      { numRuns: propertyRuns(12) },
    );
  });
});

describe("a receiver that keeps alerts, of a subject that never has a value,", () => {
  const TWO = `
rules:
  - name: tvl
    watch: {kind: v4_pool, chain: 1, pools: [{id: ${POOL_ID}, name: The pool}, {id: "${MISTYPED}", name: Mistyped}]}
    when: {metric: tvl_usd, below: 500}
`;
  const fine = ok(poolRecord({ tvl_usd: 1000 }));
  const answerFor =
    (wrong: Answer) =>
    (ask: Ask): Answer =>
      ask.key.includes(MISTYPED) ? wrong : fine;

  it("hears of it once", async () => {
    const world = await World.create(TWO, { answer: answerFor(absent) });
    await world.minutes(10);
    await world.restart();
    await world.minutes(10);
    const told = notices(world);
    await world.stop();
    expect(told.map(({ kind }) => kind)).toEqual(["started", "no_data"]);
    const [event] = told.flatMap((notice) => pagerdutyEvents(notice));
    expect(event).toMatchObject({ event_action: "trigger" });
    expect(firing(told, world.clock.now())).toHaveLength(1);
  });

  it("hears that there is data after all, also after a restart, and by the same key", async () => {
    const world = await World.create(TWO, { answer: answerFor(absent) });
    await world.minutes(7);
    const before = notices(world);
    await world.restart();
    world.answer = () => fine;
    await world.minutes(1);
    await world.stop();
    expect(open(before)).toHaveLength(1);
    expect(world.story()).toEqual(["6 no_data", "8 data_back"]);
    expect(open(notices(world))).toEqual([]);
    expect(firing(notices(world), world.clock.now())).toEqual([]);
  });

  it("gets what a later gap opens under that key, too", async () => {
    const world = await World.create(TWO, { answer: answerFor(absent) });
    await world.minutes(7);
    const opened = open(notices(world));
    world.answer = () => fine;
    await world.minutes(3);
    world.answer = answerFor(absent);
    await world.minutes(9);
    await world.stop();
    expect(world.story()).toEqual(["6 no_data", "8 data_back", "15 no_data"]);
    expect(open(notices(world))).toEqual(opened);
  });

  it("hears that it is watched no more once its id is put right", async () => {
    const world = await World.create(TWO, { answer: answerFor(absent) });
    await world.minutes(7);
    await world.restart(TWO.replace(MISTYPED, `0x${"cd".repeat(32)}`));
    await world.minutes(1);
    await world.stop();
    expect(world.story()).toEqual(["6 no_data", "7 rule_removed"]);
    const removed = world.told.find(({ kind }) => kind === "rule_removed");
    expect(removed?.notice.headline).toBe(
      "⚪ No longer watched: Mistyped. It had no data (rule tvl)",
    );
    expect(removed?.channels).toEqual(["console", "slack"]);
    expect(open(notices(world))).toEqual([]);
  });

  it("hears that its whole rule is watched no more, whatever told of the gap", async () => {
    const later = await World.create(TWO, { answer: () => fine });
    await later.minutes(2);
    later.answer = answerFor(absent);
    await later.minutes(8);
    const never = await World.create(TWO, { answer: answerFor(absent) });
    await never.minutes(8);
    const without = TWO.replace("name: tvl", "name: other");
    for (const world of [later, never]) {
      expect(open(notices(world))).toHaveLength(1);
      await world.restart(without);
      await world.stop();
      const end = world.told.at(-1);
      expect(end).toMatchObject({ kind: "rule_removed", channels: ["console", "slack"] });
      expect(open(notices(world))).toEqual([]);
    }
  });

  it("hears nothing of a rule that is gone once the data was back", async () => {
    const world = await World.create(TWO, { answer: answerFor(absent) });
    await world.minutes(7);
    world.answer = () => fine;
    await world.minutes(2);
    await world.restart(TWO.replace("name: tvl", "name: other"));
    await world.stop();
    expect(world.story()).toEqual(["6 no_data", "8 data_back"]);
  });

  it("hears of a source that is down by that source alone", async () => {
    const world = await World.create(TWO, { answer: () => failed });
    await world.minutes(7);
    const told = notices(world);
    await world.stop();
    expect(told.map(({ kind }) => kind).toSorted()).toEqual(["source_down", "started"]);
    expect(open(told)).toHaveLength(1);
  });

  it("hears of one that is refused while others are answered", async () => {
    const world = await World.create(TWO, { answer: answerFor(failed) });
    await world.minutes(7);
    const told = notices(world);
    await world.stop();
    expect(told.map(({ kind }) => kind)).toEqual(["started", "no_data"]);
    expect(open(told)).toHaveLength(1);
  });

  it("gets what fires for want of data in its place", async () => {
    const yaml = TWO.replace("below: 500}", "below: 500}\n    on_missing: fire");
    const world = await World.create(yaml, { answer: answerFor(absent) });
    await world.minutes(8);
    const told = notices(world);
    await world.stop();
    expect(told.map(({ kind }) => kind)).toEqual(["started", "fired"]);
    expect(open(told)).toHaveLength(1);
  });
});

describe("the daemon's own troubles", () => {
  const at = START;

  it("are closed by what says that they are over, each its own", () => {
    const trouble = composeSelf(
      { about: "channel_parked", channel: "ops", reason: "HTTP 404" },
      at,
    );
    const other = composeSelf({ about: "channel_parked", channel: "lp", reason: "HTTP 404" }, at);
    const over = composeSelf({ about: "channel_back", channel: "ops" }, at + MINUTE);
    const full = composeSelf({ about: "store_unwritable", reason: "full", suspends: false }, at);
    const good = composeSelf({ about: "store_back", lostSamples: false }, at + MINUTE);
    expect(open([trouble, other, full])).toHaveLength(3);
    expect(open([trouble, other, full, over, good])).toEqual(open([other]));
    expect(firing([trouble, over, full, good], at + MINUTE)).toEqual([]);
  });
});
