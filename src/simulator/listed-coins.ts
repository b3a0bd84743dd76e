import { pow10 } from "../base/decimal.ts";
import type { Token } from "./listed-pools.ts";
import { type ListedToken, STABLECOIN } from "./listed-token.ts";

/** A token with the figures that it has apart from any pool; amounts are whole tokens. */
interface Figures {
  readonly supply: number;
  readonly holders: number;
  readonly ageDays: number;
  readonly transfersPerDay: number;
  readonly volumeUsd: number;
}

/** By chain and symbol. A token that is not in here is a small one. */
const FIGURES: Readonly<Record<string, Figures>> = {
  "1:ETH": figures(120_694_312, 241_300, 3_200, 1_180_000, 14_800_000_000),
  "1:USDC": figures(41_207_554_981, 236_400, 2_650, 174_000, 6_900_000_000),
  "1:USDT": figures(78_100_412_306, 248_100, 2_900, 291_000, 21_000_000_000),
  "1:WBTC": figures(127_418, 142_700, 2_540, 9_800, 410_000_000),
  "1:WETH": figures(2_604_118, 228_900, 2_900, 132_000, 1_250_000_000),
  "56:BNB": figures(137_730_405, 239_000, 600, 4_100_000, 1_900_000_000),
  "56:USDT": figures(8_992_318_447, 244_500, 590, 2_700_000, 1_400_000_000),
  "130:ETH": figures(61_204, 98_400, 380, 310_000, 260_000_000),
  "130:USDC": figures(348_115_202, 77_100, 375, 84_000, 190_000_000),
  "137:USDC": figures(1_120_408_773, 231_700, 760, 812_000, 330_000_000),
  "137:USDT0": figures(1_014_660_118, 229_300, 910, 540_000, 270_000_000),
  "8453:ETH": figures(842_317, 238_800, 890, 3_600_000, 1_700_000_000),
  "8453:USDC": figures(4_066_190_554, 242_200, 810, 2_900_000, 1_300_000_000),
  "8453:EURC": figures(196_430_118, 41_800, 480, 31_000, 38_000_000),
};
const SMALL = figures(10_400_211, 6_240, 410, 1_700, 240_000);

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
  const { supply, ...rest } = FIGURES[`${chainId}:${coin.symbol}`] ?? SMALL;
  const raw = BigInt(supply) * pow10(coin.decimals);
  // About how much is issued at once: a thirty-thousandth of what there is.
  return { ...rest, chainId, coin, supply: raw, lot: raw / 30_000n, wallets: [] };
}

function figures(
  supply: number,
  holders: number,
  ageDays: number,
  transfersPerDay: number,
  volumeUsd: number,
): Figures {
  return { supply, holders, ageDays, transfersPerDay, volumeUsd };
}
