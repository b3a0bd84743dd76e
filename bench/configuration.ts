import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CHANNELS } from "../src/channels/index.ts";
import { loadSetup } from "../src/config/settings/load.ts";
import { KINDS } from "../src/kinds/index.ts";
import { v4Pool } from "../src/kinds/v4-pool.ts";
import type { Rule, Setup } from "../src/model/index.ts";
import type { Task, Work } from "./measure.ts";
import { API_KEY, benchPools, type Pool } from "./pools.ts";

const CONDITIONS: Record<Work, string> = {
  threshold: "{metric: tvl_usd, below: 1_000_000 usd}",
  "rule-each": "{metric: tvl_usd, below: 1_000_000 usd}",
  window: "{metric: tvl_usd, falls: 10%, within: 1h}",
};

export interface ConfigFiles {
  readonly serviceUrl: string;
  readonly sinkUrl: string | null;
  /** What `store` says, and what follows it; absent: a SQLite file in the folder. */
  readonly store?: string;
  /** The text of each rules file. */
  readonly rules: readonly string[];
}

/** Writes a configuration into a folder; returns the path of its config.yaml. */
export function writeConfig(folder: string, files: ConfigFiles): string {
  mkdirSync(join(folder, "rules"), { recursive: true });
  for (const [i, text] of files.rules.entries()) {
    writeFileSync(join(folder, "rules", `bench-${i}.yaml`), `rules:\n${text}`);
  }
  const path = join(folder, "config.yaml");
  writeFileSync(
    path,
    `service: {base_url: "${files.serviceUrl}", api_key: "${API_KEY}", requests_per_second: 1000, concurrency: 8}
rules: [rules/*.yaml]
store: ${files.store ?? "tickwatch.db"}
group_wait: 0s
defaults: {schedule: 1m}
channels:
  sink: {kind: webhook, url: "${files.sinkUrl ?? "http://127.0.0.1:10009"}/hook"}
`,
  );
  return path;
}

/** The lines of one rule over one pool. */
export function ruleText(name: string, pool: Pool, work: Work, notify: boolean): string {
  const { chainId, id } = pool;
  return `  - {name: ${name}, watch: {kind: v4_pool, pools: [{id: "${id}", chain: ${chainId}}]}, when: ${CONDITIONS[work]}${notify ? "" : ", notify: []"}}\n`;
}

/**
 * What the task's daemon runs on: one rule as it is read from a file, then set over all pools or
 * repeated for each, since what reading large files takes is measured apart.
 */
export async function benchSetup(task: Task): Promise<Setup> {
  const path = writeConfig(task.folder, {
    serviceUrl: task.url,
    sinkUrl: task.sink,
    ...(task.store === undefined ? {} : { store: `"${task.store}"` }),
    rules: benchPools(1).map((pool) => ruleText("bench", pool, task.work, task.sink !== null)),
  });
  const { setup } = await loadSetup(path, { env: {}, watches: KINDS, channels: CHANNELS });
  const [rule] = setup.rules;
  if (rule === undefined) throw new Error("no rule was read");
  return {
    ...setup,
    // The bench measures what a subject costs, not how the daemon keeps to a limit.
    service: { ...setup.service, requestsPerSecond: 100_000 },
    rules: spreadOut(rule, task),
  };
}

function spreadOut(rule: Rule, task: Task): readonly Rule[] {
  const subjects = benchPools(task.subjects).map((pool) =>
    v4Pool.subject({ ...pool, protocol: null, name: null }),
  );
  if (task.work !== "rule-each") return [{ ...rule, subjects }];
  return subjects.map((subject, i) => ({
    ...rule,
    name: `bench-${i}`,
    source: `bench-${i}`,
    subjects: [subject],
  }));
}
