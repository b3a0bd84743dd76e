import { ETH_USDC, type PoolListing, WBTC_WETH } from "./listed-pools.ts";
import { CLOSE, FREE, NARROW, PEGGED, sqrtOfPrice, token, WIDE } from "./pool-shapes.ts";

/** Addresses of V3 pools, in lower case. */
export const V3_WBTC_WETH = "0xcbcdf9626bc03e24f779434178a73a0b4bad62ed";
export const V3_WETH_USDT = "0x4e68ccd3e89f51c3074ca5072bbac773960dfa36";
const V3_USDC_USDT = "0x3416cf6c708da44db2624d63ea0aaef7113527c6";
const V3_WETH_USDC_BASE = "0xd0b53d9277642d899df5c87a3966a349a798f224";

const WETH = token("0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2", "WETH", "Wrapped Ether", 18);
const USDT = token("0xdAC17F958D2ee523a2206206994597C13D831ec7", "USDT", "Tether USD", 6);

/** The V3 pools of the market: like the V4 pools, but with neither a hook nor listed positions. */
export const LISTED_V3_POOLS: readonly PoolListing[] = [
  {
    chainId: 1,
    id: V3_WBTC_WETH,
    token0: token("0x2260FAC5E5542a773Aa44fBCfeDf7C193bc2C599", "WBTC", "Wrapped BTC", 8),
    token1: WETH,
    fee: 3_000,
    meanFee: 3_000,
    tickSpacing: 60,
    sqrtPriceX96: sqrtOfPrice(30.4, 8, 18),
    quote: { sameAsToken0Of: ETH_USDC },
    wander: CLOSE,
    follows: WBTC_WETH,
    spread: WIDE,
    tvlUsd: 98_400_000,
    swapEveryMs: 121_000,
    ageDays: 398,
    positions: 3_512,
  },
  {
    chainId: 1,
    id: V3_WETH_USDT,
    token0: WETH,
    token1: USDT,
    fee: 3_000,
    meanFee: 3_000,
    tickSpacing: 60,
    sqrtPriceX96: sqrtOfPrice(2_085.4, 18, 6),
    quote: 1,
    wander: CLOSE,
    follows: ETH_USDC,
    spread: WIDE,
    tvlUsd: 61_700_000,
    swapEveryMs: 26_000,
    ageDays: 396,
    positions: 4_870,
  },
  {
    chainId: 1,
    id: V3_USDC_USDT,
    token0: token("0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48", "USDC", "USD Coin", 6),
    token1: USDT,
    fee: 100,
    meanFee: 100,
    tickSpacing: 1,
    sqrtPriceX96: sqrtOfPrice(0.99991, 6, 6),
    quote: 1,
    wander: PEGGED,
    follows: null,
    spread: NARROW,
    tvlUsd: 24_900_000,
    swapEveryMs: 39_000,
    ageDays: 394,
    positions: 744,
  },
  {
    chainId: 8453,
    id: V3_WETH_USDC_BASE,
    token0: token("0x4200000000000000000000000000000000000006", "WETH", "Wrapped Ether", 18),
    token1: token("0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913", "USDC", "USD Coin", 6),
    fee: 500,
    meanFee: 500,
    tickSpacing: 10,
    sqrtPriceX96: sqrtOfPrice(2_085.9, 18, 6),
    quote: 1,
    wander: FREE.slice(0, 2),
    follows: ETH_USDC,
    spread: WIDE,
    tvlUsd: 17_200_000,
    swapEveryMs: 11_000,
    ageDays: 372,
    positions: 2_215,
  },
];
