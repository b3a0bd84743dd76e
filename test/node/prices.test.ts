import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ENDPOINTS } from "../../src/api/endpoints.ts";
import { sqrtPriceX96AtTick } from "../../src/base/ticks.ts";
import { DEMO_KEY } from "../../src/serve/server.ts";
import { askerOf } from "../simulator/asking.ts";
import { Anvil } from "./support/anvil.ts";
import { Uniswap } from "./support/uniswap.ts";
import { BlockClock, type NodeService, serveNode } from "./support/world.ts";

let anvil: Anvil;
let uniswap: Uniswap;
let clock: BlockClock;
const CHAIN = 31_337;
/** 2% of the price are 99,500 tokens of each side. */
const DEEP = 10n ** 25n;
const TICK = 6_932;

beforeAll(async () => {
  anvil = await Anvil.start();
  uniswap = await Uniswap.deploy(anvil);
  clock = new BlockClock(uniswap);
});
afterAll(() => anvil?.stop());

/** A service that has seen nothing, in which token1 is a dollar. */
async function withFresh<T>(ask: (asker: ReturnType<typeof askerOf>) => Promise<T>): Promise<T> {
  await clock.follow();
  const usd = { stable: [uniswap.token1], feeds: new Map<string, string>() };
  const served: NodeService = await serveNode(uniswap, clock, { usd });
  try {
    return await ask(askerOf(() => served.service.baseUrl));
  } finally {
    await served.close();
  }
}

const poolPath = (id: string) => `${ENDPOINTS.v4_pool.path}?chain_id=${CHAIN}&pool_ids=${id}`;
const pricePath = () =>
  `${ENDPOINTS.legacy_token_price.path}?chainid=${CHAIN}&address=${uniswap.token0}&apikey=${DEMO_KEY}`;

describe("dollars", () => {
  it("are not known where no pool is deep enough, and never a pool's own", async () => {
    const shallow = uniswap.key(10_000, 200);
    const id = await uniswap.createPool(shallow, sqrtPriceX96AtTick(TICK));
    await uniswap.mint(shallow, -887_200, 887_200, 10n ** 20n);
    await withFresh(async ({ records, ask }) => {
      expect((await records(poolPath(id)))[0]).toMatchObject({
        tvl_usd: null,
        token0: { price: null },
        token1: { price: 1 },
      });
      expect((await ask(pricePath())).body).toMatchObject({ current_price: { usd: null } });
    });

    const deep = uniswap.key(3_000, 60);
    const deepId = await uniswap.createPool(deep, sqrtPriceX96AtTick(TICK));
    await uniswap.mint(deep, -887_220, 887_220, DEEP);
    await withFresh(async ({ records, ask }) => {
      const price = 1.0001 ** TICK;
      const [own] = await records(poolPath(deepId));
      expect(own).toMatchObject({ tvl_usd: null, token0: { price: null } });
      const [other] = await records(poolPath(id));
      const { amount0, amount1, tvl_usd: tvl, token0 } = other as Record<string, unknown>;
      expect((token0 as { price: number }).price).toBeCloseTo(price, 3);
      const expected = (Number(amount0) / 1e18) * price + Number(amount1) / 1e18;
      expect(Math.abs(Number(tvl) - expected)).toBeLessThan(0.006);
      const { body } = await ask(pricePath());
      const { current_price: current } = body as { current_price: { usd: number } };
      expect(current.usd).toBeCloseTo(price, 3);
    });
  });

  it("of a position come from another pool than its own", async () => {
    const key = uniswap.key(3_000, 60);
    const second = uniswap.key(500, 10);
    await uniswap.createPool(second, sqrtPriceX96AtTick(TICK + 3));
    await uniswap.mint(second, -887_220, 887_220, DEEP * 2n);
    const nft = await uniswap.mint(key, 6_000, 8_040, 10n ** 22n);
    await withFresh(async ({ records }) => {
      const path = `${ENDPOINTS.v4_position.path}?chain_id=${CHAIN}&protocol=dexa&nft_ids=${nft}`;
      const [position] = await records(path);
      const { amount0, amount1, core_total_usd: usd } = position as Record<string, unknown>;
      const price = 1.0001 ** (TICK + 3);
      const expected = (Number(amount0) / 1e18) * price + Number(amount1) / 1e18;
      expect(Math.abs(Number(usd) - expected)).toBeLessThan(0.006);
    });
  });

  it("take the deeper of a V3 and a V4 pool", async () => {
    await uniswap.createV3Pool(500, sqrtPriceX96AtTick(TICK + 50));
    await uniswap.mintV3(500, -887_220, 887_220, 10n ** 27n);
    await withFresh(async ({ ask }) => {
      const { body } = await ask(pricePath());
      const { current_price: current } = body as { current_price: { usd: number } };
      expect(current.usd).toBeCloseTo(1.0001 ** (TICK + 50), 2);
    });
  });
});
