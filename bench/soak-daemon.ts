/**
 * The daemon of a soak: its clock jumps from round to round, and after each simulated day it tells how
 * large it is. Its garbage is collected before it is weighed (`--expose-gc`).
 */
import { statSync } from "node:fs";
import { performance } from "node:perf_hooks";
import { setImmediate as breathe, setTimeout as delay } from "node:timers/promises";
import { startApp } from "../src/app.ts";
import type { Clock } from "../src/base/clock.ts";
import { DAY } from "../src/base/duration.ts";
import { createLogger } from "../src/base/log.ts";
import { CHANNELS } from "../src/channels/index.ts";
import { loadSetup } from "../src/config/settings/load.ts";
import { createHttpSource } from "../src/fetch/http.ts";
import { KINDS } from "../src/kinds/index.ts";
import { openSqliteStore } from "../src/store/sqlite/store.ts";
import { sqliteFile } from "../test/support/sqlite-file.ts";
import { steppedClock } from "./stepped-clock.ts";

/** What a soak's daemon is told. */
export interface SoakTask {
  readonly config: string;
  readonly everyMs: number;
  readonly days: number;
  /** After so much real time no further day is begun, in ms. */
  readonly limitMs: number;
}

/** How it is after one simulated day. */
export interface Weight {
  readonly day: number;
  readonly heapMegabytes: number;
  readonly residentMegabytes: number;
  readonly databaseMegabytes: number;
  readonly owed: number;
  /** In real time, most of which may be waiting for the disk. */
  readonly roundMs: number;
  readonly roundCpuMs: number;
  readonly failedPolls: number;
}

/** Deliveries run in real time, so the fast clock waits for them when so much is owed. */
const MOST_OWED = 2_000;
const START = Date.UTC(2026, 0, 1);
const MEGABYTE = 1024 * 1024;

const task = JSON.parse(process.argv[2] ?? "{}") as SoakTask;
const { setup } = await loadSetup(task.config, { env: {}, watches: KINDS, channels: CHANNELS });
const clock = steppedClock(START);
/** Receivers live in real time, but what was sent must be as old as everything else when it is pruned. */
const outboxClock: Clock = {
  now: () => clock.now(),
  at(at, wake) {
    const timer = setTimeout(wake, Math.max(0, at - clock.now()));
    return () => clearTimeout(timer);
  },
  elapsed: () => performance.now(),
  after(ms, wake) {
    const timer = setTimeout(wake, ms);
    return () => clearTimeout(timer);
  },
};

const store = await openSqliteStore(sqliteFile(setup.store));
/** What waits for an endpoint to come back is over when the rounds' clock says so. */
const source = createHttpSource({
  ...setup.service,
  now: () => performance.now() + clock.now() - START,
});
let roundDone = (): void => {};
let failedPolls = 0;
const app = await startApp({
  setup,
  store,
  source,
  // Answers fail on purpose here.
  log: createLogger({ level: "fatal", secrets: [setup.service.apiKey] }),
  clock,
  outboxClock,
  print: () => {},
  colours: false,
  selfChecks: false,
  onRound: (record) => {
    failedPolls += record.failed;
    roundDone();
  },
});

async function round(): Promise<void> {
  const done = new Promise<void>((resolve) => {
    roundDone = resolve;
  });
  clock.step(task.everyMs);
  await done;
  await breathe();
}

async function owed(): Promise<number> {
  return [...(await store.owed()).values()].reduce((sum, count) => sum + count, 0);
}

const rounds = Math.round(DAY / task.everyMs);
const begun = performance.now();
for (let day = 1; day <= task.days && performance.now() - begun < task.limitMs; day += 1) {
  let spent = 0;
  const cpu = process.cpuUsage();
  for (let i = 0; i < rounds; i += 1) {
    const start = performance.now();
    await round();
    spent += performance.now() - start;
  }
  const { user, system } = process.cpuUsage(cpu);
  for (let waited = 0; (await owed()) > MOST_OWED && waited < 600; waited += 1) await delay(100);
  globalThis.gc?.();
  const { heapUsed, rss } = process.memoryUsage();
  const size = (end: string): number =>
    statSync(sqliteFile(setup.store) + end, { throwIfNoEntry: false })?.size ?? 0;
  const weight: Weight = {
    day,
    heapMegabytes: heapUsed / MEGABYTE,
    residentMegabytes: rss / MEGABYTE,
    databaseMegabytes: (size("") + size("-wal")) / MEGABYTE,
    owed: await owed(),
    roundMs: spent / rounds,
    roundCpuMs: (user + system) / 1000 / rounds,
    failedPolls,
  };
  process.send?.(weight);
}
await app.stop();
process.disconnect();
