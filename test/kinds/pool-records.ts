import type { RawRecord } from "../../src/model/index.ts";
import { POOL_ID } from "./records.ts";

/** Pools and points as the earlier family gives them, of the ETH/USDC 0.05% pool. */

export const V3_POOL = "0x88e6A0c2dDD26FEEb64F039a2c41296FcB3f5640";
export const V3_KEY = V3_POOL.toLowerCase();
export const USDC_KEY = "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48";
export const ETHER = "0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2";

/** token0 is ether, so that token1 per token0 is the price of ether. */
export function earlierPoolRecord(changes: RawRecord = {}): RawRecord {
  return {
    chain_id: 1,
    pool_address: V3_POOL,
    token0: ETHER,
    token1: "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48",
    fee_tier: 500,
    initial_tick: -200_000,
    initial_sqrt_price_x96: 3.598751819609688e24,
    swap_count: 1_834_567,
    liquidity: "1234567890123456789",
    sqrt_price_x96: "3618602270101715334278112",
    tick: -199_890,
    token0_price: "2086.0412345",
    token1_price: "0.000479377",
    total_value_locked_usd: "17310098.44",
    volume_24h: "4123456.78",
    fees_24h: "2061.73",
    created_at_timestamp: "2025-08-03T06:13:20+00:00",
    created_at_block_number: 21_000_000,
    ...changes,
  };
}

export function pool24hRecord(changes: RawRecord = {}): RawRecord {
  const { pool_address: _, ...others } = earlierPoolRecord();
  return { ...others, pool_id: POOL_ID, hook_address: `0x${"0".repeat(40)}`, ...changes };
}

export const ETHER_INFO: RawRecord = { token_address: ETHER, symbol: "WETH", decimals: 18 };
export const USDC_INFO: RawRecord = { token_address: USDC_KEY, symbol: "USDC", decimals: 6 };

/** An hour or a day of the pool. */
export function poolPoint(date: unknown, changes: RawRecord = {}): RawRecord {
  return {
    id: `${V3_KEY}-${String(date)}`,
    date,
    pool: V3_KEY,
    liquidity: "1234567890123456789",
    sqrtPrice: "3618602270101715334278112",
    tick: -199_890,
    volumeToken0: "123456789012345678901",
    volumeToken0D: "123.456789",
    volumeToken1: "257534061234",
    volumeToken1D: "257534.061234",
    volumeUSD: 257_534.06,
    volumePercentageChange: -12.5,
    collectedFeesToken0: "61728394506172839",
    collectedFeesToken1: "128767030",
    collectedFeesUSD: 128.77,
    swapCount: "431",
    open: 2080.5,
    high: 2091,
    low: 2079.25,
    close: 2086.0412345,
    chainId: 1,
    ...changes,
  };
}

export function pricePoint(date: unknown, changes: RawRecord = {}): RawRecord {
  return {
    date,
    price_usd: 0.9987,
    price_eth: 0.000478753,
    price_btc: 0.0000109,
    volume_24h: 51_000_000,
    market_cap: 9_400_284_000.12,
    open: 0.9991,
    high: 0.9994,
    low: 0.9981,
    close: 0.9987,
    price_change_24h: -0.0011,
    price_change_percentage_24h: -0.11,
    ...changes,
  };
}
