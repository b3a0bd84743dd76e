/**
 * The whole daemon as it is built, with one threshold rule over all pools, one round after the
 * other: its clock jumps to the next scheduled time as soon as a round is done.
 */
import { join } from "node:path";
import { startApp } from "../src/app.ts";
import type { Clock } from "../src/base/clock.ts";
import { Decimal } from "../src/base/decimal.ts";
import { DAY, MINUTE } from "../src/base/duration.ts";
import { createLogger } from "../src/base/log.ts";
import { parseSchedule } from "../src/base/schedule.ts";
import { Secret } from "../src/base/secret.ts";
import type { Rule, Setup } from "../src/model.ts";
import { v4Pool } from "../src/watches/v4-pool.ts";
import { measure, readTask, report, type Task } from "./measure.ts";
import { API_KEY, benchPools } from "./pools.ts";

const START = Date.UTC(2026, 10, 27);

interface SteppedClock extends Clock {
  /** Jumps to the next booked time and wakes everything that is due then. */
  step(): void;
}

function steppedClock(): SteppedClock {
  let now = START;
  const booked = new Set<{ readonly at: number; readonly wake: () => void }>();
  return {
    now: () => now,
    at(at, wake) {
      const one = { at, wake };
      booked.add(one);
      return () => booked.delete(one);
    },
    step() {
      now = Array.from(booked, ({ at }) => at).reduce((least, at) => Math.min(least, at), Infinity);
      const due = Array.from(booked).filter(({ at }) => at <= now);
      for (const one of due) if (booked.delete(one)) one.wake();
    },
  };
}

function rule(task: Task): Rule {
  return {
    name: "tvl-low",
    place: { file: "bench.yaml", line: 1, column: 1 },
    kind: "v4_pool",
    subjects: benchPools(task.subjects).map((pool) =>
      v4Pool.subject({ ...pool, protocol: null, name: null }),
    ),
    when: {
      op: "below",
      metric: "tvl_usd",
      limit: { kind: "value", value: new Decimal(1_000_000n, 0), text: "1_000_000 usd" },
    },
    event: false,
    across: null,
    decimals: new Map(),
    resolveWhen: null,
    forMs: 0,
    resolveAfterMs: 0,
    schedule: parseSchedule("1m", "UTC"),
    severity: "warning",
    labels: {},
    notify: [],
    title: null,
    note: null,
    sendResolved: true,
    onMissing: "keep",
    remind: [],
    worse: null,
    cooldownMs: 0,
    once: false,
    gates: null,
    flapping: { moreThan: 5, withinMs: 60 * MINUTE },
    missingAfterMs: 5 * MINUTE,
    maxAgeMs: DAY,
    bucket: "newest",
    minAgeMs: 0,
    metrics: ["tvl_usd"],
    source: "tvl-low",
  };
}

const task = readTask();
const apiKey = new Secret(API_KEY);
const setup: Setup = {
  service: {
    baseUrl: task.url,
    legacyBaseUrl: null,
    apiKey,
    timeoutMs: 10_000,
    concurrency: 8,
    // The bench measures what a subject costs, not how the daemon keeps to a limit.
    requestsPerSecond: 100_000,
  },
  rules: [rule(task)],
  channels: [],
  store: join(task.folder, "tickwatch.db"),
  groupWaitMs: 0,
  heartbeat: null,
  web: null,
  selfNotify: [],
  retentionMs: 90 * DAY,
  logLevel: "warn",
};

const clock = steppedClock();
let roundDone = (): void => {};
const app = await startApp({
  setup,
  log: createLogger({ level: "warn", secrets: [apiKey] }),
  clock,
  print: () => {},
  colours: false,
  onRound: (record) => {
    if (record.failed > 0) throw new Error(`${record.failed} polls failed`);
    roundDone();
  },
});

async function round(): Promise<void> {
  const done = new Promise<void>((resolve) => {
    roundDone = resolve;
  });
  clock.step();
  await done;
  // The daemon puts its papers in order before the next round comes.
  await new Promise<void>((resolve) => {
    setImmediate(resolve);
  });
}

const measurement = await measure(task, round);
await app.stop();
report(measurement);
