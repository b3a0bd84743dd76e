import { DAY, HOUR } from "../base/duration.ts";
import { amountsForLiquidity, MAX_TICK } from "../base/ticks.ts";
import type { PoolListing } from "./listed-pools.ts";
import type { Blocks } from "./networks.ts";
import { type Octave, stream, uniform, wander } from "./noise.ts";
import type { Story } from "./script.ts";
import { scriptedLiquidity } from "./scripted.ts";
import { scaled, tickOf, wholeTokens } from "./units.ts";

/** Liquidity between two ticks. */
export interface Range {
  readonly lower: number;
  readonly upper: number;
  readonly liquidity: bigint;
}

/** One mint or burn in a pool. */
export interface LiquidityChange {
  readonly block: number;
  /** The block's time, epoch ms. */
  readonly time: number;
  readonly lower: number;
  readonly upper: number;
  readonly delta: bigint;
  /** The listed position that it belongs to; null: somebody else's. */
  readonly nft: string | null;
  /** Changes of one transaction have the same, and no others. */
  readonly transaction: string;
}

/** A listed position that has liquidity from one block to another; null: it stays. */
export interface Stake extends Range {
  readonly nft: string;
  readonly minted: number;
  readonly closed: number | null;
}

interface LiquiditySurroundings extends Story {
  readonly blocks: Blocks;
  /** When the pool was initialized, epoch ms. */
  readonly created: number;
  readonly stakes: readonly Stake[];
  /** What the tokens cost at the market's start. */
  readonly usd0: number;
  readonly usd1: number;
}

/** Liquidity comes and goes by some percent over days. */
const BREATHING: readonly Octave[] = [
  { period: 3 * HOUR, size: 0.004 },
  { period: 16 * HOUR, size: 0.012 },
  { period: 4 * DAY, size: 0.03 },
];

/** In each slot one band is brought to where it should be by then. */
const SLOT = 3 * HOUR;
/** What the script pulls or adds over a time goes in steps of so long, as far as that many do. */
const STEP = 15_000;
const MOST_STEPS = 120;

/**
 * All mints and burns of a pool, oldest first, numbered from 0. Its liquidity: some bands around its
 * starting price that belong to many, and the listed positions. The bands are worth, with the
 * positions of that time, the listed TVL at the market's start. A script moves the bands; listed positions go by their own lives. The list grows as far as
 * it is asked for, always in the order of time.
 */
