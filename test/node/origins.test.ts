import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ENDPOINTS, type EndpointName } from "../../src/api/endpoints.ts";
import { Secret } from "../../src/base/text.ts";
import { sqrtPriceX96AtTick } from "../../src/base/ticks.ts";
import { TOPICS } from "../../src/chain/codec/events.ts";
import { DEMO_KEY } from "../../src/serve/server.ts";
import { askerOf } from "../simulator/asking.ts";
import { Anvil } from "./support/anvil.ts";
import { SpoilingNode } from "./support/proxy.ts";
import { Uniswap } from "./support/uniswap.ts";
import { ACCOUNT, BlockClock, type NodeService, serveNode } from "./support/world.ts";

const CHAIN = 31_337;
const TICK = 6_932;

let anvil: Anvil;
let uniswap: Uniswap;
let clock: BlockClock;
let node: SpoilingNode;
let folder: string;
let v4: string;
let v3: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tickwatch-origins-"));
  anvil = await Anvil.start();
  uniswap = await Uniswap.deploy(anvil);
  node = await SpoilingNode.before(anvil.url);
  await anvil.mine(7);
  const key = uniswap.key();
  v4 = await uniswap.createPool(key, sqrtPriceX96AtTick(TICK));
  await uniswap.mint(key, -60_000, 60_000, 10n ** 21n);
  v3 = await uniswap.createV3Pool(3_000, sqrtPriceX96AtTick(-TICK));
  await uniswap.swap(key, true, 10n ** 18n);
  await anvil.mine(80);
  clock = new BlockClock(uniswap);
  await clock.follow();
});
afterAll(async () => {
  await node?.close();
  await anvil?.stop();
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
});

/** A service whose database is in a file of this name. */
async function withService<T>(name: string, work: (served: NodeService) => Promise<T>): Promise<T> {
  const served = await serveNode(uniswap, clock, {
    urls: [new Secret(node.url)],
    requestsPerSecond: 10_000,
    data: join(folder, name),
  });
  try {
    return await work(served);
  } finally {
    await served.close();
  }
}

async function record(served: NodeService, name: EndpointName, query: string) {
  const { path, family } = ENDPOINTS[name];
  const key = family === "earlier" ? `&apikey=${DEMO_KEY}` : "";
  const { ask } = askerOf(() => served.service.baseUrl);
  const { body } = await ask(`${path}?${query}${key}`);
  return (Array.isArray(body) ? body[0] : body) as Record<string, unknown>;
}

/** The same at the block at which it tells of its beginning, which is looked for beside the answers. */
async function known(served: NodeService, name: EndpointName, query: string, field: string) {
  for (;;) {
    const one = await record(served, name, query);
    if (one[field] !== null) return one;
    // Each block is read once.
    await anvil.mine(1);
    await clock.follow();
  }
}

interface Log {
  readonly blockNumber: string;
}

async function blockOf(filter: object): Promise<{ number: number; time: number }> {
  const [log] = await anvil.rpc<Log[]>("eth_getLogs", [{ fromBlock: "0x0", ...filter }]);
  const { timestamp } = await anvil.rpc<{ timestamp: string }>("eth_getBlockByNumber", [
    log?.blockNumber,
    false,
  ]);
  return { number: Number(log?.blockNumber), time: Number(timestamp) };
}

const V4 = () => `chain_id=${CHAIN}&pool_ids=${v4}`;
const LEGACY = () => `chainid=${CHAIN}&poolid=${v4}`;
const V3 = () => `chainid=${CHAIN}&address=${v3}`;
const TOKEN = () => `chainid=${CHAIN}&address=${uniswap.token0}`;

it("tell in which block a pool was initialized, and at what price, and who made a token", async () => {
  const pool = await blockOf({ topics: [TOPICS.v4Initialize, v4] });
  const other = await blockOf({ address: v3 });
  await withService("all.db", async (served) => {
    expect(await known(served, "v4_pool", V4(), "created_at_block_number")).toMatchObject({
      created_at_block_number: String(pool.number),
      created_at_timestamp: String(pool.time),
    });
    expect(await known(served, "legacy_v4_pool", LEGACY(), "initial_tick")).toMatchObject({
      initial_tick: TICK,
      initial_sqrt_price_x96: Number(sqrtPriceX96AtTick(TICK)),
      created_at_block_number: pool.number,
    });
    expect(await known(served, "v3_pool", V3(), "initial_tick")).toMatchObject({
      initial_tick: -TICK,
      initial_sqrt_price_x96: Number(sqrtPriceX96AtTick(-TICK)),
      // The contract was made a block before it had a price.
      created_at_block_number: other.number - 1,
    });
    const info = await known(served, "legacy_token_info", TOKEN(), "creation_block");
    expect(info.contract_creator).toBe(ACCOUNT);
    const at = `0x${Number(info.creation_block).toString(16)}`;
    const before = `0x${(Number(info.creation_block) - 1).toString(16)}`;
    expect(await anvil.rpc("eth_getCode", [uniswap.token0, at])).not.toBe("0x");
    expect(await anvil.rpc("eth_getCode", [uniswap.token0, before])).toBe("0x");
  });
  // The next start knows it at once.
  await withService("all.db", async (served) => {
    expect((await record(served, "v4_pool", V4())).created_at_block_number).toBe(
      String(pool.number),
    );
    expect((await record(served, "legacy_token_info", TOKEN())).contract_creator).toBe(ACCOUNT);
  });
});

it("are not known of a node without old states, which answers all else", async () => {
  node.fault = "pruned";
  await withService("pruned.db", async (served) => {
    const one = await record(served, "v4_pool", V4());
    expect(one).toMatchObject({ created_at_block_number: null, pool_id: v4 });
    expect(one.liquidity).not.toBe("0");
    const info = await record(served, "legacy_token_info", TOKEN());
    expect(info).toMatchObject({ creation_block: null, decimals: 18 });
  });
  node.fault = "none";
});
