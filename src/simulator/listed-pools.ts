import type { Octave } from "./noise.ts";
import {
  CLOSE,
  CURRENCIES,
  FREE,
  MIDDLE,
  NARROW,
  PEGGED,
  type Spread,
  sqrtOfPrice,
  type Token,
  token,
  WIDE,
} from "./pool-shapes.ts";

export type { Token } from "./pool-shapes.ts";

/** What is fixed about a pool of the market, and how its figures start. */
export interface PoolListing {
  readonly chainId: number;
  /** In lower case; no two pools of the market share an id. Of a V3 pool it is the address. */
  readonly id: string;
  readonly token0: Token;
  readonly token1: Token;
  /** Hundredths of a basis point; DYNAMIC_FEE where the hook decides. */
  readonly fee: number;
  /** What swaps have paid on average, in the same unit. */
  readonly meanFee: number;
  readonly tickSpacing: number;
  /** The price at the market's start. */
  readonly sqrtPriceX96: bigint;
  /** US dollars for one token1, or the pool whose token0 is worth the same. */
  readonly quote: number | { readonly sameAsToken0Of: string };
  /** How its price wanders by itself. */
  readonly wander: readonly Octave[];
  /** Its price moves with that pool's price besides. */
  readonly follows: string | null;
  readonly spread: readonly Spread[];
  /** At the market's start. */
  readonly tvlUsd: number;
  readonly swapEveryMs: number;
  readonly ageDays: number;
  readonly positions: number;
}

/** A V4 pool. */
export interface ListedPool extends PoolListing {
  readonly protocol: "dexa" | "dexb";
  readonly hook: string;
}

/** The fee that says: the hook sets it for each swap. */
export const DYNAMIC_FEE = 8_388_608;
export const ZERO_ADDRESS = `0x${"0".repeat(40)}`;

/** The mainnet ETH/USDC 0.05% pool that others follow. */
export const ETH_USDC = "0x21c67e77068de97969ba93d4aab21826d33ca12bb9f565d8496e8fda8a82ca27";
export const WBTC_WETH = "0x9ca91616db2e9728b26cd3abb315912e63966b923ecaeb907b5df097d814e337";
export const BNB_USDT = "0x0956d8e20fa54681b0d838fba7e5a78c4afaf939e2e62bb5b04c17545a8f73af";
export const USDC_USDT_POLYGON =
  "0x55bc4cfd8ef0ea542de13b13fc0430c257517d672633ee1380cd3a7ed91cc04c";
export const ETH_USDC_BASE = "0x12cf187620198325ab3ad3f61702db7eb08819fa09e139a5e703438331b40df9";
export const EURC_USDC_BASE = "0x136657c66efceed240365ae75479f613613c5106c9dbdbda6fd513d05964a5f6";
export const ETH_USDC_UNICHAIN =
  "0xd1ea5b2ec9b5b9f6715a6247f182eb5cb4017e8e9f6bc61ac222657a737d3ad1";

const ETH = token(ZERO_ADDRESS, "ETH", "Ether", 18);
const BNB = token(ZERO_ADDRESS, "BNB", "BNB", 18);

