import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ENDPOINTS, type Fields } from "../../src/api/endpoints.ts";
import { DEMO_KEY } from "../../src/serve/server.ts";
import { askerOf, fault } from "../simulator/asking.ts";
import { expectFields } from "../simulator/records.ts";
import { Anvil } from "./support/anvil.ts";
import { Uniswap } from "./support/uniswap.ts";
import { ACCOUNT, BlockClock, type NodeService, serveNode } from "./support/world.ts";

let anvil: Anvil;
let uniswap: Uniswap;
let served: NodeService;
let id: string;
let v3: string;
const CHAIN = 31_337;
const { ask, records } = askerOf(() => served.service.baseUrl);

beforeAll(async () => {
  anvil = await Anvil.start();
  uniswap = await Uniswap.deploy(anvil);
  const [key, other] = [uniswap.key(), uniswap.key(500, 10)];
  id = await uniswap.createPool(key);
  await uniswap.mint(key, -6_000, 6_000, 10n ** 25n);
  await uniswap.createPool(other);
  await uniswap.mint(other, -887_220, 887_220, 10n ** 26n);
  v3 = await uniswap.createV3Pool(3_000);
  await uniswap.mintV3(3_000, -6_000, 6_000, 10n ** 24n);
  const clock = new BlockClock(uniswap);
  await clock.follow();
  const usd = { stable: [uniswap.token1], feeds: new Map<string, string>() };
  served = await serveNode(uniswap, clock, { usd });
});
afterAll(async () => {
  await served?.close();
  await anvil?.stop();
});

/** What no node can know without an index of all that ever happened. */
const UNKNOWN = new Set([
  "volume_token0",
  "volume_token1",
  "volume_token0_d",
  "volume_token1_d",
  "volume_usd",
  "collected_fees_token0",
  "collected_fees_token1",
  "collected_fees_usd",
  "swap_count",
  "active_position_count",
  "created_at_block_number",
  "created_at_timestamp",
]);
const UNKNOWN_EARLIER = new Set([
  "initial_tick",
  "initial_sqrt_price_x96",
  "swap_count",
  "volume_24h",
  "fees_24h",
  "created_at_timestamp",
  "created_at_block_number",
]);
const UNKNOWN_TOKEN = new Set([
  "holder_count",
  "transfer_count",
  "contract_creator",
  "creation_block",
  "creation_timestamp",
  "logo_url",
]);
const UNKNOWN_PRICE = new Set([
  "eth",
  "btc",
  "volume_24h_usd",
  "price_change_24h",
  "price_change_percentage_24h",
  "price_change_7d",
  "price_change_percentage_7d",
  "high_24h",
  "low_24h",
  "circulating_supply",
  "max_supply",
]);
const NONE = new Set<string>();

const token = () => uniswap.token0;
const QUESTIONS: readonly [keyof typeof ENDPOINTS, () => string, ReadonlySet<string>][] = [
  ["v4_pool", () => `chain_id=${CHAIN}&pool_ids=${id}`, UNKNOWN],
  ["v4_position", () => `chain_id=${CHAIN}&protocol=dexa&nft_ids=1&nft_ids=2`, NONE],
  ["supply", () => `chain_id=${CHAIN}&token=${token()}&token=${uniswap.token1}`, NONE],
  ["balance", () => `chain_id=${CHAIN}&token=${token()}&wallet=${ACCOUNT}`, NONE],
  ["legacy_v4_pool", () => `chainid=${CHAIN}&poolid=${id}`, UNKNOWN_EARLIER],
  ["v3_pool", () => `chainid=${CHAIN}&address=${v3}`, UNKNOWN_EARLIER],
  ["legacy_balances", () => `chainid=${CHAIN}&address=${token()}&wallets=${ACCOUNT},${v3}`, NONE],
  ["legacy_token_info", () => `chainid=${CHAIN}&address=${token()}`, UNKNOWN_TOKEN],
  ["legacy_token_price", () => `chainid=${CHAIN}&address=${token()}`, UNKNOWN_PRICE],
];

describe("the endpoints that a plain node answers", () => {
  it.each(QUESTIONS)(
    "%s has the contract's fields, null only where a node cannot know",
    async (name, query, unknown) => {
      const { path, family } = ENDPOINTS[name];
      const fields: Fields = ENDPOINTS[name].fields;
      const key = family === "earlier" ? `&apikey=${DEMO_KEY}` : "";
      const { status, body } = await ask(`${path}?${query()}${key}`);
      expect(status).toBe(200);
      const entries: readonly unknown[] = Array.isArray(body) ? body : [body];
      expect(entries.length).toBeGreaterThan(0);
      for (const entry of entries) expectFields(entry, fields, unknown);
    },
  );

  it("leave out of a batch what is not there", async () => {
    const nobody = "0x00000000000000000000000000000000000000ee";
    const { path } = ENDPOINTS.supply;
    const answered = await records(`${path}?chain_id=${CHAIN}&token=${token()}&token=${nobody}`);
    expect(answered.map((one) => one.token_address)).toEqual([token()]);
    const one = `${ENDPOINTS.legacy_token_info.path}?chainid=${CHAIN}&address=${nobody}&apikey=${DEMO_KEY}`;
    expect(fault(await ask(one))).toBe("404 unknown_token");
    const pool = `${ENDPOINTS.v3_pool.path}?chainid=${CHAIN}&address=${token()}&apikey=${DEMO_KEY}`;
    expect(fault(await ask(pool))).toBe("404 unknown_pool");
  });

  it("refuse another chain, and positions that are not read", async () => {
    const { path } = ENDPOINTS.v4_pool;
    expect(fault(await ask(`${path}?chain_id=5&pool_ids=${id}`))).toBe("400 unsupported_chain");
    const dexb = `${ENDPOINTS.v4_position.path}?chain_id=${CHAIN}&protocol=dexb&nft_ids=1`;
    expect(fault(await ask(dexb))).toBe("404 not_indexed");
  });

  it("give whatever is asked together as of one block", async () => {
    const before = (await served.world.chains.get(CHAIN)?.open())?.snapshots.head?.header.number;
    const paths = QUESTIONS.filter(([name]) => ENDPOINTS[name].family === "current");
    await Promise.all(paths.map(([name, query]) => ask(`${ENDPOINTS[name].path}?${query()}`)));
    const after = (await served.world.chains.get(CHAIN)?.open())?.snapshots.head?.header.number;
    expect(after).toBe(before);
  });
});
