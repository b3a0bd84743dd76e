import { pow10 } from "../base/decimal.ts";
import { DAY, HOUR } from "../base/duration.ts";
import type { Token } from "./listed-pools.ts";
import type { Octave } from "./noise.ts";

/** The one token that the specification's ERC-20 endpoints cover, at one address on every chain. */
export const STABLECOIN = "0x00000000eFE302BEAA2b3e6e1b18d08D69a9012a";
const COIN: Token = { address: STABLECOIN, symbol: "AUSD", name: "AUSD", decimals: 6 };

export const MAKER = "0xfac58b098b706960aee8cec5eabb2ea574b23774";
/** The fund that also owns the treasury's position: the demo lets its balance drop. */
export const TREASURY_WALLET = "0x1acf37fc9a055461542c22862666ac265d26dc0a";
/** Holds on Ethereum what stands behind the tokens on other chains. */
export const ESCROW_WALLET = "0x1111111111111111111111111111111111111111";

/** A wallet that rules and scripts can name; who else holds the token is simulated around them. */
export interface ListedWallet {
  /** In lower case. */
  readonly address: string;
  /** Raw units at the market's start. */
  readonly balance: bigint;
  /** Raw units: about how much moves at once. */
  readonly lot: bigint;
  /** How its balance comes and goes, as shares of it. */
  readonly flow: readonly Octave[];
}

/** A token on one chain: its figures at the market's start, in raw units. */
export interface ListedToken {
  readonly chainId: number;
  readonly coin: Token;
  readonly supply: bigint;
  /** About how much is minted or burnt at once. */
  readonly lot: bigint;
  readonly holders: number;
  readonly wallets: readonly ListedWallet[];
  /** When it was created, in days before the market's start; no chain is younger. */
  readonly ageDays: number;
  readonly transfersPerDay: number;
  /** About how much of it is traded in a day, in US dollars. */
  readonly volumeUsd: number;
}

/** Payments in and out: within an hour and a half hardly 2% together. */
const PAYMENTS: readonly Octave[] = [
  { period: 3 * HOUR, size: 0.004 },
  { period: DAY, size: 0.02 },
  { period: 9 * DAY, size: 0.06 },
];

/** What is locked moves seldom. */
const LOCKED: readonly Octave[] = [{ period: 12 * DAY, size: 0.01 }];

/**
 * On Ethereum alone the supply is beyond 2^53 raw units, where a double loses the last digit. The
 * listed wallets of a chain hold a tenth of its supply at most.
 */
export const LISTED_TOKENS: readonly ListedToken[] = [
  {
    ...stablecoin(1, 9_412_508_331_274_519n, 250_000),
    ...figures(48_412, 620, 21_400, 310_000_000),
    wallets: [
      wallet(TREASURY_WALLET, 6_214_500_318_207n, 15_000),
      wallet(MAKER, 184_902_117_640_033n, 400_000),
      wallet(ESCROW_WALLET, 640_000_000_000_001n, 1_000_000, LOCKED),
    ],
  },
  {
    ...stablecoin(137, 612_480_907_118_834n, 50_000),
    ...figures(41_208, 540, 38_700, 24_000_000),
    wallets: [wallet(TREASURY_WALLET, 1_480_250_000_000n, 5_000)],
  },
  {
    ...stablecoin(143, 384_117_650_902_471n, 40_000),
    ...figures(22_961, 420, 52_300, 19_000_000),
    wallets: [wallet(MAKER, 12_704_331_955_120n, 40_000)],
  },
  {
    ...stablecoin(13371, 58_340_112_007_699n, 10_000),
    ...figures(3_127, 480, 2_150, 1_300_000),
    wallets: [],
  },
  {
    ...stablecoin(43114, 402_218_223_481_927n, 40_000),
    ...figures(27_940, 560, 17_900, 15_000_000),
    wallets: [wallet(MAKER, 21_300_480_276_045n, 50_000)],
  },
  {
    ...stablecoin(747474, 151_906_745_330_208n, 20_000),
    ...figures(8_815, 430, 9_600, 5_200_000),
    wallets: [wallet(TREASURY_WALLET, 2_750_000_000_000n, 10_000)],
  },
];

function stablecoin(chainId: number, supply: bigint, lotTokens: number) {
  return { chainId, coin: COIN, supply, lot: raw(lotTokens) };
}

function figures(holders: number, ageDays: number, transfersPerDay: number, volumeUsd: number) {
  return { holders, ageDays, transfersPerDay, volumeUsd };
}

function wallet(address: string, balance: bigint, lotTokens: number, flow = PAYMENTS) {
  return { address, balance, lot: raw(lotTokens), flow };
}

/** A whole number of tokens in raw units. */
export function raw(tokens: number): bigint {
  return BigInt(tokens) * 10n ** BigInt(COIN.decimals);
}

/** By chain and symbol: the supply in whole tokens, and the figures beside it. */
const COINS: Readonly<Record<string, readonly [supply: bigint, ...Parameters<typeof figures>]>> = {
  "1:ETH": [120_694_312n, 241_300, 3_200, 1_180_000, 14_800_000_000],
  "1:USDC": [41_207_554_981n, 236_400, 2_650, 174_000, 6_900_000_000],
  "1:USDT": [78_100_412_306n, 248_100, 2_900, 291_000, 21_000_000_000],
  "1:WBTC": [127_418n, 142_700, 2_540, 9_800, 410_000_000],
  "1:WETH": [2_604_118n, 228_900, 2_900, 132_000, 1_250_000_000],
  "56:BNB": [137_730_405n, 239_000, 600, 4_100_000, 1_900_000_000],
  "56:USDT": [8_992_318_447n, 244_500, 590, 2_700_000, 1_400_000_000],
  "130:ETH": [61_204n, 98_400, 380, 310_000, 260_000_000],
  "130:USDC": [348_115_202n, 77_100, 375, 84_000, 190_000_000],
  "137:USDC": [1_120_408_773n, 231_700, 760, 812_000, 330_000_000],
  "137:USDT0": [1_014_660_118n, 229_300, 910, 540_000, 270_000_000],
  "8453:ETH": [842_317n, 238_800, 890, 3_600_000, 1_700_000_000],
  "8453:USDC": [4_066_190_554n, 242_200, 810, 2_900_000, 1_300_000_000],
  "8453:EURC": [196_430_118n, 41_800, 480, 31_000, 38_000_000],
};

/** Of a token that is not in there. */
const SMALL = [10_400_211n, 6_240, 410, 1_700, 240_000] as const;

/**
 * Every token of these pools, once on each chain, in the order of the pools; the stablecoin is
 * listed by itself. Who holds them is simulated: no wallet of theirs has a name.
 */
export function coinsOf(
  pools: readonly { readonly chainId: number; readonly token0: Token; readonly token1: Token }[],
): readonly ListedToken[] {
  const coins = new Map<string, ListedToken>();
  for (const { chainId, token0, token1 } of pools) {
    for (const coin of [token0, token1]) {
      const key = `${chainId}:${coin.address.toLowerCase()}`;
      const isListed = coin.address.toLowerCase() === STABLECOIN.toLowerCase();
      if (!isListed && !coins.has(key)) coins.set(key, listed(chainId, coin));
    }
  }
  return [...coins.values()];
}

function listed(chainId: number, coin: Token): ListedToken {
  const [tokens, ...rest] = COINS[`${chainId}:${coin.symbol}`] ?? SMALL;
  const supply = tokens * pow10(coin.decimals);
  // About how much is issued at once: a thirty-thousandth of what there is.
  return { chainId, coin, supply, lot: supply / 30_000n, ...figures(...rest), wallets: [] };
}
