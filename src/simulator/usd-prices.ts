import { DAY, MINUTE } from "../base/duration.ts";
import type { Token as Coin } from "./listed-pools.ts";
import type { Blocks } from "./networks.ts";
import { type Octave, stream, wander } from "./noise.ts";
import { scriptedPeg } from "./peg.ts";
import type { ScriptEvent } from "./script.ts";

/** US dollars for one token, and since when (epoch ms). */
export interface UsdQuote {
  readonly usd: number;
  readonly time: number;
}

/** The price at a time (epoch ms); there is one at any time, also before the first pool. */
export type UsdPrice = (at: number) => UsdQuote;

/** What prices need of a pool, of either version. */
export interface PricingPool {
  readonly chainId: number;
  readonly token0: Coin;
  readonly token1: Coin;
  /** What its tokens cost as the latest swap up to `at` left it, and when that was. */
  usd(at: number): { readonly usd0: number; readonly usd1: number; readonly time: number };
}

/** A dollar's token wanders by a twentieth of a percent. */
const NEAR_ONE: readonly Octave[] = [
  { period: 25 * MINUTE, size: 0.00012 },
  { period: DAY, size: 0.0002 },
  { period: 11 * DAY, size: 0.0002 },
];

/** Keys of `poolPrices`: a token's address is one in any letter case. */
export function priceKey(chainId: number, token: string): string {
  return `${chainId}:${token.toLowerCase()}`;
}

/**
 * The price of every token of these pools by `priceKey`: what the metadata of the first pool with
 * that token on its chain tells, so that pools and prices agree to the last digit.
 */
export function poolPrices(pools: readonly PricingPool[]): ReadonlyMap<string, UsdPrice> {
  const prices = new Map<string, UsdPrice>();
  for (const pool of pools) {
    const { chainId, token0, token1 } = pool;
    const key0 = priceKey(chainId, token0.address);
    const key1 = priceKey(chainId, token1.address);
    if (!prices.has(key0)) {
      prices.set(key0, (at) => {
        const { usd0, time } = pool.usd(at);
        return { usd: usd0, time };
      });
    }
    if (!prices.has(key1)) {
      prices.set(key1, (at) => {
        const { usd1, time } = pool.usd(at);
        return { usd: usd1, time };
      });
    }
  }
  return prices;
}

/** The stablecoin's price on one chain: one market for all chains, and each chain's own script. */
export function stablePrice(
  token: string,
  chainId: number,
  around: {
    readonly blocks: Blocks;
    readonly seed: number;
    readonly start: number;
    readonly script: readonly ScriptEvent[];
  },
): UsdPrice {
  const { blocks, seed, start, script } = around;
  const address = token.toLowerCase();
  const near = wander(stream(seed, `usd:${address}`), NEAR_ONE);
  return (at) => {
    const time = blocks.timeOf(blocks.numberAt(at));
    const move = near(time - start) + scriptedPeg(script, chainId, address, time - start);
    return { usd: Number(Math.exp(move).toPrecision(10)), time };
  };
}
