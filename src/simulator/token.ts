import { DAY, HOUR } from "../base/duration.ts";
import { holdersOf } from "./holders.ts";
import { type ListedToken, STABLECOIN } from "./listed-tokens.ts";
import type { Blocks } from "./networks.ts";
import { type Octave, steps, stream, wander } from "./noise.ts";
import type { Story } from "./script.ts";
import { mintedRaw } from "./script.ts";
import { scriptedBalance, scriptedHolders } from "./scripted.ts";

/** Mints and burns: within an hour and a half far less than a hundredth of a percent. */
const ISSUANCE: readonly Octave[] = [
  { period: 8 * HOUR, size: 0.00002 },
  { period: DAY, size: 0.00006 },
  { period: 8 * DAY, size: 0.0004 },
  { period: 60 * DAY, size: 0.003 },
];

/** New holders in a day, as a share of all. */
const GROWTH = 0.0007;
/** Wallets that are emptied and come back. */
const CHURN: readonly Octave[] = [
  { period: 3 * HOUR, size: 0.0003 },
  { period: DAY, size: 0.0006 },
];

/**
 * A token on one chain, each figure as the newest block at `at` (epoch ms) left it; amounts are
 * raw units.
 */
export function tokenOf(listed: ListedToken, blocks: Blocks, story: Story) {
  const { chainId, coin } = listed;
  const { seed, start } = story;
  const isStable = coin.address === STABLECOIN;
  // A script speaks of the stablecoin only.
  const script = isStable ? story.script : [];
  const name = isStable ? `token:${chainId}` : `token:${chainId}:${coin.address.toLowerCase()}`;
  const issued = steps(seed, `${name}:supply`, listed.supply, listed.lot, ISSUANCE);
  const churn = wander(stream(seed, `${name}:holders`), CHURN);
  const supply = (t: number): bigint => issued(t) + mintedRaw(script, chainId, t);
  const holders = holdersOf(listed, {
    seed,
    supply,
    level: (t) => {
      const level = Math.exp((GROWTH * t) / DAY + churn(t)) * scriptedHolders(script, chainId, t);
      return Math.round(listed.holders * level);
    },
    scripted: (address, own, t) => scriptedBalance(script, chainId, address, own, t),
  });
  const first = Math.max(0, blocks.numberAt(start - listed.ageDays * DAY));
  const created = { block: first, time: blocks.timeOf(first) };
  // Nothing changes but in a block.
  const timeIn = (at: number): number => blocks.timeOf(blocks.numberAt(at)) - start;

  return {
    listed,
    created,
    block: (at: number) => blocks.numberAt(at),
    supply: (at: number) => supply(timeIn(at)),
    /** Letter case does not matter; a wallet that is no holder has 0. */
    balance: (wallet: string, at: number) => holders.balance(wallet.toLowerCase(), timeIn(at)),
    holderCount: (at: number) => holders.count(timeIn(at)),
    /**
     * The holders by balance, `size` of them at most and after `offset` others: the richest first, or
     * the poorest with `ascending`.
     */
    holders: (at: number, offset: number, size: number, ascending: boolean) => {
      const t = timeIn(at);
      if (!ascending) return holders.richest(t, offset, size);
      const end = Math.max(0, holders.count(t) - offset);
      const from = Math.max(0, end - size);
      return holders.richest(t, from, end - from).toReversed();
    },
    /** Since its creation. */
    transferCount: (at: number) => {
      const age = Math.max(0, timeIn(at) + start - created.time);
      return 1 + Math.floor((age / DAY) * listed.transfersPerDay);
    },
  };
}

export type Token = ReturnType<typeof tokenOf>;
