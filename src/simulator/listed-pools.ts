import { DAY, HOUR, MINUTE } from "../base/duration.ts";
import type { Octave } from "./noise.ts";

/** The pools and positions of the market, and how their figures start. */

export interface Token {
  readonly address: string;
  readonly symbol: string;
  readonly name: string;
  readonly decimals: number;
}

/** A half width of liquidity around the starting tick, in ticks, and its share of TVL. */
interface Spread {
  readonly ticks: number;
  readonly share: number;
}

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
  /** The pool whose token0 is worth as much as this one's token1; null: token1 is a US dollar. */
  readonly quotedBy: string | null;
  /** How its price wanders by itself. */
  readonly wander: readonly Octave[];
  /** Its price moves with that pool's price besides. */
  readonly follows: string | null;
  readonly spread: readonly Spread[];
  /** At the market's start. */
  readonly tvlUsd: number;
  /** What is traded in a day, about, as a share of the TVL at the start. */
  readonly turnover: number;
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

/** How prices wander. A price that is free to go: about 3% a day. */
const FREE: readonly Octave[] = [
  { period: 5 * MINUTE, size: 0.0008 },
  { period: 20 * MINUTE, size: 0.0018 },
  { period: 80 * MINUTE, size: 0.004 },
  { period: 6 * HOUR, size: 0.009 },
  { period: DAY, size: 0.018 },
  { period: 5 * DAY, size: 0.04 },
  { period: 30 * DAY, size: 0.09 },
];

/** What separates a pool from the one that it follows until somebody trades it away. */
const CLOSE: readonly Octave[] = [
  { period: 4 * MINUTE, size: 0.0003 },
  { period: 45 * MINUTE, size: 0.0005 },
];

/** Two tokens of one currency. */
const PEGGED: readonly Octave[] = [
  { period: 30 * MINUTE, size: 0.00006 },
  { period: DAY, size: 0.00012 },
  { period: 12 * DAY, size: 0.0002 },
];

/** Two currencies. */
const CURRENCIES: readonly Octave[] = [
  { period: 25 * MINUTE, size: 0.0002 },
  { period: 8 * HOUR, size: 0.0012 },
  { period: 3 * DAY, size: 0.004 },
  { period: 20 * DAY, size: 0.009 },
];

/** Where liquidity lies; the first is the full range. */
const WIDE = spread([887_272, 0.12], [6_000, 0.5], [1_500, 0.38]);
const MIDDLE = spread([887_272, 0.03], [1_200, 0.57], [200, 0.4]);
const NARROW = spread([887_272, 0.01], [600, 0.29], [20, 0.7]);

const ETH = token(ZERO_ADDRESS, "ETH", "Ether", 18);
const BNB = token(ZERO_ADDRESS, "BNB", "BNB", 18);
const USDC = token("0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48", "USDC", "USD Coin", 6);
const USDC_BASE = token("0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913", "USDC", "USD Coin", 6);
const USDC_POLYGON = token("0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359", "USDC", "USD Coin", 6);
const USDC_UNICHAIN = token("0x078D782b760474a361dDA0AF3839290b0EF57AD6", "USDC", "USD Coin", 6);
const USDT = token("0xdAC17F958D2ee523a2206206994597C13D831ec7", "USDT", "Tether USD", 6);
const USDT_BNB = token("0x55d398326f99059fF775485246999027B3197955", "USDT", "Tether USD", 18);
const USDT_POLYGON = token("0xc2132D05D31c914a87C6611C10748AEb04B58e8F", "USDT0", "USDT0", 6);
const EURC = token("0x60a3E35Cc302bFA44Cb288Bc5a4F316Fdb1adb42", "EURC", "EURC", 6);
const WBTC = token("0x2260FAC5E5542a773Aa44fBCfeDf7C193bc2C599", "WBTC", "Wrapped BTC", 8);
const WETH = token("0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2", "WETH", "Wrapped Ether", 18);
const WETH_BASE = token("0x4200000000000000000000000000000000000006", "WETH", "Wrapped Ether", 18);

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

/** Addresses of V3 pools, in lower case. */
export const V3_WBTC_WETH = "0xcbcdf9626bc03e24f779434178a73a0b4bad62ed";
export const V3_WETH_USDT = "0x4e68ccd3e89f51c3074ca5072bbac773960dfa36";
const V3_USDC_USDT = "0x3416cf6c708da44db2624d63ea0aaef7113527c6";
const V3_WETH_USDC_BASE = "0xd0b53d9277642d899df5c87a3966a349a798f224";

/** What most pools have: token1 is a dollar, and no other pool leads them. */
const PLAIN = {
  wander: FREE,
  spread: WIDE,
  quotedBy: null,
  follows: null,
  turnover: 0.9,
} as const;

