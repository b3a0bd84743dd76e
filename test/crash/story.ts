import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { MINUTE } from "../../src/base/duration.ts";
import type { RawRecord } from "../../src/model/index.ts";
import { POOL_ID, poolRecord } from "../kinds/records.ts";

/** What is watched, and what happens to it: the same in every run. */

export const START = Date.UTC(2026, 10, 27, 15);
const OTHER_POOL = `0x${"2b".repeat(32)}`;

interface Scene {
  /** Of the first pool and of the other, in dollars. */
  readonly tvl: readonly [number, number];
  /** Of the other pool. */
  readonly swaps: number;
}

const SCENES: readonly Scene[] = [
  { tvl: [1_000, 1_000], swaps: 7 },
  { tvl: [800, 1_000], swaps: 7 },
  { tvl: [800, 700], swaps: 7 },
  { tvl: [1_000, 550], swaps: 7 },
  { tvl: [1_000, 1_000], swaps: 8 },
  { tvl: [850, 1_000], swaps: 8 },
  { tvl: [850, 1_000], swaps: 8 },
  { tvl: [1_000, 1_000], swaps: 8 },
];

/** So many rounds the story has when each scene lasts `stretch` of them. */
export function roundsOf(stretch: number): number {
  return SCENES.length * stretch;
}

/** The service's record of a pool at a date. */
export function poolAt(date: number, stretch: number, id: string): RawRecord {
  const round = Math.max(0, Math.floor((date - START) / MINUTE));
  const scene = SCENES[Math.min(Math.floor(round / stretch), SCENES.length - 1)] ?? SCENES[0]!;
  const other = id === OTHER_POOL;
  return poolRecord({
    pool_id: id,
    tvl_usd: scene.tvl[other ? 1 : 0],
    swap_count: String(other ? scene.swaps : 7),
  });
}

const RULES = `
rules:
  - name: tvl-low
    watch: {kind: v4_pool, chain: 1, pools: [{id: "${POOL_ID}", name: One}, {id: "${OTHER_POOL}", name: Other}]}
    when: {metric: tvl_usd, below: 900 usd}
    worse_by: 100 usd
    schedule: 1m
    notify: [hook, slack]
  - name: tvl-stays-low
    watch: {kind: v4_pool, chain: 1, pools: [{id: "${POOL_ID}", name: One}]}
    when: {metric: tvl_usd, below: 900 usd}
    for: 1m
    severity: critical
    schedule: 1m
  - name: swapped
    watch: {kind: v4_pool, chain: 1, pools: [{id: "${OTHER_POOL}", name: Other}]}
    when: {metric: swap_count, changes: true}
    schedule: 1m
`;

export interface Addresses {
  readonly service: string;
  readonly hook: string;
  readonly slack: string;
  readonly mailPort: number;
}

/** Writes the daemon's configuration into its folder. */
export async function writeConfig(
  folder: string,
  { service, hook, slack, mailPort }: Addresses,
  groupWait: string,
  muted: boolean,
): Promise<void> {
  await writeFile(join(folder, "rules.yaml"), RULES);
  await writeFile(
    join(folder, "config.yaml"),
    [
      "service:",
      `  base_url: ${service}`,
      '  api_key: "${env:KEY}"',
      "  timeout: 5s",
      "  requests_per_second: 1000",
      "rules: [rules.yaml]",
      "store: tickwatch.db",
      `group_wait: ${groupWait}`,
      "channels:",
      `  hook: {kind: webhook, url: "${hook}/hook"}`,
      `  slack: {kind: slack, url: "${slack}/services/T0/B0/x"}`,
      "  mail:",
      "    kind: email",
      `    smtp: smtp://127.0.0.1:${mailPort}`,
      "    from: tickwatch@example.org",
      "    to: [ops@example.org]",
      "routes:",
      "  - {match: {rule: swapped}, notify: hook, continue: true}",
      `  - {notify: mail${muted ? ", mute: quiet, mute_critical: true" : ""}}`,
      // In this time something fires and is over, and something happens that is told at the end.
      ...(muted ? ["mutes:", '  quiet: {from: "15:02", to: "15:05", timezone: UTC}'] : []),
      "log: {level: warn}",
      "",
    ].join("\n"),
  );
}
