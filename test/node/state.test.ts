import { createPublicClient, type Hex, http } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ENDPOINTS } from "../../src/api/endpoints.ts";
import { sqrtPriceX96AtTick } from "../../src/base/ticks.ts";
import { askerOf } from "../simulator/asking.ts";
import { Anvil } from "./support/anvil.ts";
import * as artifacts from "./support/artifacts.ts";
import { type Key, Uniswap } from "./support/uniswap.ts";
import { ACCOUNT, BlockClock, type NodeService, serveNode } from "./support/world.ts";

let anvil: Anvil;
let uniswap: Uniswap;
let served: NodeService;
let clock: BlockClock;
const { records, ask } = askerOf(() => served.service.baseUrl);
const CHAIN = 31_337;
const L = 10n ** 20n;

beforeAll(async () => {
  anvil = await Anvil.start();
  uniswap = await Uniswap.deploy(anvil);
  clock = new BlockClock(uniswap);
  await clock.follow();
  served = await serveNode(uniswap, clock);
});
afterAll(async () => {
  await served?.close();
  await anvil?.stop();
});

const client = () => createPublicClient({ transport: http(anvil.url) });

async function pool(id: string): Promise<Record<string, unknown>> {
  const [record] = await records(`${ENDPOINTS.v4_pool.path}?chain_id=${CHAIN}&pool_ids=${id}`);
  return record ?? {};
}

async function position(nft: bigint): Promise<Record<string, unknown> | undefined> {
  const path = `${ENDPOINTS.v4_position.path}?chain_id=${CHAIN}&protocol=dexa&nft_ids=${nft}`;
  return (await records(path))[0];
}

/** Follows the node's newest block. */
async function settle(): Promise<void> {
  await clock.follow();
  // The newest block is looked for four times a second.
  await new Promise((resolve) => setTimeout(resolve, 300));
}

describe("a V4 pool", () => {
  let key: Key;
  let id: Hex;

  beforeAll(async () => {
    key = uniswap.key();
    id = await uniswap.createPool(key, sqrtPriceX96AtTick(1_234));
    await uniswap.mint(key, -6_000, 6_000, L);
    await uniswap.mint(key, 600, 1_800, 3n * L);
    await uniswap.mint(key, -887_220, 887_220, L / 7n);
    await settle();
  });

  it("has price, tick and liquidity as StateView reads them", async () => {
    const view = { address: uniswap.stateView, abi: artifacts.STATE_VIEW.abi } as const;
    const slot0 = (await client().readContract({
      ...view,
      functionName: "getSlot0",
      args: [id],
    })) as readonly [bigint, number, number, number];
    const liquidity = (await client().readContract({
      ...view,
      functionName: "getLiquidity",
      args: [id],
    })) as bigint;
    expect(await pool(id)).toMatchObject({
      pool_id: id,
      sqrt_price_x96: String(slot0[0]),
      current_tick: slot0[1],
      liquidity: String(liquidity),
      fee: 3_000,
      tick_spacing: 60,
      token0: { address: uniswap.token0, decimals: 18 },
    });
  });

  it("holds what its manager holds, but for what rounding leaves", async () => {
    for (const swap of [null, true, false] as const) {
      if (swap !== null) {
        await uniswap.swap(key, swap, 10n ** 19n);
        await settle();
      }
      const record = await pool(id);
      for (const [token, amount, zeroForOne] of [
        [uniswap.token0, record.amount0, true],
        [uniswap.token1, record.amount1, false],
      ] as const) {
        const held = (await client().readContract({
          address: token,
          abi: artifacts.TOKEN.abi,
          functionName: "balanceOf",
          args: [uniswap.poolManager],
        })) as bigint;
        // The fee of 0.3% on what came in is in the manager and not in the ranges.
        const fees = swap === null ? 0n : 2n * 3n * 10n ** 16n;
        const excess = held - BigInt(String(amount));
        expect(excess >= 0n && excess <= fees + 20n, `${zeroForOne} ${excess}`).toBe(true);
      }
    }
  });

  it("follows changes of liquidity by their logs, and by the state alike", async () => {
    const nft = await uniswap.mint(key, -120, 2_400, 5n * L);
    await uniswap.change(key, nft, -2n * L);
    await settle();
    const followed = await pool(id);
    const other = await serveNode(uniswap, clock);
    const fresh = askerOf(() => other.service.baseUrl);
    const [read] = await fresh.records(
      `${ENDPOINTS.v4_pool.path}?chain_id=${CHAIN}&pool_ids=${id}`,
    );
    await other.close();
    expect(followed).toEqual({
      ...read,
      block_number: followed.block_number,
      timestamp: followed.timestamp,
    });
  });

  it("takes a change back that a reorg took back", async () => {
    const before = await pool(id);
    await uniswap.mint(key, -1_200, 3_600, 2n * L);
    await settle();
    expect((await pool(id)).amount0).not.toBe(before.amount0);
    // The mint and the two transfers before it.
    await anvil.rpc("anvil_reorg", [3, []]);
    await settle();
    const after = await pool(id);
    expect([after.amount0, after.amount1, after.liquidity]).toEqual([
      before.amount0,
      before.amount1,
      before.liquidity,
    ]);
  });

  it("is unknown where none was initialized", async () => {
    const path = `${ENDPOINTS.v4_pool.path}?chain_id=${CHAIN}&pool_ids=${id}&pool_ids=0x${"ab".repeat(32)}`;
    expect((await records(path)).map((record) => record.pool_id)).toEqual([id]);
  });
});

