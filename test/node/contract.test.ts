import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll } from "vitest";
import { ENDPOINTS, type EndpointName } from "../../src/api/endpoints.ts";
import { DEMO_KEY } from "../../src/serve/server.ts";
import { ALL, goodPairs, type JudgedWorld, judgeEndpoints } from "../simulator/endpoint-suite.ts";
import { Anvil } from "./support/anvil.ts";
import { Uniswap } from "./support/uniswap.ts";
import { ACCOUNT, BlockClock, type NodeService, serveNode } from "./support/world.ts";

const CHAIN = "31337";
const HOURS = 80;

let anvil: Anvil;
let uniswap: Uniswap;
let served: NodeService;
let v3 = "";
let v4 = "";

/** What no node can know, by endpoint. */
const UNKNOWN: Readonly<Partial<Record<EndpointName, readonly string[]>>> = {
  v4_pool: [
    ...["volume_token0", "volume_token1", "volume_token0_d", "volume_token1_d", "volume_usd"],
    ...["collected_fees_token0", "collected_fees_token1", "collected_fees_usd", "swap_count"],
    ...["active_position_count", "created_at_block_number", "created_at_timestamp"],
  ],
  legacy_token_info: ["contract_creator", "creation_block", "creation_timestamp", "logo_url"],
  legacy_token_price: [
    ...["eth", "btc", "volume_24h_usd", "price_change_24h", "price_change_percentage_24h"],
    ...["price_change_7d", "price_change_percentage_7d", "high_24h", "low_24h"],
    ...["circulating_supply", "max_supply"],
  ],
  legacy_price_history: ["price_eth", "price_btc", "volume_24h", "high", "low"],
  legacy_v4_pool: EARLIER_POOL(),
  v3_pool: EARLIER_POOL(),
  v4_swaps: ["recipient"],
};

function EARLIER_POOL(): readonly string[] {
  return [
    ...["initial_tick", "initial_sqrt_price_x96", "swap_count"],
    ...["created_at_timestamp", "created_at_block_number"],
  ];
}

/** An hour without a transaction has no tips, and what comes first of all has nothing before it. */
const SOMETIMES: ReadonlySet<string> = new Set([
  ...["avg_block_priority_fee_min", "avg_block_priority_fee_max"],
  ...["avg_priority_fee_top5_avg", "avg_priority_fee_top5_threshold"],
  ...["avg_priority_fee_top10_avg", "avg_priority_fee_top10_threshold", "zero_tip_ratio"],
  ...["balance_change", "balance_change_formatted", "volumePercentageChange"],
  // Estimated hours, and a token whose past price nobody told.
  ...["tx_count", "collectedFeesUSD", "volumeUSD"],
  ...["open", "price_change_24h", "price_change_percentage_24h"],
]);

const WORLD: JudgedWorld = {
  baseUrl: () => served.service.baseUrl,
  valuesOf: (name) => ({
    chain_id: CHAIN,
    chainid: CHAIN,
    token: uniswap.token0,
    address: ENDPOINTS[name].path.startsWith("/dexv3/") ? v3 : uniswap.token0,
    wallet: ACCOUNT,
    wallets: `${ACCOUNT},${uniswap.poolManager}`,
    pool_ids: v4,
    poolid: v4,
    protocol: "dexa",
    nft_ids: "1",
    period: "d",
  }),
  unknown: (name) => new Set(UNKNOWN[name]),
  sometimes: SOMETIMES,
};

beforeAll(async () => {
  anvil = await Anvil.start();
  uniswap = await Uniswap.deploy(anvil);
  const [key, other] = [uniswap.key(), uniswap.key(500, 10)];
  v4 = await uniswap.createPool(key);
  await uniswap.mint(key, -6_000, 6_000, 10n ** 25n);
  await uniswap.createPool(other);
  await uniswap.mint(other, -887_220, 887_220, 10n ** 26n);
  v3 = await uniswap.createV3Pool(3_000);
  await uniswap.mintV3(3_000, -6_000, 6_000, 10n ** 24n);
  // Some days of trades, so that there are whole days and hours before the running ones.
  for (let hour = 0; hour < HOURS; hour += 1) {
    await anvil.rpc("evm_increaseTime", [3_600]);
    await anvil.mine(1);
    if (hour % 8 !== 7) continue;
    await uniswap.swap(key, hour % 16 === 7, 10n ** 20n);
    await uniswap.swapV3(3_000, hour % 16 === 7, 10n ** 20n);
  }
  await uniswap.mint(key, -600, 600, 10n ** 20n);
  await uniswap.swap(key, true, 10n ** 20n);
  await uniswap.swapV3(3_000, true, 10n ** 20n);
  await anvil.mine(12, 1);
  const clock = new BlockClock(uniswap);
  await clock.follow();
  served = await serveNode(uniswap, clock, {
    usd: { stable: [uniswap.token1], feeds: new Map() },
    holders: [uniswap.token0],
    gas: "exact",
    days: 2,
    entries: 2,
  });
  await served.world.follow();
  // What is read of blocks and logs comes a little later.
  for (const name of ALL) await answered(name);
});
afterAll(async () => {
  await served?.close();
  await anvil?.stop();
});

/** Waits until an endpoint answers; what never will says why. */
async function answered(name: EndpointName): Promise<void> {
  const { path, family } = ENDPOINTS[name];
  const query = new URLSearchParams([...goodPairs(WORLD, name)]);
  if (family === "earlier") query.append("apikey", DEMO_KEY);
  const url = `${served.service.baseUrl}${path}?${query.toString()}`;
  let said = "";
  for (let tries = 0; tries < 100; tries += 1) {
    const response = await fetch(url, { headers: { "x-api-key": DEMO_KEY } });
    said = await response.text();
    if (response.status === 200) return;
    await pause(100);
  }
  throw new Error(`${name} is not answered: ${said}; ${served.reports.join("; ")}`);
}

judgeEndpoints(WORLD);
