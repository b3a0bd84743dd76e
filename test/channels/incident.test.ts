import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { alertsBody } from "../../src/channels/alertmanager-alerts.ts";
import { pagerdutyEvents } from "../../src/channels/pagerduty-events.ts";
import { composeSelf } from "../../src/engine/words/self-notice.ts";
import type { Answer, Notice } from "../../src/model.ts";
import { absent, MINUTE, ok, POOL_ID, poolRecord, START, World } from "../support/world.ts";

const RULE = `
rules:
  - name: tvl
    watch: {kind: v4_pool, chain: 1, pools: [{id: ${POOL_ID}, name: The pool}]}
    when: {metric: tvl_usd, below: 500}
`;

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
  for (const { event_action, dedup_key } of told.flatMap(pagerdutyEvents)) {
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
  it("knows of one that fires as its watch begins, and hears of its end", async () => {
    const world = await lived("--+");
    const [started, resolved] = notices(world);
    await world.stop();
    expect(started?.kind).toBe("started");
    expect(started?.firing).toEqual([{ subject: `v4_pool:1:${POOL_ID}`, label: "The pool" }]);
    expect(open(started === undefined ? [] : [started])).toHaveLength(1);
    expect(resolved?.kind).toBe("resolved");
    expect(open(notices(world))).toEqual([]);
  });

  it("has nothing to say of a start in which nothing fires", async () => {
    const world = await lived("+");
    await world.stop();
    expect(notices(world).map(({ kind }) => kind)).toEqual(["started"]);
    expect(notices(world)[0]).not.toHaveProperty("firing");
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
      { numRuns: 12 },
    );
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
    const full = composeSelf({ about: "store_unwritable", reason: "full" }, at);
    const good = composeSelf({ about: "store_back", lostSamples: false }, at + MINUTE);
    expect(open([trouble, other, full])).toHaveLength(3);
    expect(open([trouble, other, full, over, good])).toEqual(open([other]));
    expect(firing([trouble, over, full, good], at + MINUTE)).toEqual([]);
  });
});