describe("a V4 position", () => {
  it("has its range, owner and liquidity, also when they change and when it is burned", async () => {
    const key = uniswap.key(500, 10);
    await uniswap.createPool(key);
    const nft = await uniswap.mint(key, -200, 340, L);
    await settle();
    const first = await position(nft);
    expect(first).toMatchObject({
      nft_id: String(nft),
      pool_id: uniswap.poolId(key),
      owner_address: ACCOUNT,
      lower_tick: -200,
      upper_tick: 340,
      liquidity: String(L),
    });

    await uniswap.change(key, nft, -L / 4n);
    const other: Hex = "0x00000000000000000000000000000000000000aa";
    await settle();
    expect(await position(nft)).toMatchObject({ liquidity: String(L - L / 4n) });

    const second = await uniswap.mint(key, -60, 60, L);
    await uniswap.transfer(second, other);
    await settle();
    expect(await position(second)).toMatchObject({ owner_address: other });

    await uniswap.burn(key, nft);
    await settle();
    expect(await position(nft)).toMatchObject({
      liquidity: "0",
      owner_address: null,
      amount0: "0",
      amount1: "0",
      ratio: null,
    });
  });

  it("is left out where there is none", async () => {
    expect(await position(999_999n)).toBeUndefined();
    expect(await position((1n << 256n) + 5n)).toBeUndefined();
  });
});

describe("a V3 pool", () => {
  it("has its state, and both tokens' amounts", async () => {
    const address = await uniswap.createV3Pool(3_000, sqrtPriceX96AtTick(-300));
    await uniswap.mintV3(3_000, -6_000, 6_000, L);
    await uniswap.swapV3(3_000, true, L / 1_000n);
    await settle();
    const slot0 = (await client().readContract({
      address,
      abi: artifacts.V3_POOL.abi,
      functionName: "slot0",
    })) as readonly [bigint, number];
    const { status, body } = await ask(
      `${ENDPOINTS.v3_pool.path}?chainid=${CHAIN}&address=${address}&apikey=twk_demo_5f1c9be27a4d80364e9b`,
    );
    expect(status).toBe(200);
    expect(body).toMatchObject({
      pool_address: address,
      sqrt_price_x96: String(slot0[0]),
      tick: slot0[1],
      fee_tier: 3_000,
      token0: uniswap.token0,
    });
  });
});
