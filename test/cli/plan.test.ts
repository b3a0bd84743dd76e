import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ENDPOINTS } from "../../src/api/endpoints.ts";
import { CHANNELS } from "../../src/channels/index.ts";
import { Rounds } from "../../src/commit/rounds.ts";
import { loadSetup } from "../../src/config/settings/load.ts";
import { createHttpSource } from "../../src/fetch/http.ts";
import { KINDS } from "../../src/kinds/index.ts";
import { createFakeClock } from "../support/fake-clock.ts";
import { createMemoryStore } from "../support/memory-store.ts";
import { runTickwatch } from "./test-command.ts";

const TOKEN = "0x00000000eFE302BEAA2b3e6e1b18d08D69a9012a";
const pool = (n: number): string => `0x${n.toString(16).padStart(64, "0")}`;
const POSITIONS = Array.from({ length: 25 }, (_, i) => i + 1);

const RULES = `rules:
  - name: ranges
    watch: {kind: v4_position, chain: 1, protocol: dexa, positions: [${POSITIONS.join(", ")}]}
    when: {metric: in_range, equals: false}
    for: 5m
    schedule: 1m
  - name: pools
    watch: {kind: v4_pool, chain: 1, pools: [${[pool(1001), pool(1002)].join(", ")}]}
    when: {metric: tvl_usd, below: 5}
    schedule: 5m
  - name: supplies
    watch: {kind: token_supply, chain: [1, 137], token: {id: ${TOKEN}, decimals: 6}}
    when: {metric: total_supply, below: 5 tokens}
    schedule: "30 6 * * *"
  - name: gas
    watch: {kind: gas, chain: [1, 137]}
    when: {metric: tip_top10, above: 5 gwei}
    schedule: 1m
`;

/** Answers every id with a record, each position in the pool of its number, and counts. */
function countingServer(poolOf: (nft: number) => string) {
  let counts: Record<string, number> = {};
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://localhost");
    const name =
      Object.entries(ENDPOINTS).find(([, { path }]) => path === url.pathname)?.[0] ?? "?";
    counts[name] = (counts[name] ?? 0) + 1;
    const chain_id = Number(url.searchParams.get("chain_id"));
    const of = (param: string, field: string, more: (id: string) => object): object[] =>
      url.searchParams.getAll(param).map((id) => ({ [field]: id, chain_id, ...more(id) }));
    const records = [
      ...of("nft_ids", "nft_id", (id) => ({
        protocol: "dexa",
        pool_id: poolOf(Number(id)),
        lower_tick: -10,
        upper_tick: 10,
        liquidity: "1",
      })),
      ...of("pool_ids", "pool_id", () => ({ current_tick: 0, tvl_usd: 10 })),
      ...of("token", "token_address", () => ({ total_supply: "10000000" })),
    ];
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(records));
  });
  /** What was asked since it was last taken. */
  const take = (): Record<string, number> => {
    const taken = counts;
    counts = {};
    return taken;
  };
  return { server, take };
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((done) => {
    server.listen(0, "127.0.0.1", done);
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return `http://127.0.0.1:${address.port}`;
}

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "tickwatch-plan-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function configure(baseUrl: string): Promise<string> {
  await writeFile(join(folder, "rules.yaml"), RULES);
  const config = join(folder, "config.yaml");
  await writeFile(
    config,
    `service: {base_url: "${baseUrl}", api_key: "\${env:KEY}", requests_per_second: 1000}
rules: [rules.yaml]
channels: {terminal: {kind: console}}
`,
  );
  return config;
}

const ENV = { KEY: "tw_0123456789abcdef" };

interface Planned {
  readonly rounds: readonly {
    readonly rules: readonly string[];
    readonly times: number;
    readonly first_at: string;
    readonly least: { readonly total: number; readonly endpoints: Record<string, number> };
    readonly most: { readonly total: number; readonly endpoints: Record<string, number> };
    readonly bad_ids_at_most: { readonly endpoints: Record<string, number> };
    readonly first_round_besides: { readonly endpoints: Record<string, number> };
  }[];
  readonly day_at_most: { readonly total: number; readonly endpoints: Record<string, number> };
  readonly hour_at_most: { readonly total: number; readonly endpoints: Record<string, number> };
  readonly busiest: { readonly at: string; readonly requests: number };
}

async function planned(config: string): Promise<Planned> {
  const { code, out, err } = await runTickwatch(["plan", "-c", config, "--json"], { env: ENV });
  expect([code, err]).toEqual([0, ""]);
  const report: Planned = JSON.parse(out);
  return report;
}

