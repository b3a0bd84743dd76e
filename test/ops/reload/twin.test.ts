import { describe, expect, it } from "vitest";
import { parseRules } from "../../../src/config/rules/rules.ts";
import { KINDS } from "../../../src/kinds/index.ts";
import type { Answer, Ask, Setup } from "../../../src/model/index.ts";
import { ReloadWorld } from "../../support/reload-world.ts";
import { WHOLE } from "../../support/tier.ts";
import { failed, MINUTE, ok, poolRecord, START } from "../../support/world.ts";
import { setupOf } from "../../support/world-setup.ts";

const pool = (digit: string): string => `0x${digit.repeat(64)}`;
const watch = (...digits: string[]): string =>
  `{kind: v4_pool, chain: 1, pools: [${digits.map(pool).join(", ")}]}`;

/** The rules that stay over all reloads; what is watched at several times is so by rules of one schedule. */
const STAY = `
  - {name: level, watch: ${watch("a", "b")}, when: {metric: tvl_usd, below: 900}, for: 1m, resolve_after: 1m, schedule: 10s}
  - {name: fall, watch: ${watch("c", "8")}, when: {metric: tvl_usd, falls: 20%, within: 4m}, schedule: 15s}
  - {name: step, watch: ${watch("6")}, when: {metric: tvl_usd, moves: 10%, since: last}, schedule: 30s}
  - {name: slow, watch: ${watch("d", "e")}, when: {metric: tvl_usd, above: 1100}, for: 3m}
  - {name: sum, watch: ${watch("a", "b")}, across: sum, when: {metric: tvl_usd, below: 1900}, for: 30s, schedule: 10s}
  - {name: gated, watch: ${watch("a")}, when: {metric: tvl_usd, below: 950}, only_while: level, remind: 2m, schedule: 10s}
  - {name: bursty, watch: ${watch("5")}, when: {metric: tvl_usd, below: 1000}, schedule: 10s}
`;
const STAYING = ["level", "fall", "step", "slow", "sum", "gated", "bursty"];

/** What reloads add to them, one after the other: on other pools, since their first looks are samples, too. */
const MORE = [
  "",
  `\n  - {name: extra, watch: ${watch("f")}, when: {metric: tvl_usd, below: 900}, schedule: 10s}\n`,
  `\n  - {name: extra, watch: ${watch("f", "7")}, when: {metric: tvl_usd, below: 950}, schedule: 20s}\n`,
  `\n  - {name: other, watch: ${watch("9")}, when: {metric: tvl_usd, falls: 5%, within: 1m}, schedule: 10s}\n`,
];

function variant(n: number): Setup {
  const base = setupOf(
    "rules:\n  - {name: gas, watch: {kind: gas, chain: 1}, when: {metric: tip_top10, above: 5 gwei}}\n",
  );
  const names = n % 3 === 0 ? ["steady"] : n % 3 === 1 ? ["steady", "second"] : ["steady", "third"];
  const { rules } = parseRules(`rules:${STAY}${MORE[n % MORE.length] ?? ""}`, "rules.yaml", {
    watches: KINDS,
    channels: ["steady"],
    addresses: new Set(["base_url"]),
    // Much is to be told.
    defaults: { severity: "warning", flapping: { moreThan: 100, withinMs: MINUTE } },
  });
  return {
    ...base,
    rules,
    channels: names.map((name) => ({
      name,
      kind: "record",
      // One of them has other settings each time.
      settings: name === "third" ? `third ${n}` : name,
      timezone: "UTC",
    })),
    selfNotify: ["steady"],
    groupWaitMs: n % 2 === 0 ? 0 : 3_000,
  };
}

