import { describe, expect, it, onTestFinished } from "vitest";
import { parseSchedule } from "../../../src/base/schedule.ts";
import type { Answer, Change, ReportConfig, Setup } from "../../../src/model/index.ts";
import type { Store } from "../../../src/store/store.ts";
import { createFakeClock, type FakeClock } from "../../support/fake-clock.ts";
import { createMemoryStore } from "../../support/memory-store.ts";
import { ReloadWorld } from "../../support/reload-world.ts";
import { MINUTE, ok, poolRecord, START } from "../../support/world.ts";
import { setupOf } from "../../support/world-setup.ts";

const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const pool = (digit: string): string => `0x${digit.repeat(64)}`;
const RULES = `rules:
  - {name: low, watch: {kind: v4_pool, chain: 1, pools: [${pool("a")}, ${pool("b")}]}, when: {metric: tvl_usd, below: 900}, severity: critical, schedule: 1h}
  - {name: high, watch: {kind: v4_pool, chain: 1, pools: [${pool("c")}]}, when: {metric: tvl_usd, above: 5000}, schedule: 1h}
`;

/** START is 12:00 UTC: with this the first report comes an hour later. */
function reportOf(given: Partial<ReportConfig> & { readonly cron?: string } = {}): ReportConfig {
  const { cron = "0 13 * * *", ...rest } = given;
  const schedule = parseSchedule(cron, "UTC");
  return { name: "daily", schedule, rules: null, channels: ["people"], ...rest };
}

function configured(...reports: readonly ReportConfig[]): Setup {
  const channels = ["people", "other"].map((name) => ({
    name,
    kind: "record",
    settings: name,
    timezone: "UTC",
  }));
  return { ...setupOf(RULES), channels, selfNotify: ["other"], reports };
}

interface Started {
  readonly world: ReloadWorld;
  /** The reports that were put into the outbox. */
  readonly reports: () => Promise<readonly Sent[]>;
}

type Sent = { readonly channel: string; readonly headline: string };

async function start(
  setup: Setup,
  more: { readonly store?: Store; readonly clock?: FakeClock; tvl?: Record<string, number> } = {},
): Promise<Started> {
  const { tvl = {}, ...parts } = more;
  const answer = ({ key }: { readonly key: string }): Answer => {
    const digit = /0x([a-f])/.exec(key)?.[1] ?? "";
    return ok(poolRecord({ pool_id: pool(digit), tvl_usd: tvl[digit] ?? 1_000 }));
  };
  const world = await ReloadWorld.open({ setup, answer, ...parts });
  onTestFinished(async () => {
    await world.app.stop();
  });
  await world.idle();
  return {
    world,
    async reports() {
      await world.idle();
      return world.sent
        .filter(({ body }) => body.startsWith("📋"))
        .map(({ channel, body }) => ({ channel, headline: body }));
    },
  };
}

/** Hour by hour, as a clock goes on. */
async function pass(world: ReloadWorld, ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 10 * MINUTE) {
    await world.clock.advance(Math.min(left, 10 * MINUTE));
    await world.idle();
  }
}

/** A store that outlives the daemon; `commit` in place of its own. */
function lasting(commit?: (change: Change, store: Store) => Promise<void>): Store {
  const store = createMemoryStore();
  onTestFinished(() => store.close());
  return {
    load: () => store.load(),
    window: (series, from) => store.window(series, from),
    rewind: (series, now) => store.rewind(series, now),
    commit: (change) => (commit === undefined ? store.commit(change) : commit(change, store)),
    claim: (channel, now, most) => store.claim(channel, now, most),
    freeze: (message, now) => store.freeze(message, now),
    settle: (message, result) => store.settle(message, result),
    wake: (channel) => store.wake(channel),
    hold: (channel, notices, until) => store.hold(channel, notices, until),
    held: (channel, now) => store.held(channel, now),
    release: (channel, released) => store.release(channel, released),
    mark: (subject) => store.mark(subject),
    silences: (now) => store.silences(now),
    commands: () => store.commands(),
    taken: (ids) => store.taken(ids),
    owed: () => store.owed(),
    backlog: () => store.backlog(),
    prune: (before) => store.prune(before),
    close: () => Promise.resolve(),
  };
}

describe("a report", () => {
  it("comes at its time to its channels, and says how the rules stand", async () => {
    const { world, reports } = await start(configured(reportOf()), { tvl: { a: 800 } });
    await pass(world, 50 * MINUTE);
    expect(await reports()).toEqual([]);
    await pass(world, 10 * MINUTE);
    expect(await reports()).toEqual([
      { channel: "people", headline: "📋 daily: 1 of 3 alerts firing" },
    ]);
    await pass(world, DAY);
    expect(await reports()).toHaveLength(2);
  });

  it("tells of the rules that it names alone", async () => {
    const { world, reports } = await start(configured(reportOf({ rules: ["high"] })), {
      tvl: { a: 800 },
    });
    await pass(world, HOUR);
    expect(await reports()).toEqual([{ channel: "people", headline: "📋 daily: 1 alert ok" }]);
  });

  it("comes once, and late, for the times at which no daemon ran", async () => {
    const store = lasting();
    const first = await start(configured(reportOf()), { store });
    await pass(first.world, HOUR);
    expect(await first.reports()).toHaveLength(1);
    await first.world.app.stop();
    const clock = createFakeClock(START + 3 * DAY + 5 * HOUR);
    const second = await start(configured(reportOf()), { store, clock });
    expect(await second.reports()).toHaveLength(1);
    await pass(second.world, 20 * HOUR);
    expect(await second.reports()).toHaveLength(2);
  });

  it("comes no second time after a restart", async () => {
    const store = lasting();
    const first = await start(configured(reportOf()), { store });
    await pass(first.world, HOUR);
    await first.world.app.stop();
    const clock = createFakeClock(START + HOUR + MINUTE);
    const second = await start(configured(reportOf()), { store, clock });
    expect(await second.reports()).toEqual([]);
  });

  it("has missed nothing when it is new, or has another time", async () => {
    const { world, reports } = await start(configured());
    await pass(world, 30 * MINUTE);
    await world.app.follow(configured(reportOf({ cron: "0 12 * * *" })));
    expect(await reports()).toEqual([]);
    await world.app.follow(configured(reportOf({ cron: "15 12 * * *" })));
    expect(await reports()).toEqual([]);
    await world.app.follow(configured(reportOf({ cron: "45 12 * * *" })));
    await pass(world, 20 * MINUTE);
    expect(await reports()).toHaveLength(1);
    await world.app.follow(configured());
    await pass(world, DAY);
    expect(await reports()).toHaveLength(1);
  });

  it("is tried again where the database could not be written", async () => {
    let broken = false;
    const failing = lasting(async (change, store) => {
      if (broken && change.notices.some(({ notice }) => notice.kind === "report")) {
        throw new Error("the disk is full");
      }
      await store.commit(change);
    });
    const { world, reports } = await start(configured(reportOf()), { store: failing });
    broken = true;
    await pass(world, HOUR + 10 * MINUTE);
    expect(await reports()).toEqual([]);
    broken = false;
    await pass(world, 10 * MINUTE);
    expect(await reports()).toHaveLength(1);
  });

  it("counts as no alert", async () => {
    const { world, reports } = await start(configured(reportOf()));
    const before = world.app.rounds.memory.rules.length;
    await pass(world, HOUR);
    expect(await reports()).toHaveLength(1);
    expect(world.app.rounds.memory.rules).toHaveLength(before);
    expect(world.told.map(({ kind }) => kind)).not.toContain("report");
  });
});
