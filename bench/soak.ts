/**
 * Runs the daemon over many simulated days of changing values, failing answers and alerts that come and
 * go, and looks whether it grows: `npm run soak -- --minutes 20 --days 30 --subjects 200 --every 1m`.
 * With `--size` it only weighs the database, with one rule that keeps a window.
 */
import { fork } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { DAY, MINUTE, parseDuration } from "../src/base/duration.ts";
import { API_KEY, benchPools } from "./pools.ts";
import type { SoakTask, Weight } from "./soak-daemon.ts";
import { daysNeeded, judge, said } from "./soak-judge.ts";
import { startSoakService } from "./soak-service.ts";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "20" },
    days: { type: "string", default: "30" },
    subjects: { type: "string", default: "200" },
    every: { type: "string", default: "1m" },
    retention: { type: "string", default: "7d" },
    size: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
  },
});
const days = Number(values.days);
const limitMs = Number(values.minutes) * MINUTE;
const everyMs = parseDuration(values.every);
const retentionMs = parseDuration(values.retention);
if (!(days >= 1 && limitMs > 0) || everyMs === null || retentionMs === null) {
  console.error("--days and --minutes are counts, --every and --retention durations such as 1m");
  process.exit(2);
}
/** A window of one day is kept for two, whatever the retention says. */
const LEAST_DAYS = 2;
const retentionDays = Math.max(LEAST_DAYS, Math.ceil(retentionMs / DAY));
if (!values.size && days < daysNeeded(retentionDays)) {
  console.error(
    `to judge a retention of ${values.retention} it takes --days ${daysNeeded(retentionDays)} at least`,
  );
  process.exit(2);
}

const folder = mkdtempSync(join(tmpdir(), "tickwatch-soak-"));
const service = await startSoakService();
const weights: Weight[] = [];
let ended = "";
try {
  const config = configure(folder, service.serviceUrl, service.sinkUrl);
  const task: SoakTask = { config, everyMs, days, limitMs };
  const path = fileURLToPath(new URL("./soak-daemon.js", import.meta.url));
  const child = fork(path, [JSON.stringify(task)], { execArgv: ["--expose-gc"] });
  // It ends by itself after the day in which the time is over.
  const stuck = setTimeout(() => child.kill("SIGKILL"), 2 * limitMs + MINUTE);
  child.on("message", (message) => {
    const weight = message as Weight;
    weights.push(weight);
    console.error(line(weight));
  });
  ended = await new Promise((resolve) => {
    child.once("exit", (code, signal) => resolve(signal ?? `code ${code}`));
  });
  clearTimeout(stuck);
} finally {
  service.stop();
  rmSync(folder, { recursive: true, force: true });
}

const verdicts = values.size ? [] : judge(weights, retentionDays);
const misses = [
  ...(ended === "code 0" ? [] : [`it ended with ${ended}`]),
  ...(weights.length < days
    ? [`only ${weights.length} of ${days} days in ${values.minutes} minutes`]
    : []),
  ...(verdicts === null ? ["too few days to say whether it grows"] : []),
  ...(verdicts ?? []).filter(({ after, most }) => after > most).map(said),
];
if (values.json) {
  console.log(JSON.stringify({ weights, ...service.counts(), verdicts, misses }, null, 2));
} else {
  const { requests, failed, notices } = service.counts();
  console.log(
    `${weights.length} days, ${requests} requests (${failed} failed on purpose), ${notices} notices delivered`,
  );
  for (const verdict of verdicts ?? []) console.log(said(verdict));
  for (const miss of misses) console.log(`MISSED: ${miss}`);
}
process.exitCode = misses.length === 0 ? 0 : 1;

function configure(place: string, serviceUrl: string, sinkUrl: string): string {
  const pools = benchPools(Number(values.subjects));
  const lists = pools.map(({ chainId, id }) => `    - {id: "${id}", chain: ${chainId}}`).join("\n");
  mkdirSync(join(place, "rules"));
  const watch = "{kind: v4_pool, pools: {list: all}}";
  writeFileSync(
    join(place, "rules", "soak.yaml"),
    `lists:
  all:
${lists}
rules:
  - {name: falling, watch: ${watch}, when: {metric: tvl_usd, falls: 40%, within: 6h}, cooldown: 6h}
${values.size ? "" : alertRules(watch)}`,
  );
  const path = join(place, "config.yaml");
  writeFileSync(
    path,
    `service: {base_url: "${serviceUrl}", api_key: "${API_KEY}", requests_per_second: 1000, concurrency: 8}
rules: [rules/*.yaml]
store: soak.db
retention: ${values.retention}
defaults: {schedule: ${values.every}}
channels:
  sink: {kind: webhook, url: "${sinkUrl}/hook"}
`,
  );
  return path;
}

/** Rules whose alerts come, stay, are gated and reminded of. */
function alertRules(watch: string): string {
  return `  - {name: low, watch: ${watch}, when: {metric: tvl_usd, below: 800_000 usd}, for: ${values.every}}
  - {name: cheap, watch: ${watch}, when: {metric: tvl_usd, below: p10, within: 1d}, notify: []}
  - {name: low-and-cheap, watch: ${watch}, when: {metric: tvl_usd, below: 720_000 usd}, only_while: [cheap], remind: [6h]}
`;
}

function line(weight: Weight): string {
  return [
    `day ${weight.day}: heap ${weight.heapMegabytes.toFixed(1)} MB`,
    `memory ${weight.residentMegabytes.toFixed(0)} MB`,
    `database ${weight.databaseMegabytes.toFixed(1)} MB`,
    `${weight.owed} owed`,
    `a round ${weight.roundMs.toFixed(1)} ms, ${weight.roundCpuMs.toFixed(1)} of CPU`,
    `${weight.failedPolls} polls failed`,
  ].join(", ");
}