/** The requests of a new daemon's first look, and of a round over all but the daily rule after it. */
async function asked(config: string, take: () => Record<string, number>) {
  const { setup } = await loadSetup(config, { env: ENV, watches: KINDS, channels: CHANNELS });
  const source = createHttpSource({ ...setup.service, log: () => {} });
  const clock = createFakeClock(Date.UTC(2026, 0, 1, 12));
  let ended = () => {};
  const rounds = await Rounds.open({
    setup,
    kinds: KINDS,
    source,
    store: createMemoryStore(),
    clock,
    log: pino({ level: "silent" }),
    onEvent: ({ kind }) => {
      if (kind === "round") ended();
    },
  });
  rounds.start();
  await rounds.started();
  const first = take();
  const end = new Promise<void>((done) => {
    ended = done;
  });
  // A multiple of five minutes; what lies between is not looked at.
  await clock.set(Date.UTC(2026, 0, 1, 12, 5));
  await end;
  const steady = take();
  await rounds.stop();
  await source.close();
  return { first, steady };
}

const sum = (counts: Record<string, number>): number =>
  Object.values(counts).reduce((all, one) => all + one, 0);

describe("tickwatch plan", () => {
  it("says what a real run asks, where every position has a pool of its own", async () => {
    const { server, take } = countingServer(pool);
    const config = await configure(await listen(server));
    const { rounds } = await planned(config);
    const both = rounds.find(({ rules }) => rules.join() === "ranges,pools,gas");
    const all = rounds.find(({ rules }) => rules.join() === "ranges,pools,supplies,gas");
    const { first, steady } = await asked(config, take);
    server.close();
    expect(both?.most.endpoints).toEqual(steady);
    const most = all?.most.endpoints ?? {};
    const besides = all?.first_round_besides.endpoints ?? {};
    const names = new Set([...Object.keys(most), ...Object.keys(besides)]);
    const expected = [...names].map((name) => [name, (most[name] ?? 0) + (besides[name] ?? 0)]);
    expect(first).toEqual(Object.fromEntries(expected));
    expect(steady).toEqual({ v4_position: 2, v4_pool: 2, gas_hourly: 2 });
  });

  it("bounds it from both sides where positions share pools", async () => {
    const { server, take } = countingServer(() => pool(1001));
    const config = await configure(await listen(server));
    const { rounds } = await planned(config);
    const both = rounds.find(({ rules }) => rules.join() === "ranges,pools,gas");
    const { steady } = await asked(config, take);
    server.close();
    expect(steady).toEqual({ v4_position: 2, v4_pool: 1, gas_hourly: 2 });
    expect(both?.least.endpoints).toEqual(steady);
    expect(sum(steady)).toBeLessThan(both?.most.total ?? 0);
  });

  it("counts the day by its schedules: intervals, a cron, and times in common", async () => {
    const config = await configure("http://127.0.0.1:1");
    const { rounds, day_at_most, hour_at_most, busiest } = await planned(config);
    expect(rounds.map(({ rules, times }) => [rules.join(), times])).toEqual([
      ["ranges,gas", 1152],
      ["ranges,pools,gas", 287],
      ["ranges,pools,supplies,gas", 1],
    ]);
    expect(day_at_most.endpoints).toEqual({
      v4_position: 2 * 1440,
      v4_pool: 2 * 1440,
      gas_hourly: 2 * 1440,
      supply: 2,
    });
    expect(day_at_most.total).toBe(6 * 1440 + 2);
    // The hour of the cron is the busiest.
    expect(hour_at_most.total).toBe(6 * 60 + 2);
    expect(busiest).toMatchObject({ at: expect.stringMatching(/T06:30:00/), requests: 8 });
  });

  it("bounds what a search for bad ids adds", async () => {
    const config = await configure("http://127.0.0.1:1");
    const { rounds } = await planned(config);
    const both = rounds.find(({ rules }) => rules.join() === "ranges,pools,gas");
    // 25 positions in batches of 20 and 5 would be 38 and 8 requests more; 40 is the bound.
    expect(both?.bad_ids_at_most.endpoints).toEqual({ v4_position: 40, v4_pool: 40 });
  });

  it("prints it for people, too", async () => {
    const config = await configure("http://127.0.0.1:1");
    const { code, out } = await runTickwatch(["plan", "--config", config], { env: ENV });
    expect(code).toBe(0);
    expect(out).toMatch(/^1,152 rounds a day, the first at 00:01:00 UTC: 4 to 6 requests$/m);
    expect(out).toMatch(/^ {2}rules: ranges, gas$/m);
    expect(out).toMatch(/^ {2}v4_pool +0 to 2 +0 +40$/m);
    expect(out).toMatch(/^all +362 +8,642$/m);
    expect(out).toContain(
      "Busiest second: 06:30:00 UTC, 8 requests, sent within 1 s at 1,000 a second.",
    );
  });

  it("says what nodes are asked in a day, in calls", async () => {
    const config = join(folder, "config.yaml");
    await writeFile(
      config,
      `service:
  rpc:
    chains:
      1: {urls: ["http://127.0.0.1:1"]}
      8453: {urls: ["http://127.0.0.1:1", "http://127.0.0.1:2"], days: 1}
      137: {urls: ["http://127.0.0.1:1"]}
rules: [rules.yaml]
channels: {terminal: {kind: console}}
`,
    );
    const v3 = `0x${"3".repeat(40)}`;
    await writeFile(
      join(folder, "rules.yaml"),
      `rules:
  - name: ranges
    watch: {kind: v4_position, chain: 1, protocol: dexa, positions: [${POSITIONS.join(", ")}]}
    when: {metric: liquidity, below: 5}
    schedule: 1m
  - name: swaps
    watch: {kind: v3_swaps, chain: 8453, pools: ["${v3}"]}
    when: {metric: sender, equals: 0x1111111111111111111111111111111111111111}
    schedule: 1m
  - name: pool
    watch: {kind: v3_pool, chain: 8453, pools: ["${v3}"]}
    when: {metric: price, below: 5}
    schedule: 1h
`,
    );
    const { code, out } = await runTickwatch(["plan", "-c", config, "--json"], { env: ENV });
    expect(code).toBe(0);
    const { node_calls_at_most: calls }: { node_calls_at_most: Record<string, number>[] } =
      JSON.parse(out);
    const minutes = 1_440;
    const blocks = 43_200;
    expect(calls).toEqual([
      // Nothing of it needs blocks or logs: the head, its parent, slots, owners, and two for prices and pools each.
      // The first block of each position's pool is looked for once.
      expect.objectContaining({ chain_id: 1, following: 0, first_start_besides: 25 * 28 }),
      expect.objectContaining({ chain_id: 137, day: 0 }),
      expect.objectContaining({
        chain_id: 8453,
        block_seconds: 2,
        // The heads of both nodes and the one that is followed, each block, its fees and the logs of one pool.
        following: 6 * blocks,
        first_start_besides: 3_797 * 3 + 2_160 * 4 + Math.ceil(blocks / 2_000) + 28,
      }),
    ]);
    const [ethereum] = calls;
    expect((ethereum?.reading ?? 0) % minutes).toBe(0);
    expect(ethereum?.day).toBe(ethereum?.reading);
    const { out: page } = await runTickwatch(["plan", "-c", config], { env: ENV });
    expect(page).toMatch(/^Base +2 s +259,200 /m);
  });

  it("counts the rounds and the looks at the head of rules that are decided at each block", async () => {
    const config = join(folder, "config.yaml");
    const nodes = `1: {urls: ["http://127.0.0.1:1"]}, 8453: {urls: ["http://127.0.0.1:1", "http://127.0.0.1:2"]}`;
    await writeFile(
      config,
      `service: {rpc: {chains: {${nodes}}}}\nrules: [rules.yaml]\nchannels: {terminal: {kind: console}}\n`,
    );
    await writeFile(
      join(folder, "rules.yaml"),
      `rules:
  - name: supplies
    watch: {kind: token_supply, chain: [1, 8453], token: "${TOKEN}", decimals: 6}
    when: {metric: total_supply, below: 5 tokens}
    schedule: block
  - name: ethereum
    watch: {kind: token_supply, chain: 1, token: "${TOKEN}", decimals: 6}
    when: {metric: total_supply, below: 5 tokens}
    schedule: block
`,
    );
    const { out } = await runTickwatch(["plan", "-c", config, "--json"], { env: ENV });
    interface Counted {
      readonly rounds: readonly { readonly rules: readonly string[]; readonly times: number }[];
      readonly node_calls_at_most: readonly Record<string, number>[];
    }
    const { rounds, node_calls_at_most: calls }: Counted = JSON.parse(out);
    // A block of Ethereum every 12 s is one of Base as well.
    expect(rounds.map(({ rules, times }) => [rules.join(), times])).toEqual([
      ["supplies", 36_000],
      ["supplies,ethereum", 7_200],
    ]);
    expect(calls).toEqual([
      // 13 looks a block, and the supply in each round, also in those of blocks of Base.
      expect.objectContaining({ chain_id: 1, reading: 7_200 * 13 + 43_200 }),
      // Three looks a block at each node.
      expect.objectContaining({ chain_id: 8453, reading: 43_200 * 3 * 2 + 43_200 }),
    ]);
  });
});
