import { afterAll, beforeAll, expect, it } from "vitest";
import { ENDPOINTS } from "../../src/api/endpoints.ts";
import type { Clock } from "../../src/base/clock.ts";
import { DEMO_KEY, type Service, startService } from "../../src/serve/server.ts";
import { ETH_USDC, V3_WBTC_WETH } from "../../src/simulator/listed-pools.ts";
import { STABLECOIN, TREASURY_WALLET } from "../../src/simulator/listed-tokens.ts";
import { createMarket } from "../../src/simulator/market.ts";
import { TREASURY_NFT } from "../../src/simulator/positions.ts";
import { ALL, judgeEndpoints } from "./endpoint-suite.ts";

const START = Date.UTC(2026, 2, 14, 9, 48);

const clock: Clock = {
  now: () => START,
  at: () => () => {},
  elapsed: () => 0,
  after: () => () => {},
};
let service: Service;

beforeAll(async () => {
  const market = createMarket({ seed: 7, start: START });
  service = await startService({ world: market, clock, apiKey: DEMO_KEY });
});
afterAll(() => service.close());

it("the contract has 23 endpoints, 13 of them of the earlier family", () => {
  expect(ALL).toHaveLength(23);
  expect(ALL.filter((name) => ENDPOINTS[name].family === "earlier")).toHaveLength(13);
});

judgeEndpoints({
  baseUrl: () => service.baseUrl,
  valuesOf: (name) => {
    const isV3 = ENDPOINTS[name].path.startsWith("/dexv3/");
    return {
      chain_id: "1",
      chainid: "1",
      token: STABLECOIN,
      address: isV3 ? V3_WBTC_WETH : STABLECOIN,
      wallet: TREASURY_WALLET,
      wallets: `${TREASURY_WALLET},0x${"ab".repeat(20)}`,
      pool_ids: ETH_USDC,
      poolid: ETH_USDC,
      protocol: "dexa",
      nft_ids: TREASURY_NFT,
      period: "d",
    };
  },
});
