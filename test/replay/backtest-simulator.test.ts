import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { asMap, listOf } from "../../src/base/json.ts";
import { DEMO_KEY } from "../../src/serve/server.ts";
import { ETH_USDC, V3_WETH_USDT } from "../../src/simulator/listed-pools.ts";
import { STABLECOIN, TREASURY_WALLET } from "../../src/simulator/listed-tokens.ts";
import { createMarket } from "../../src/simulator/market.ts";
import { TREASURY_NFT } from "../../src/simulator/positions.ts";
import type { ScriptEvent } from "../../src/simulator/script.ts";
import { runTickwatch } from "../cli/test-command.ts";
import { MARKET_START, MarketWorld, SEED } from "../support/market-world.ts";
import { createMemoryStore } from "../support/memory-store.ts";
import { WHOLE } from "../support/tier.ts";

const COIN = STABLECOIN.toLowerCase();
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const POOL = `{id: "${ETH_USDC}", name: ETH/USDC}`;

/** What a daemon told that looked once in each `every` from the first whole one on, and what a backtest tells of that time. */
async function bothTold(
  rules: string,
  script: readonly ScriptEvent[],
  every: number,
  looks: number,
) {
  let url = "";
  const world = await MarketWorld.create(null, {
    rules,
    market: createMarket({ seed: SEED, start: MARKET_START, script }),
    store: createMemoryStore(),
    between: (service) => {
      url = service;
      return Promise.resolve({ url: service, close: () => Promise.resolve() });
    },
  });
  onTestFinished(() => world.end());
  const first = Math.ceil(MARKET_START / every) * every;
  await world.rounds(1, first - MARKET_START);
  await world.rounds(looks - 1, every);
  const live = world.told
    .filter(({ rule }) => rule !== null)
    .map(
      ({ rule, at, kind, headline }) =>
        `${new Date(at).toISOString()} ${rule ?? ""} ${kind} ${headline}`,
    );

  const folder = await mkdtemp(join(tmpdir(), "tickwatch-past-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  // A busy machine misses no answer within a minute.
  await writeFile(
    join(folder, "config.yaml"),
    `service: {base_url: "${url}", legacy_base_url: "${url}", api_key: "\${env:KEY}", requests_per_second: 1000, timeout: 1m}
rules: [rules.yaml]
channels: {screen: {kind: console}}
`,
  );
  await writeFile(join(folder, "rules.yaml"), rules);
  vi.useFakeTimers({ toFake: ["Date"], now: world.now() });
  onTestFinished(() => void vi.useRealTimers());
  const span = [
    "--from",
    new Date(first).toISOString(),
    "--to",
    new Date(world.now()).toISOString(),
  ];
  const args = ["backtest", ...span, "--json", "--config", join(folder, "config.yaml")];
  const { out, err } = await runTickwatch(args, { env: { KEY: DEMO_KEY } });
  expect(err).toBe("");
  const found = listOf(asMap(JSON.parse(out))?.rules).flatMap((one) => {
    const { rule, firings } = asMap(one) ?? {};
    return listOf(firings).flatMap((firing) =>
      listOf(asMap(firing)?.notices).map((notice) => {
        const { at, kind, headline } = asMap(notice) ?? {};
        return `${new Date(String(at)).toISOString()} ${String(rule)} ${String(kind)} ${String(headline)}`;
      }),
    );
  });
  return { live: live.map(withoutCents).toSorted(), past: found.map(withoutCents).toSorted() };
}

/** Prices of the pool's record and of the history are rounded differently, which shows in the cents of a swap. */
function withoutCents(line: string): string {
  return line.replace(/(Swap of \$[\d,]+)\.\d\d/, "$1");
}

function rulesIn(told: readonly string[]): readonly string[] {
  return [...new Set(told.map((line) => line.split(" ")[1] ?? ""))].toSorted();
}

describe("a backtest over the simulator's histories", () => {
  it.runIf(WHOLE)("tells what a daemon told that looked once an hour", async () => {
    const rules = `
rules:
  - name: tips
    watch: {kind: gas, chain: ethereum}
    when: {metric: tip_top10, above: 4 gwei}
    schedule: 1h
    resolve_when: {below: 3 gwei}
  - name: tick
    watch: {kind: v4_pool, chain: 1, pools: [${POOL}]}
    when: {metric: current_tick, moves: 400 ticks, within: 4h}
    schedule: 1h
  - name: price
    watch: {kind: v4_pool, chain: 1, pools: [${POOL}]}
    when: {metric: price0, falls: 3%, within: 6h}
    schedule: 1h
  - name: active
    watch: {kind: v4_pool_24h, chain: 1, pools: [${POOL}]}
    when: {metric: liquidity, falls: 10%, within: 6h}
    schedule: 1h
  - name: busy
    watch: {kind: v4_pool_24h, chain: 1, pools: [${POOL}]}
    when: {metric: volume_24h, above: $20M}
    schedule: 1h
  - name: v3
    watch: {kind: v3_pool, chain: 1, pools: [{id: "${V3_WETH_USDT}", name: WETH/USDT}]}
    when: {metric: price, falls: 3%, within: 6h}
    schedule: 1h
  - name: range
    watch: {kind: v4_position, positions: [{id: ${TREASURY_NFT}, chain: 1, protocol: dexa, name: mine}]}
    when: {metric: in_range, equals: false}
    schedule: 1h
    for: 1h
  - name: peg
    watch: {kind: token_price, chain: 1, token: "${COIN}"}
    when: {metric: price_usd, below: $0.99}
    schedule: 1h
  - name: hours
    watch: {kind: pool_history, chain: 1, pools: [${POOL}]}
    when: {metric: close, falls: 3%, within: 6h}
    schedule: 1h
  - name: sale
    watch: {kind: v4_swaps, chain: 1, pools: [${POOL}]}
    when: {all: [{metric: amount0_abs, at_least: 2.6 tokens}, {metric: direction, equals: token0_in}]}
    schedule: 1h
  - name: v3-sale
    watch: {kind: v3_swaps, chain: 1, pools: [{id: "${V3_WETH_USDT}", name: WETH/USDT}]}
    when: {metric: amount0_abs, at_least: 10.5 tokens}
    schedule: 1h
  - name: dollars
    watch: {kind: v4_swaps, chain: 1, pools: [${POOL}]}
    when: {metric: amount_usd, at_least: $5300}
    schedule: 1h
  - name: pulled
    watch: {kind: v4_liquidity, chain: 1, pools: [${POOL}]}
    when: {metric: removed_share, at_least: 0.5%}
    schedule: 1h
`;
    // What is compared within six hours begins after them: a backtest knows what was before a daemon's first look.
    const script: readonly ScriptEvent[] = [
      {
        kind: "price",
        pool: ETH_USDC,
        factor: 0.94,
        at: 7 * HOUR,
        over: 2 * HOUR,
        hold: 2 * HOUR,
        back: HOUR,
      },
      { kind: "tips", chain: 1, factor: 9, at: 5 * HOUR, for: 3 * HOUR },
      { kind: "liquidity", pool: ETH_USDC, factor: 0.6, at: 6.5 * HOUR, over: 3 * HOUR },
      {
        kind: "peg",
        chain: 1,
        token: COIN,
        factor: 0.97,
        at: 6 * HOUR,
        over: HOUR,
        hold: 3 * HOUR,
        back: HOUR,
      },
    ];
    const { live, past } = await bothTold(rules, script, HOUR, 17);
    expect(past).toEqual(live);
    const all = rules.match(/(?<=- name: ).+/g) ?? [];
    expect(rulesIn(live)).toEqual(all.toSorted());
    const ended = live.filter((line) => line.split(" ")[2] === "resolved");
    expect(rulesIn(ended)).toEqual([
      "active",
      "hours",
      "peg",
      "price",
      "range",
      "tick",
      "tips",
      "v3",
    ]);
  });

  it("tells what a daemon told that looked once a day", async () => {
    const rules = `
rules:
  - name: minted
    watch: {kind: token_supply, chain: polygon, token: "${STABLECOIN}"}
    when: {metric: total_supply, rises: 4%, within: 3d}
    schedule: 1d
  - name: treasury
    watch: {kind: token_balance, chain: 1, token: "${STABLECOIN}", wallet: "${TREASURY_WALLET}"}
    when: {metric: balance, below: 4M tokens}
    schedule: 1d
`;
    const script: readonly ScriptEvent[] = [
      { kind: "mint", chain: 137, amount: 25_900_000, at: 5.2 * DAY },
      { kind: "transfer", chain: 1, wallet: TREASURY_WALLET, amount: -2_400_000, at: 3.4 * DAY },
      { kind: "transfer", chain: 1, wallet: TREASURY_WALLET, amount: 2_500_000, at: 8.1 * DAY },
    ];
    const { live, past } = await bothTold(rules, script, DAY, 12);
    expect(past).toEqual(live);
    expect(rulesIn(live)).toEqual(["minted", "treasury"]);
  });
});
