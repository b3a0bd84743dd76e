/**
 * How far a reader has to walk: the source files and functions that run between an answer of the
 * service and what becomes of it, as V8 counts them. `npm run walk`; with `-- --list` it names the files.
 * It fails where a walk leads through too many.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { Session } from "node:inspector/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { startApp } from "../src/app.ts";
import { HOUR, MINUTE } from "../src/base/duration.ts";
import { createLogger } from "../src/base/log.ts";
import { CHANNELS } from "../src/channels/index.ts";
import { loadSetup } from "../src/config/settings/load.ts";
import { KINDS } from "../src/kinds/index.ts";
import { API_KEY, benchPools, type Pool } from "./pools.ts";
import { startReceiver } from "./receiver.ts";
import { recordParts } from "./record.ts";
import { steppedClock } from "./stepped-clock.ts";

/** One rule, and what the service answers to it: at first, and in the round that is looked at. */
interface Walk {
  readonly name: string;
  readonly rule: string;
  readonly answers: readonly [before: string, then: string];
}

/** Half past an hour, whose tips are known well by then. */
const START = Date.UTC(2026, 10, 27, 12, 30);
const ROUNDS_BEFORE = 3;
const MOST_FILES = 79;
const ROOT = fileURLToPath(new URL("../src/", import.meta.url));

function gasHour(top10Gwei: number): string {
  const gwei = (count: number): string => `${count}000000000`;
  const hour = {
    hour: new Date(START - (START % HOUR)).toISOString(),
    block_count: 150,
    avg_base_fee: gwei(1),
    avg_gas_used: "15000000",
    avg_gas_limit: "30000000",
    utilization: 0.5,
    tx_count: "20000",
    avg_block_priority_fee_min: "0",
    avg_block_priority_fee_max: gwei(90),
    avg_priority_fee_top5_threshold: gwei(8),
    avg_priority_fee_top5_avg: gwei(9),
    avg_priority_fee_top10_threshold: gwei(top10Gwei),
    avg_priority_fee_top10_avg: gwei(8),
    zero_tip_ratio: 0.1,
  };
  return JSON.stringify([hour]);
}

function poolAnswer({ chainId, id }: Pool, tvl: number): string {
  const [first, second, third] = recordParts(chainId, id);
  return `[${first}${tvl}${second}1795000000${third}]`;
}

const [pool] = benchPools(1);
if (pool === undefined) throw new Error("there is no pool");

const WALKS: readonly Walk[] = [
  {
    name: "One gas hour, from answer to Slack body",
    rule: "{name: tip, watch: {kind: gas, chain: 1}, when: {metric: tip_top10, above: 5 gwei}}",
    answers: [gasHour(2), gasHour(7)],
  },
  {
    name: "One pool's window pass",
    rule: `{name: tvl, watch: {kind: v4_pool, pools: [{id: "${pool.id}", chain: ${pool.chainId}}]}, when: {metric: tvl_usd, falls: 10%, within: 1h}}`,
    answers: [poolAnswer(pool, 1_000_000), poolAnswer(pool, 999_000)],
  },
];

const { values } = parseArgs({ options: { list: { type: "boolean", default: false } } });
for (const one of WALKS) {
  const files = await walk(one);
  const functions = [...files.values()].reduce((sum, count) => sum + count, 0);
  console.log(`${one.name}: ${files.size} files, ${functions} functions`);
  if (files.size > MOST_FILES) {
    console.error(`more than ${MOST_FILES} files: put together what is read together`);
    process.exitCode = 1;
  }
  if (!values.list) continue;
  const sorted = [...files].toSorted(([a], [b]) => a.localeCompare(b));
  for (const [file, count] of sorted) console.log(`  ${file}  ${count}`);
}

/** The functions that ran, by source file. */
async function walk({ rule, answers }: Walk): Promise<ReadonlyMap<string, number>> {
  const folder = mkdtempSync(join(tmpdir(), "tickwatch-walk-"));
  const slack = await startReceiver();
  let answer = answers[0];
  const service = createServer((request, response) => {
    const isKey = request.url?.includes("/api-key/") === true;
    response.setHeader("content-type", "application/json");
    response.end(isKey ? '{"valid":true}' : answer);
  });
  await new Promise<void>((resolve) => {
    service.listen(0, "127.0.0.1", resolve);
  });
  const { port } = service.address() as AddressInfo;
  writeFileSync(join(folder, "rules.yaml"), `rules:\n  - ${rule}\n`);
  writeFileSync(
    join(folder, "config.yaml"),
    `service: {base_url: "http://127.0.0.1:${port}", api_key: "${API_KEY}"}
rules: [rules.yaml]
store: tickwatch.db
group_wait: 0s
channels: {slack: {kind: slack, url: "${slack.url}"}}
`,
  );
  const { setup } = await loadSetup(join(folder, "config.yaml"), {
    channels: CHANNELS,
    watches: KINDS,
    env: {},
  });
  const clock = steppedClock(START);
  const log = createLogger({ level: "error", secrets: [] });
  const app = await startApp({
    setup,
    log,
    clock,
    print: () => {},
    colours: false,
    schedule: false,
  });
  try {
    const round = async (): Promise<void> => {
      clock.step(MINUTE);
      await app.rounds.once();
      await app.delivered();
    };
    for (let i = 0; i < ROUNDS_BEFORE; i += 1) await round();
    [, answer] = answers;
    return await counted(round);
  } finally {
    await app.stop();
    slack.stop();
    service.closeAllConnections();
    service.close();
    rmSync(folder, { recursive: true });
  }
}

async function counted(work: () => Promise<void>): Promise<ReadonlyMap<string, number>> {
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  await work();
  const { result } = await session.post("Profiler.takePreciseCoverage");
  session.disconnect();
  const files = new Map<string, number>();
  for (const { url, functions } of result) {
    if (!url.startsWith("file:")) continue;
    const file = relative(ROOT, fileURLToPath(url)).replace(/\.js$/, ".ts");
    // The bench's own files lie elsewhere. A name is missing where a file itself was run.
    if (file.startsWith("..")) continue;
    const ran = functions.filter(({ ranges }) => (ranges[0]?.count ?? 0) > 0).length;
    if (ran > 0) files.set(file, ran);
  }
  return files;
}