export const LISTED_POOLS: readonly ListedPool[] = [
  {
    ...v4("dexa", 1, ETH_USDC),
    ...fees(500, 10),
    ...PLAIN,
    token0: ETH,
    token1: USDC,
    // 2086.04 USDC for one ETH: tick −199890.
    sqrtPriceX96: 3_618_602_270_101_715_334_278_112n,
    ...activity({ tvlUsd: 22_800_000, swapEveryMs: 14_500, ageDays: 391, positions: 1_284 }),
  },
  {
    ...v4("dexb", 1, WBTC_WETH),
    ...fees(3_000, 60),
    ...PLAIN,
    ...pair(WBTC, WETH, 30.42),
    quotedBy: ETH_USDC,
    ...activity({ tvlUsd: 6_150_000, swapEveryMs: 97_000, ageDays: 214, positions: 173 }),
    turnover: 0.48,
  },
  {
    ...v4("dexb", 56, BNB_USDT),
    ...fees(500, 10),
    ...PLAIN,
    ...pair(BNB, USDT_BNB, 868.37),
    ...activity({ tvlUsd: 9_420_000, swapEveryMs: 6_200, ageDays: 176, positions: 921 }),
  },
  {
    ...v4("dexa", 137, USDC_USDT_POLYGON),
    ...fees(10, 1),
    ...PLAIN,
    ...pair(USDC_POLYGON, USDT_POLYGON, 0.99986),
    wander: PEGGED,
    spread: NARROW,
    ...activity({ tvlUsd: 3_870_000, swapEveryMs: 23_000, ageDays: 251, positions: 88 }),
  },
  {
    ...v4("dexa", 8453, ETH_USDC_BASE, "0x5577c2235b38807de9146003af8f99abd6b880c0"),
    ...fees(DYNAMIC_FEE, 60, 640),
    ...PLAIN,
    ...pair(ETH, USDC_BASE, 2_085.71),
    wander: CLOSE,
    follows: ETH_USDC,
    ...activity({ tvlUsd: 11_300_000, swapEveryMs: 4_400, ageDays: 189, positions: 640 }),
  },
  {
    ...v4("dexa", 8453, EURC_USDC_BASE),
    ...fees(100, 1),
    ...PLAIN,
    ...pair(EURC, USDC_BASE, 1.1584),
    wander: CURRENCIES,
    spread: MIDDLE,
    ...activity({ tvlUsd: 2_060_000, swapEveryMs: 31_000, ageDays: 143, positions: 57 }),
    turnover: 0.25,
  },
  {
    ...v4("dexa", 130, ETH_USDC_UNICHAIN),
    ...fees(500, 10),
    ...PLAIN,
    ...pair(ETH, USDC_UNICHAIN, 2_086.4),
    wander: CLOSE,
    follows: ETH_USDC,
    ...activity({ tvlUsd: 14_700_000, swapEveryMs: 9_000, ageDays: 268, positions: 412 }),
  },
];

/** The V3 pools of the market: like the V4 pools, but with neither a hook nor listed positions. */
export const LISTED_V3_POOLS: readonly PoolListing[] = [
  {
    chainId: 1,
    id: V3_WBTC_WETH,
    ...fees(3_000, 60),
    ...PLAIN,
    ...pair(WBTC, WETH, 30.4),
    quotedBy: ETH_USDC,
    wander: CLOSE,
    follows: WBTC_WETH,
    ...activity({ tvlUsd: 98_400_000, swapEveryMs: 121_000, ageDays: 398, positions: 3_512 }),
    turnover: 0.44,
  },
  {
    chainId: 1,
    id: V3_WETH_USDT,
    ...fees(3_000, 60),
    ...PLAIN,
    ...pair(WETH, USDT, 2_085.4),
    wander: CLOSE,
    follows: ETH_USDC,
    ...activity({ tvlUsd: 61_700_000, swapEveryMs: 26_000, ageDays: 396, positions: 4_870 }),
  },
  {
    chainId: 1,
    id: V3_USDC_USDT,
    ...fees(100, 1),
    ...PLAIN,
    ...pair(USDC, USDT, 0.99991),
    wander: PEGGED,
    spread: NARROW,
    ...activity({ tvlUsd: 24_900_000, swapEveryMs: 39_000, ageDays: 394, positions: 744 }),
  },
  {
    chainId: 8453,
    id: V3_WETH_USDC_BASE,
    ...fees(500, 10),
    ...PLAIN,
    ...pair(WETH_BASE, USDC_BASE, 2_085.9),
    wander: FREE.slice(0, 2),
    follows: ETH_USDC,
    ...activity({ tvlUsd: 17_200_000, swapEveryMs: 11_000, ageDays: 372, positions: 2_215 }),
  },
];

/** Every pool of the market; a pool comes after those that it follows or that quote it. */
export const ALL_POOLS: readonly PoolListing[] = [...LISTED_POOLS, ...LISTED_V3_POOLS];

function v4(protocol: "dexa" | "dexb", chainId: number, id: string, hook = ZERO_ADDRESS) {
  return { protocol, chainId, id, hook };
}

function fees(fee: number, tickSpacing: number, meanFee = fee) {
  return { fee, meanFee, tickSpacing };
}

/** Two tokens and their price in whole ones; a double's 16 digits are enough to begin with. */
function pair(token0: Token, token1: Token, price: number) {
  const root = Math.sqrt(price * 10 ** (token1.decimals - token0.decimals));
  return { token0, token1, sqrtPriceX96: BigInt(Math.round(root * 2 ** 96)) };
}

function activity(
  of: Pick<PoolListing, "tvlUsd" | "swapEveryMs" | "ageDays" | "positions">,
): typeof of {
  return of;
}

function spread(...parts: readonly (readonly [ticks: number, share: number])[]) {
  return parts.map(([ticks, share]): Spread => ({ ticks, share }));
}

function token(address: string, symbol: string, name: string, decimals: number): Token {
  return { address, symbol, name, decimals };
}