export function liquidityOf(listed: PoolListing, around: LiquiditySurroundings) {
  const { blocks, seed, start, script, created, stakes } = around;
  const breathing = wander(stream(seed, `liquidity:${listed.id}`), BREATHING);
  const jitter = stream(seed, `modify:${listed.id}`);
  const bandCount = listed.spread.length;
  /** The bands are created in the first block; then they take turns. */
  const slotTime = (slot: number): number =>
    slot < bandCount
      ? created
      : Math.round(created + (slot - bandCount + 0.1 + 0.8 * uniform(jitter, slot)) * SLOT);
  const breathAt = (time: number): number => Math.exp(breathing(time - start));

  // Bands do not hang on the script: one that closes a position before the start does not fill them.
  const atStart = bandsOf(
    listed,
    stakes.filter(({ minted }) => minted <= start),
    around,
  );
  const bands = atStart.map((range, band) => {
    let slot = bandCount + Math.floor((start - created) / SLOT);
    while (slot % bandCount !== band || slotTime(slot) > start) slot -= 1;
    return { range, norm: breathAt(slotTime(slot)), breath: 1 };
  });

  const changes: (LiquidityChange & { readonly at: number; readonly after: readonly Range[] })[] =
    [];
  let ranges: readonly Range[] = atStart.map((range) => ({ ...range, liquidity: 0n }));
  const add = (
    at: number,
    { lower, upper }: Range,
    delta: bigint,
    of: Pick<LiquidityChange, "nft" | "transaction">,
  ): void => {
    const block = blocks.numberAt(at - 1) + 1;
    const time = blocks.timeOf(block);
    changes.push({ at, block, time, lower, upper, delta, ...of, after: ranges });
  };
  const setBand = (index: number, at: number, transaction: string): void => {
    const [band, before] = [bands[index], ranges[index]];
    if (band === undefined || before === undefined) throw new Error(`no band ${index}`);
    const scripted = Math.exp(scriptedLiquidity(script, listed.id, at - start));
    const liquidity = scaled(band.range.liquidity, (band.breath * scripted) / band.norm);
    ranges = ranges.with(index, { ...before, liquidity });
    add(at, before, liquidity - before.liquidity, { nft: null, transaction });
  };
  const setStake = (stake: Stake, at: number, isOpen: boolean): void => {
    const { nft, liquidity } = stake;
    ranges = isOpen ? [...ranges, stake] : ranges.filter((range) => range !== stake);
    const transaction = `stake:${nft}:${isOpen}`;
    add(at, stake, isOpen ? liquidity : -liquidity, { nft, transaction });
  };

  /** What happens besides the slots: steps of the script, and the ends of listed positions' lives. */
  const extras: { readonly at: number; readonly apply: () => void }[] = [];
  for (const [index, event] of script.entries()) {
    if (event.kind !== "liquidity" || event.pool !== listed.id) continue;
    const steps = Math.min(Math.max(Math.ceil(event.over / STEP), 1), MOST_STEPS);
    for (let step = 1; step <= steps; step += 1) {
      const at = start + event.at + (event.over * step) / steps;
      for (const band of bands.keys()) {
        extras.push({ at, apply: () => setBand(band, at, `step:${index}:${step}`) });
      }
    }
  }
  for (const stake of stakes) {
    const { minted, closed, liquidity } = stake;
    if (liquidity === 0n || (closed !== null && closed <= minted)) continue;
    extras.push({ at: minted, apply: () => setStake(stake, minted, true) });
    if (closed !== null) extras.push({ at: closed, apply: () => setStake(stake, closed, false) });
  }
  // The sort keeps the bands of a step together: equal times stay in their order.
  const queue = extras.filter(({ at }) => at >= created).toSorted((a, b) => a.at - b.at);

  let slot = 0;
  let applied = 0;
  const growTo = (time: number): void => {
    for (;;) {
      const extra = queue[applied];
      const slotAt = slotTime(slot);
      if (Math.min(slotAt, extra?.at ?? slotAt) > time) return;
      if (extra !== undefined && extra.at < slotAt) {
        extra.apply();
        applied += 1;
        continue;
      }
      const index = slot % bandCount;
      const band = bands[index];
      if (band !== undefined) band.breath = breathAt(slotAt);
      setBand(index, slotAt, `slot:${Math.max(slot, bandCount - 1)}`);
      slot += 1;
    }
  };
  const known = (index: number) => {
    const change = changes[index];
    if (change === undefined) throw new Error(`no change ${index} of pool ${listed.id}`);
    return change;
  };

  return {
    /** How many there were in blocks up to that of this time (epoch ms). */
    countAt: (blockTime: number) => {
      growTo(blockTime);
      let low = 0;
      let high = changes.length;
      while (low < high) {
        const middle = (low + high) >>> 1;
        if (known(middle).at > blockTime) high = middle;
        else low = middle + 1;
      }
      return low;
    },
    /** One that `countAt` has counted; so for `ranges`. */
    change: known,
    /** What lies where after the first `count` of them. */
    ranges: (count: number) => (count === 0 ? [] : known(count - 1).after),
  };
}

/**
 * The bands around the starting tick. Together with the positions that are open then they are worth
 * the listed TVL, each with its share of it.
 */
function bandsOf(
  listed: PoolListing,
  open: readonly Range[],
  { usd0, usd1 }: Pick<LiquiditySurroundings, "usd0" | "usd1">,
): readonly Range[] {
  const { tickSpacing, sqrtPriceX96, token0, token1 } = listed;
  const worth = ({ lower, upper, liquidity }: Range): number => {
    const { amount0, amount1 } = amountsForLiquidity(sqrtPriceX96, lower, upper, liquidity);
    return (
      wholeTokens(amount0, token0.decimals) * usd0 + wholeTokens(amount1, token1.decimals) * usd1
    );
  };
  const rest = listed.tvlUsd - open.reduce((sum, range) => sum + worth(range), 0);
  const usable = Math.floor(MAX_TICK / tickSpacing) * tickSpacing;
  const middle = Math.floor(tickOf(sqrtPriceX96) / tickSpacing) * tickSpacing;
  const probe = 10n ** 24n;
  return listed.spread.map(({ ticks, share }) => {
    const half = Math.ceil(ticks / tickSpacing) * tickSpacing;
    const lower = Math.max(middle - half, -usable);
    const upper = Math.min(middle + half, usable);
    const usd = worth({ lower, upper, liquidity: probe });
    const liquidity =
      (probe * BigInt(Math.round(rest * share * 1e6))) / BigInt(Math.round(usd * 1e6));
    return { lower, upper, liquidity };
  });
}
