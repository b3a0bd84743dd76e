import { pino } from "pino";
import { expect, it, onTestFinished, vi } from "vitest";
import { ENDPOINTS_OF } from "../../src/api/endpoints.ts";
import { Rounds } from "../../src/commit/rounds.ts";
import type { Source } from "../../src/fetch/source.ts";
import { KINDS } from "../../src/kinds/index.ts";
import { createFakeClock } from "../support/fake-clock.ts";
import { createMemoryStore } from "../support/memory-store.ts";
import { until } from "../support/until.ts";
import { absent, START } from "../support/world.ts";
import { setupOf } from "../support/world-setup.ts";

const SECOND = 1_000;
const IDS = Array.from({ length: 7 }, (_, n) => `0x${n.toString(16).padStart(64, "0")}`);
const RULES = `
rules:
  - {name: tvl, schedule: 1s, watch: {kind: v4_pool, chain: 1, pools: [${IDS.join(", ")}]}, when: {metric: tvl_usd, below: 900}}
`;

/** Longer than a round may poll here. */
const OVER_MS = SECOND;

/** Rounds every second over seven pools, each of which is a request; their time passes when the test says so. */
async function open(parts: Pick<Source, "room" | "fetch">) {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const setup = setupOf(RULES);
  const clock = createFakeClock(START);
  const said: string[] = [];
  const write = (line: string): void => {
    const { level, msg } = JSON.parse(line) as { level: number; msg: string };
    if (level >= 40) said.push(msg);
  };
  let onRound = (): void => {};
  const rounds = await Rounds.open({
    setup: { ...setup, service: { ...setup.service, timeoutMs: 10, requestsPerSecond: 1_000 } },
    kinds: KINDS,
    source: {
      ...parts,
      serves: () => true,
      plan: (asks) =>
        asks.map((ask) => ({
          record: ask.record,
          endpoint: ENDPOINTS_OF[ask.record][0],
          asks: [ask],
          path: "/",
        })),
      verify: () => Promise.resolve("valid"),
      close: () => Promise.resolve(),
    },
    store: createMemoryStore(),
    clock,
    log: pino({ level: "debug" }, { write }),
    onEvent: ({ kind }) => {
      if (kind === "round") onRound();
    },
  });
  onTestFinished(() => rounds.stop());
  const round = (): Promise<void> =>
    new Promise((resolve) => {
      onRound = resolve;
    });
  return { rounds, clock, said, round };
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    signal.addEventListener("abort", () => resolve());
  });

it("what a round had no time for comes first in the next", async () => {
  let left = 3;
  const asked: number[] = [];
  const { rounds, clock, round } = await open({
    room: (_, signal) => {
      left -= 1;
      return left < 0 ? aborted(signal) : Promise.resolve();
    },
    fetch: ({ asks: [ask] }, signal) => {
      if (!signal.aborted) asked.push(Number(ask?.id));
      return Promise.resolve([absent]);
    },
  });
  const first = round();
  rounds.start();
  await until(() => left < 0);
  vi.advanceTimersByTime(OVER_MS);
  await first;
  left = 3;
  const second = round();
  await clock.advance(SECOND);
  await until(() => left < 0);
  vi.advanceTimersByTime(OVER_MS);
  await second;
  expect(asked).toEqual([0, 1, 2, 3, 4, 5]);
});

it("rounds that are skipped are said once in ten minutes, and the first look skips none", async () => {
  const { rounds, clock, said, round } = await open({
    room: () => Promise.resolve(),
    fetch: async ({ asks }, signal) => {
      await aborted(signal);
      return asks.map(() => absent);
    },
  });
  rounds.start();
  const skips = (): number => said.filter((msg) => msg.includes("skipped")).length;
  const first = round();
  for (let i = 0; i < 9; i += 1) await clock.advance(SECOND);
  vi.advanceTimersByTime(OVER_MS);
  await first;
  expect(skips()).toBe(0);
  for (let i = 0; i < 5; i += 1) await clock.advance(SECOND);
  expect(skips()).toBe(1);
});

it("one look alone has a minute, whatever the schedules", async () => {
  let isOver = false;
  const { rounds } = await open({
    room: () => Promise.resolve(),
    fetch: async ({ asks }, signal) => {
      await aborted(signal);
      isOver = true;
      return asks.map(() => absent);
    },
  });
  const looked = rounds.once();
  await vi.advanceTimersByTimeAsync(53_999);
  expect(isOver).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  await looked;
  expect(isOver).toBe(true);
});
