import { join } from "node:path";
import { loadDriver } from "../src/store/sqlite/driver.ts";
import { inFolder, type SourceServer } from "./children.ts";
import { type CliRun, runCommand } from "./cli.ts";
import { writeConfig } from "./configuration.ts";
import type { Figure, FigureGroup } from "./figures.ts";
import { benchPools } from "./pools.ts";
import { type Spread, spread } from "./spread.ts";

const MINUTE_MS = 60_000;
const DAY_MINUTES = 1_440;
const YEAR = 365;
const MONTH = 30;
/** So long a daemon runs for its first round, on a busy machine too. */
const FIRST_ROUND_MS = 15_000;
const RULES = 19;
const SUBJECTS = 27;
const LIMITS = "900_000,910_000,920_000,930_000,940_000,950_000,960_000,970_000,980_000,990_000"
  .split(",")
  .map((limit) => `${limit}usd`)
  .join(",");

const ONE = "{metric: tvl_usd, below: 950_000 usd}";

/** What rules of a team of LPs ask, in turn. */
const CONDITIONS: readonly string[] = [
  `when: ${ONE}, for: 5m`,
  "when: {metric: tvl_usd, falls: 10%, within: 1h}",
  "when: {metric: tvl_usd, above: 1_050_000 usd}, resolve_when: {below: 1_000_000 usd}",
  "when: {metric: tvl_usd, moves: 12%, since: 6h}",
  "when: {metric: tvl_usd, below: p10, within: 1d}",
  "when: {all: [{metric: tvl_usd, falls: 5%, within: 1h}, {metric: swap_count, above: 10}]}",
  "when: {metric: current_tick, outside: [-1000, 1000]}, for: 10m, resolve_after: 10m",
];

/** Rules on a history of a daemon that looked once a minute. */
export const backtest: FigureGroup = async ({ server, runs }) => [
  ...(await inFolder((folder) => ofOne(folder, server, runs))),
  ...(await inFolder((folder) => ofTeam(folder, server, runs))),
];

async function ofOne(folder: string, server: SourceServer, runs: number): Promise<Figure[]> {
  const [pool] = benchPools(1);
  if (pool === undefined) throw new Error("there are no pools");
  const rule = `  - {name: one, watch: {kind: v4_pool, pools: [{id: "${pool.id}", chain: ${pool.chainId}}]}, when: ${ONE}}\n`;
  const config = await recorded(folder, server, [rule], YEAR + 2);
  const year = await repeated(runs, config, ["--from", `${YEAR}d`]);
  const month = await repeated(runs, config, ["--from", `${MONTH}d`]);
  const tries = await repeated(runs, config, ["--from", `${YEAR}d`, "--try", `below=${LIMITS}`]);
  const peak = (all: readonly CliRun[]): Spread =>
    spread(all.map(({ peakMegabytes }) => peakMegabytes));
  return [
    figure("backtest of a year of minutes, one rule, one subject: CPU", cpu(year), "ms", 15_000),
    figure(
      "with ten limits: CPU to that of one",
      ratio(tries, year, (one) => one.cpuMs),
      "times",
      1.5,
    ),
    figure("its memory over 30 days", peak(month), "MB", null),
    figure(
      "over 365 days to that",
      ratio(year, month, (one) => one.peakMegabytes),
      "times",
      1.25,
    ),
  ];
}

async function ofTeam(folder: string, server: SourceServer, runs: number): Promise<Figure[]> {
  const pools = benchPools(SUBJECTS);
  const rules = Array.from({ length: RULES }, (_, i) => {
    const mine = pools.filter((_pool, j) => j % RULES === i || (j * 7 + 3) % RULES === i);
    const list = mine.map(({ id, chainId }) => `{id: "${id}", chain: ${chainId}}`).join(", ");
    const condition = CONDITIONS[i % CONDITIONS.length] ?? "";
    return `  - {name: rule-${i}, watch: {kind: v4_pool, pools: [${list}]}, ${condition}}\n`;
  });
  const config = await recorded(folder, server, rules, MONTH + 2);
  const month = await repeated(runs, config, ["--from", `${MONTH}d`]);
  const words = `backtest of ${MONTH} days of minutes, ${RULES} rules, ${SUBJECTS} subjects`;
  return [
    figure(`${words}: CPU`, cpu(month), "ms", 10_000),
    figure(`${words}: time`, spread(month.map(({ wallMs }) => wallMs)), "ms", 10_000),
  ];
}

function figure(words: string, value: Spread, unit: string, bar: number | null): Figure {
  return { words, value, unit, bar };
}

function cpu(all: readonly CliRun[]): Spread {
  return spread(all.map(({ cpuMs }) => cpuMs));
}

function ratio(
  these: readonly CliRun[],
  those: readonly CliRun[],
  of: (one: CliRun) => number,
): Spread {
  const base = spread(those.map(of)).median;
  return spread(these.map((one) => of(one) / base));
}

async function repeated(
  runs: number,
  config: string,
  options: readonly string[],
): Promise<readonly CliRun[]> {
  const all: CliRun[] = [];
  for (let i = 1; i <= runs; i += 1) {
    console.error(`backtest ${options[1]}, run ${i} of ${runs}`);
    all.push(await runCommand(["backtest", "--config", config, ...options]));
  }
  return all;
}

/** The first round of a real daemon, and as many minutes before it as there are in so many days, with other values. */
async function recorded(
  folder: string,
  server: SourceServer,
  rules: readonly string[],
  days: number,
): Promise<string> {
  const path = writeConfig(folder, { serviceUrl: server.url, sinkUrl: null, rules });
  await runCommand(["run", "--config", path], FIRST_ROUND_MS);
  const driver = await loadDriver();
  const db = new driver(join(folder, "tickwatch.db"));
  try {
    const [date, id] = db
      .prepare<[], [number, number]>("SELECT date, rowid FROM rounds ORDER BY date LIMIT 1")
      .raw()
      .get() ?? [0, 0];
    const series = db
      .prepare<[], [number, string]>("SELECT series, value FROM newest WHERE value IS NOT NULL")
      .raw()
      .all();
    if (id === 0 || series.length === 0) throw new Error("nothing was recorded");
    const columns = "rule_set, requests, subjects, failed, failures, took_ms, reads";
    const putRound = db.prepare<[number, number]>(
      `INSERT INTO rounds (date, ${columns}) SELECT ?, ${columns} FROM rounds WHERE date = ?`,
    );
    const putRun = db.prepare<[number, number, number, string]>(
      "INSERT INTO runs (first, series, last, value) VALUES (?, ?, ?, ?)",
    );
    db.transaction(() => {
      for (let minute = days * DAY_MINUTES; minute > 0; minute -= 1) {
        const at = date - minute * MINUTE_MS;
        putRound.run(at, date);
        for (const [one, value] of series) putRun.run(at, one, at, moved(value, minute + 97 * one));
      }
    }).immediate();
  } finally {
    db.close();
  }
  return path;
}

/** The value of a minute, up to a tenth from what it is now: slow swings with a quick one on top. */
function moved(value: string, minute: number): string {
  const swing = 0.08 * Math.sin(minute / 400) + 0.02 * Math.sin(minute / 7);
  return String(Math.round(Number(value) * (1 + swing)));
}
