import { CHAIN_TO_ADDRESSES_MAP, WETH9 } from "@uniswap/sdk-core";
import { describe, expect, it } from "vitest";
import { deploymentsOf } from "../../src/chain/deployments.ts";

const CHAINS = [1, 10, 56, 130, 137, 143, 480, 8_453, 42_161, 42_220, 43_114, 57_073, 59_144];
const ALL = [...CHAINS, 81_457, 7_777_777];

describe("the addresses of Uniswap", () => {
  it.each(ALL)("on chain %d are those of its own package", (chainId) => {
    const addresses: Readonly<Record<string, string | undefined>> = {
      ...(CHAIN_TO_ADDRESSES_MAP as Record<number, Record<string, string>>)[chainId],
    };
    const lower = (name: string): string | undefined => addresses[name]?.toLowerCase();
    const known = deploymentsOf(chainId);
    expect(known).toMatchObject({
      poolManager: lower("v4PoolManagerAddress"),
      positionManager: lower("v4PositionManagerAddress"),
      v3Factory: lower("v3CoreFactoryAddress"),
      v3PositionManager: lower("nonfungiblePositionManagerAddress"),
    });
    const wrapped = (WETH9 as Record<number, { address: string }>)[chainId]?.address.toLowerCase();
    // The package knows the wrapped native token of some chains only.
    if (wrapped !== undefined && known.wrappedNative !== null) {
      expect(known.wrappedNative).toBe(wrapped);
    }
  });
});
