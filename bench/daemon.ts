/**
 * The whole daemon as it is built, one round after the other: its clock jumps to the next scheduled
 * time as soon as a round is done.
 */
import { performance } from "node:perf_hooks";
import { startApp } from "../src/app.ts";
import { MINUTE } from "../src/base/duration.ts";
import { createLogger } from "../src/base/log.ts";
import { benchSetup } from "./configuration.ts";
import { measure, readTask, report } from "./measure.ts";
import { steppedClock } from "./stepped-clock.ts";

const START = Date.UTC(2026, 10, 27);

const task = readTask();
const setup = await benchSetup(task);
// A daemon that starts on a database finds it as an earlier one left it.
const clock = steppedClock(START + (task.startsLaterMs ?? 0));
let roundDone = (): void => {};
let looked = 0;
const opening = performance.now();
const openingCpu = process.cpuUsage();
const app = await startApp({
  setup,
  log: createLogger({ level: "warn", secrets: [setup.service.apiKey] }),
  clock,
  print: () => {},
  colours: false,
  selfChecks: false,
  onRound: (record) => {
    if (record.failed > 0) throw new Error(`${record.failed} polls failed`);
    looked += record.subjects;
    if (looked >= task.subjects) roundDone();
  },
});
const openMs = performance.now() - opening;
const { user, system } = process.cpuUsage(openingCpu);
const openCpuMs = (user + system) / 1000;

async function round(): Promise<void> {
  const done = new Promise<void>((resolve) => {
    roundDone = resolve;
  });
  looked = 0;
  clock.step(MINUTE);
  await done;
  // The daemon puts its papers in order before the next round comes.
  await new Promise<void>((resolve) => {
    setImmediate(resolve);
  });
}

const measurement = await measure(task, round);
if (task.sink !== null) await app.delivered();
await app.stop();
report({ ...measurement, openMs, openCpuMs });
