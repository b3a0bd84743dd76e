/** A daemon with the web listener, whose page is asked for right after each round. */
import { performance } from "node:perf_hooks";
import { setTimeout as pause } from "node:timers/promises";
import { startApp } from "../src/app.ts";
import { DAY, MINUTE } from "../src/base/duration.ts";
import { createLogger } from "../src/base/log.ts";
import { loadDriver } from "../src/store/sqlite/driver.ts";
import { sqliteFile } from "../test/support/sqlite-file.ts";
import { start } from "./children.ts";
import { benchSetup } from "./configuration.ts";
import { readTask } from "./measure.ts";
import { steppedClock } from "./stepped-clock.ts";

export interface WebMeasurement {
  readonly overviewMs: number[];
  readonly overviewKilobytes: number[];
  readonly pageMs: number[];
  readonly pageKilobytes: number[];
  readonly searchMs: number[];
  readonly chartMs: number[];
  readonly roundCpuMs: number[];
  readonly pagesPercent: number[];
}

const START = Date.UTC(2026, 10, 27);
const PORT = 29_464;
const URL_OF_PAGE = `http://127.0.0.1:${PORT}`;
/** An event is sent at most once a second, and the pages are asked for then. */
const SETTLED_MS = 3_000;

const task = readTask();
const setup = await benchSetup(task);
const clock = steppedClock(START);
let roundDone = (): void => {};
let looked = 0;
const app = await startApp({
  setup: {
    ...setup,
    web: {
      host: "127.0.0.1",
      port: PORT,
      token: null,
      readOnlyToken: null,
      hosts: [],
      url: null,
      page: true,
      actions: false,
    },
  },
  log: createLogger({ level: "warn", secrets: [setup.service.apiKey] }),
  clock,
  print: () => {},
  colours: false,
  selfChecks: false,
  onRound: (record) => {
    looked += record.subjects;
    if (looked >= task.subjects) roundDone();
  },
});

async function round(): Promise<number> {
  const cpu = process.cpuUsage();
  const done = new Promise<void>((resolve) => {
    roundDone = resolve;
  });
  looked = 0;
  clock.step(MINUTE);
  await done;
  await pause(SETTLED_MS);
  const { user, system } = process.cpuUsage(cpu);
  return (user + system) / 1_000;
}

async function ask(path: string): Promise<{ readonly ms: number; readonly kilobytes: number }> {
  const begun = performance.now();
  const answer = await fetch(URL_OF_PAGE + path);
  const text = await answer.text();
  const ms = performance.now() - begun;
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${text.slice(0, 200)}`);
  return { ms, kilobytes: Buffer.byteLength(text) / 1_000 };
}

/** Gives a subject 30 days of other values, one a minute, as its rounds would have left them. */
async function fillSeries(subject: string): Promise<void> {
  const db = new (await loadDriver())(sqliteFile(setup.store));
  const series = db
    .prepare<[string], number>(
      "SELECT series.id FROM series JOIN names ON names.id = series.subject WHERE names.text = ?",
    )
    .pluck()
    .get(subject);
  const insert = db.prepare(
    "INSERT INTO runs (first, series, last, value, prev) VALUES (?, ?, ?, ?, ?)",
  );
  db.transaction(() => {
    let prev: number | null = null;
    for (let at = START - 30 * DAY; at < START; at += MINUTE) {
      insert.run(at, series, at, String(1_000_000 + (at % 9_973)), prev);
      prev = at;
    }
    db.prepare("UPDATE newest SET prev = ? WHERE series = ?").run(prev, series);
  })();
  db.close();
}

for (let i = 0; i < task.warmUp; i += 1) await round();
const subject = app.rounds.memory.rules[0]?.alerts[0]?.subject.key ?? "";
await fillSeries(subject);
const measured: WebMeasurement = {
  overviewMs: [],
  overviewKilobytes: [],
  pageMs: [],
  pageKilobytes: [],
  searchMs: [],
  chartMs: [],
  roundCpuMs: [],
  pagesPercent: [],
};
const chart = `/api/v1/samples?subject=${encodeURIComponent(subject)}&metric=tvl_usd&points=2000`;
for (let i = 0; i < task.rounds; i += 1) {
  measured.roundCpuMs.push(await round());
  const overview = await ask("/api/v1/overview");
  measured.overviewMs.push(overview.ms);
  measured.overviewKilobytes.push(overview.kilobytes);
  const page = await ask("/");
  measured.pageMs.push(page.ms);
  measured.pageKilobytes.push(page.kilobytes);
  measured.searchMs.push((await ask(`/api/v1/alerts?q=bench+${subject.slice(12, 20)}`)).ms);
  const from = new Date(START - 30 * DAY).toISOString();
  measured.chartMs.push((await ask(`${chart}&from=${from}`)).ms);
}
const quiet = measured.roundCpuMs.reduce((sum, ms) => sum + ms, 0) / task.rounds;
const clients = start("web-clients", URL_OF_PAGE);
await new Promise<void>((resolve) => {
  let listening = 0;
  clients.on("message", () => {
    listening += 1;
    if (listening === 10) resolve();
  });
});
for (let i = 0; i < task.rounds; i += 1) {
  measured.pagesPercent.push((100 * ((await round()) - quiet)) / MINUTE);
}
clients.kill();
await app.stop();
process.send?.(measured);
process.disconnect();