export const LISTED_POOLS: readonly ListedPool[] = [
  {
    chainId: 1,
    id: ETH_USDC,
    protocol: "dexa",
    token0: ETH,
    token1: token("0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48", "USDC", "USD Coin", 6),
    fee: 500,
    meanFee: 500,
    tickSpacing: 10,
    hook: ZERO_ADDRESS,
    // 2086.04 USDC for one ETH: tick −199890.
    sqrtPriceX96: 3_618_602_270_101_715_334_278_112n,
    quote: 1,
    wander: FREE,
    follows: null,
    spread: WIDE,
    tvlUsd: 22_800_000,
    swapEveryMs: 14_500,
    ageDays: 391,
    positions: 1_284,
  },
  {
    chainId: 1,
    id: WBTC_WETH,
    protocol: "dexb",
    token0: token("0x2260FAC5E5542a773Aa44fBCfeDf7C193bc2C599", "WBTC", "Wrapped BTC", 8),
    token1: token("0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2", "WETH", "Wrapped Ether", 18),
    fee: 3_000,
    meanFee: 3_000,
    tickSpacing: 60,
    hook: ZERO_ADDRESS,
    sqrtPriceX96: sqrtOfPrice(30.42, 8, 18),
    quote: { sameAsToken0Of: ETH_USDC },
    wander: FREE,
    follows: null,
    spread: WIDE,
    tvlUsd: 6_150_000,
    swapEveryMs: 97_000,
    ageDays: 214,
    positions: 173,
  },
  {
    chainId: 56,
    id: BNB_USDT,
    protocol: "dexb",
    token0: BNB,
    token1: token("0x55d398326f99059fF775485246999027B3197955", "USDT", "Tether USD", 18),
    fee: 500,
    meanFee: 500,
    tickSpacing: 10,
    hook: ZERO_ADDRESS,
    sqrtPriceX96: sqrtOfPrice(868.37, 18, 18),
    quote: 1,
    wander: FREE,
    follows: null,
    spread: WIDE,
    tvlUsd: 9_420_000,
    swapEveryMs: 6_200,
    ageDays: 176,
    positions: 921,
  },
  {
    chainId: 137,
    id: USDC_USDT_POLYGON,
    protocol: "dexa",
    token0: token("0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359", "USDC", "USD Coin", 6),
    token1: token("0xc2132D05D31c914a87C6611C10748AEb04B58e8F", "USDT0", "USDT0", 6),
    fee: 10,
    meanFee: 10,
    tickSpacing: 1,
    hook: ZERO_ADDRESS,
    sqrtPriceX96: sqrtOfPrice(0.99986, 6, 6),
    quote: 1,
    wander: PEGGED,
    follows: null,
    spread: NARROW,
    tvlUsd: 3_870_000,
    swapEveryMs: 23_000,
    ageDays: 251,
    positions: 88,
  },
  {
    chainId: 8453,
    id: ETH_USDC_BASE,
    protocol: "dexa",
    token0: ETH,
    token1: token("0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913", "USDC", "USD Coin", 6),
    fee: DYNAMIC_FEE,
    meanFee: 640,
    tickSpacing: 60,
    hook: "0x5577c2235b38807de9146003af8f99abd6b880c0",
    sqrtPriceX96: sqrtOfPrice(2_085.71, 18, 6),
    quote: 1,
    wander: CLOSE,
    follows: ETH_USDC,
    spread: WIDE,
    tvlUsd: 11_300_000,
    swapEveryMs: 4_400,
    ageDays: 189,
    positions: 640,
  },
  {
    chainId: 8453,
    id: EURC_USDC_BASE,
    protocol: "dexa",
    token0: token("0x60a3E35Cc302bFA44Cb288Bc5a4F316Fdb1adb42", "EURC", "EURC", 6),
    token1: token("0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913", "USDC", "USD Coin", 6),
    fee: 100,
    meanFee: 100,
    tickSpacing: 1,
    hook: ZERO_ADDRESS,
    sqrtPriceX96: sqrtOfPrice(1.1584, 6, 6),
    quote: 1,
    wander: CURRENCIES,
    follows: null,
    spread: MIDDLE,
    tvlUsd: 2_060_000,
    swapEveryMs: 31_000,
    ageDays: 143,
    positions: 57,
  },
  {
    chainId: 130,
    id: ETH_USDC_UNICHAIN,
    protocol: "dexa",
    token0: ETH,
    token1: token("0x078D782b760474a361dDA0AF3839290b0EF57AD6", "USDC", "USD Coin", 6),
    fee: 500,
    meanFee: 500,
    tickSpacing: 10,
    hook: ZERO_ADDRESS,
    sqrtPriceX96: sqrtOfPrice(2_086.4, 18, 6),
    quote: 1,
    wander: CLOSE,
    follows: ETH_USDC,
    spread: WIDE,
    tvlUsd: 14_700_000,
    swapEveryMs: 9_000,
    ageDays: 268,
    positions: 412,
  },
];
