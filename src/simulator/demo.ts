import { HOUR, MINUTE } from "../base/duration.ts";
import { ETH_USDC } from "./listed-pools.ts";
import { TREASURY_WALLET } from "./listed-tokens.ts";
import { IDLE_NFT, TREASURY_NFT } from "./positions.ts";
import type { PositionRef, ScriptEvent } from "./script.ts";

/** The position that leaves its range and comes back. */
export const DEMO_TREASURY: PositionRef = { chain: 1, protocol: "dexa", nft: TREASURY_NFT };
/** The position that is out of range from the start and gets closed. */
export const DEMO_IDLE: PositionRef = { chain: 1, protocol: "dexa", nft: IDLE_NFT };

/**
 * Ninety minutes in which everything happens once. It needs a `start` at minute 48 of an hour
 * (`demoStart`), so that gas hours begin at 0:12 and 1:12. Offsets from start, in minutes:
 *
 * -  3 to 8: the ETH/USDC price falls by 7%; DEMO_TREASURY leaves its range at about 5½, downwards.
 * - 9: 5.9 million stablecoins are minted on Polygon, at 11 400,000 are burnt on Avalanche, at 14
 *   700,000 are minted on Katana: 6.2 million over all six chains, and from 9 on more than 5.
 * - 12 to 18: tips on Ethereum are nine times as high. The running hour's top-10% tip is above
 *   5 gwei from 12 to 22 at least (seen from 17 on by whom skips hours younger than five
 *   minutes); as calm minutes come in, its average falls below 4 gwei between 25 and 55: at night,
 *   when tips are low, it does so sooner.
 * - 25 to 30: the price returns; DEMO_TREASURY is back in range at about 27½, after 22 minutes.
 * - 33: TREASURY_WALLET pays 2.4 of its 6.2 million stablecoins on Ethereum and has under 4 million.
 * - 38 to 44: a third of the ETH/USDC pool's liquidity and TVL is pulled: 20% are gone at 41½.
 * - 48 to 51: Avalanche loses 3% of the stablecoin's holders; 1% are gone before 50.
 * - 58 to 64: most of it comes back, to 95% of where it was.
 * - 69: TREASURY_WALLET receives 2.5 million and has over 6 million again.
 * - 72: the next gas hour begins, calm from its first block.
 * - 75: DEMO_IDLE is closed; its liquidity is 0 from the next block on.
 */
export const DEMO_SCRIPT: readonly ScriptEvent[] = [
  {
    kind: "price",
    pool: ETH_USDC,
    factor: 0.93,
    at: 3 * MINUTE,
    over: 5 * MINUTE,
    hold: 17 * MINUTE,
    back: 5 * MINUTE,
  },
  { kind: "tips", chain: 1, factor: 9, at: 12 * MINUTE, for: 6 * MINUTE },
  { kind: "liquidity", pool: ETH_USDC, factor: 0.67, at: 38 * MINUTE, over: 6 * MINUTE },
  { kind: "liquidity", pool: ETH_USDC, factor: 0.95 / 0.67, at: 58 * MINUTE, over: 6 * MINUTE },
  { kind: "mint", chain: 137, amount: 5_900_000, at: 9 * MINUTE },
  { kind: "mint", chain: 43114, amount: -400_000, at: 11 * MINUTE },
  { kind: "mint", chain: 747474, amount: 700_000, at: 14 * MINUTE },
  { kind: "transfer", chain: 1, wallet: TREASURY_WALLET, amount: -2_400_000, at: 33 * MINUTE },
  { kind: "holders", chain: 43114, factor: 0.97, at: 48 * MINUTE, over: 3 * MINUTE },
  { kind: "transfer", chain: 1, wallet: TREASURY_WALLET, amount: 2_500_000, at: 69 * MINUTE },
  { kind: "close", position: DEMO_IDLE, at: 75 * MINUTE },
];

/** The latest minute 48 of an hour that is not after `now`; both in epoch milliseconds. */
export function demoStart(now: number): number {
  return Math.floor((now - 48 * MINUTE) / HOUR) * HOUR + 48 * MINUTE;
}