/** Chance by a seed; 0 ≤ x < 1. Source: mulberry32. */
function chance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A value between 800 and 1,200 of a pool, another one every 20 s; now and then the request fails. */
function answer({ id }: Ask, date: number): Answer {
  const step = Math.floor((date - START) / 20_000);
  const draw = chance((Number.parseInt(id.slice(2, 3), 16) + 1) * 7_919 + step);
  draw();
  if (draw() < 0.02) return failed;
  return ok(poolRecord({ pool_id: id, tvl_usd: 800 + Math.floor(draw() * 400) }));
}

interface Story {
  readonly notices: readonly string[];
  readonly sent: readonly string[];
  readonly rounds: readonly string[];
  readonly samples: readonly string[];
}

async function storyOf(
  steps: number,
  reloads: (n: number) => number,
): Promise<Story & { world: ReloadWorld }> {
  const draw = chance(4_711);
  const world = await ReloadWorld.open({
    setup: variant(0),
    answer,
    turns: () => Math.floor(draw() * 30),
  });
  let loaded = 0;
  for (let step = 1; step <= steps; step += 1) {
    const following: Promise<unknown>[] = [];
    const follow = (): void => {
      loaded += 1;
      following.push(world.app.follow(variant(loaded)));
    };
    const count = reloads(step);
    // Some before the rounds are due, so that they come due meanwhile, and some while they are polled.
    if (count > 1) follow();
    await world.clock.advance(5_000);
    for (let left = count > 1 ? count - 1 : count; left > 0; left -= 1) follow();
    // Rounds come due while those of before still end.
    if (step % 2 === 0) await world.clock.advance(5_000);
    await Promise.all(following);
    await world.idle();
  }
  const stays = new Set(STAYING);
  const loadedState = await world.store.load();
  const runs = await world.store.window(
    loadedState.series.map(({ id }) => id),
    0,
  );
  await world.app.stop();
  const notices = world.told.filter(({ rule }) => rule !== null && stays.has(rule));
  const ids = new Set(notices.map(({ id }) => id));
  return {
    world,
    notices: notices
      .map(({ id, at, kind, rule, headline }) => `${at} ${kind} ${rule} ${headline} ${id}`)
      .toSorted(),
    sent: world.sent
      .flatMap((message) => message.notices)
      .filter((id) => ids.has(id))
      .toSorted(),
    rounds: world.rounds.filter((one) => stays.has(one.split(" ")[1] ?? "")).toSorted(),
    samples: loadedState.series
      .filter(({ subject }) => !/0x[f79]{64}/.test(subject))
      .flatMap(({ id, subject, metric }) =>
        (runs.get(id) ?? []).map(
          (run) => `${subject} ${metric} ${run.first} ${run.last} ${run.value}`,
        ),
      )
      .toSorted(),
  };
}

describe("reloads under load", () => {
  const count = WHOLE ? 1_000 : 60;

  it(`${count} of them lose and double nothing`, async () => {
    const steps = WHOLE ? 1_440 : 144;
    let left = count;
    const draw = chance(31);
    const reloaded = await storyOf(steps, (step) => {
      const fair = left / (steps - step + 1);
      const some = Math.min(left, Math.floor(fair) + (draw() < fair % 1 ? 1 : 0));
      left -= some;
      return some;
    });
    const twin = await storyOf(steps, () => 0);
    expect(left).toBe(0);
    expect(twin.notices.length).toBeGreaterThan(WHOLE ? 200 : 30);
    expect(new Set(reloaded.rounds).size).toBe(reloaded.rounds.length);
    expect(reloaded.rounds).toEqual(twin.rounds);
    expect(reloaded.samples).toEqual(twin.samples);
    expect(reloaded.notices).toEqual(twin.notices);
    expect(reloaded.sent).toEqual(twin.sent);
    expect(twin.world.channels).toEqual(["open steady", "close steady"]);
    const { channels } = reloaded.world;
    expect(channels.filter((one) => one.endsWith(" steady"))).toEqual([
      "open steady",
      "close steady",
    ]);
    expect(channels.filter((one) => one.startsWith("open "))).toHaveLength(channels.length / 2);
  });
});
