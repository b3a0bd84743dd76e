import { DAY, HOUR } from "../base/duration.ts";
import { type Band, bandsOf, type Range } from "./depth.ts";
import type { PoolListing } from "./listed-pools.ts";
import type { Blocks } from "./networks.ts";
import { type Octave, stream, uniform, wander } from "./noise.ts";
import { scaled } from "./prices.ts";
import { type ScriptEvent, scriptedLiquidity } from "./script.ts";

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

/** All mints and burns of a pool, oldest first, numbered from 0. */
export interface LiquidityBook {
  /** How many there were in blocks up to that of this time (epoch ms). */
  countAt(blockTime: number): number;
  change(index: number): LiquidityChange;
  /** The block of a change and its time. */
  blockOf(index: number): { readonly block: number; readonly time: number };
  /** What lies where after the first `count` of them. */
  ranges(count: number): readonly Range[];
}

/** A listed position that has liquidity from one block to another; null: it stays. */
export interface Stake extends Range {
  readonly nft: string;
  readonly minted: number;
  readonly closed: number | null;
}

export interface LiquiditySurroundings {
  readonly blocks: Blocks;
  readonly seed: number;
  readonly start: number;
  readonly script: readonly ScriptEvent[];
  /** When the pool was initialized, epoch ms. */
  readonly created: number;
  readonly stakes: readonly Stake[];
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

/** What happens besides the slots: a step of the script, or one end of a listed position's life. */
interface Extra {
  readonly time: number;
  readonly what: { readonly band: number; readonly step: number } | StakeEnd;
}

interface StakeEnd {
  readonly stake: Stake;
  readonly delta: bigint;
}

/**
 * The liquidity of a pool: some bands around its starting price that belong to many, and the listed
 * positions. The bands are worth, with the positions of that time, the listed TVL at the market's
 * start. A script moves the bands; listed positions go by their own lives.
 */
export function liquidityOf(listed: PoolListing, around: LiquiditySurroundings): LiquidityBook {
  const { blocks, seed, start, created, stakes } = around;
  const script = around.script.filter(
    (event) => event.kind === "liquidity" && event.pool === listed.id,
  );
  const breathing = wander(stream(seed, `liquidity:${listed.id}`), BREATHING);
  const jitter = stream(seed, `modify:${listed.id}`);
  const bandCount = listed.spread.length;

  /** The bands are created in the first block; then they take turns. */
  const slotTime = (slot: number): number =>
    slot < bandCount
      ? created
      : Math.round(created + (slot - bandCount + 0.1 + 0.8 * uniform(jitter, slot)) * SLOT);
  const slotsUpTo = (time: number): number => {
    if (time < created) return 0;
    const running = bandCount + Math.floor((time - created) / SLOT);
    return slotTime(running) <= time ? running + 1 : running;
  };
  /** The latest slot of a band among the first `slots`; −1: none. */
  const slotOf = (band: number, slots: number): number =>
    band < slots ? slots - 1 - ((slots - 1 - band) % bandCount) : -1;

  const atStart = listed.spread.map((_, band) => {
    const time = slotTime(slotOf(band, slotsUpTo(start)));
    return Math.exp(breathing(time - start));
  });
  // Bands do not hang on the script: one that closes a position before the start does not fill them.
  const open = stakes.filter(({ minted }) => minted <= start);
  const bands = bandsOf(listed, open, around);
  const levelAt = (band: number, slotAt: number, scriptAt: number): bigint => {
    const { liquidity } = bandAt(bands, band);
    const scripted = scriptedLiquidity(script, listed.id, scriptAt - start);
    return scaled(liquidity, Math.exp(breathing(slotAt - start) + scripted) / (atStart[band] ?? 1));
  };

  const extras = extrasOf(script, stakes, bands, start, created);
  /** The number of each extra among all changes. */
  const numbers = extras.map(({ time }, i) => slotsUpTo(time) + i);
  const extrasUpTo = (time: number): number =>
    firstAbove(extras.length, (i) => (extras[i]?.time ?? 0) > time);
  /** How many of the first `count` changes are extras. */
  const extrasIn = (count: number): number =>
    firstAbove(numbers.length, (i) => (numbers[i] ?? 0) >= count);
  /** For so many extras: the time of the latest step among them. */
  const stepTimes = [Number.NEGATIVE_INFINITY];
  /** And for each band, since all bands of a step come one after another. */
  for (const { what, time } of extras) {
    const before = stepTimes.at(-1) ?? Number.NEGATIVE_INFINITY;
    stepTimes.push("band" in what && what.band === bandCount - 1 ? time : before);
  }

  /** A band's liquidity after so many slots and extras. */
  const level = (band: number, slots: number, extra: number): bigint => {
    const slot = slotOf(band, slots);
    if (slot < 0) return 0n;
    const slotAt = slotTime(slot);
    let scriptAt = Math.max(slotAt, stepTimes[extra] ?? Number.NEGATIVE_INFINITY);
    // Within a step the bands before this one have had their turn.
    const latest = extras[extra - 1];
    if (latest !== undefined && "band" in latest.what && latest.what.band >= band) {
      scriptAt = Math.max(scriptAt, latest.time);
    }
    return levelAt(band, slotAt, scriptAt);
  };

  const blockAt = (time: number): { block: number; time: number } => {
    const block = blocks.numberAt(time - 1) + 1;
    return { block, time: blocks.timeOf(block) };
  };

  return {
    countAt: (blockTime) => slotsUpTo(blockTime) + extrasUpTo(blockTime),
    blockOf: (index) => {
      const before = extrasIn(index);
      const extra = numbers[before] === index ? extras[before] : undefined;
      return blockAt(extra?.time ?? slotTime(index - before));
    },
    change: (index) => {
      const before = extrasIn(index);
      const slots = index - before;
      const extra = numbers[before] === index ? extras[before] : undefined;
      const at = blockAt(extra?.time ?? slotTime(slots));
      const what = extra?.what;
      if (what !== undefined && "stake" in what) {
        const { stake, delta } = what;
        const { lower, upper, nft } = stake;
        return { ...at, lower, upper, delta, nft, transaction: `stake:${nft}:${delta > 0n}` };
      }
      const band = what === undefined ? slots % bandCount : what.band;
      const after =
        what === undefined ? level(band, slots + 1, before) : level(band, slots, before + 1);
      const { lower, upper } = bandAt(bands, band);
      return {
        ...at,
        lower,
        upper,
        delta: after - level(band, slots, before),
        nft: null,
        // The bands are created together.
        transaction:
          what === undefined ? `slot:${Math.max(slots, bandCount - 1)}` : `step:${what.step}`,
      };
    },
    ranges: (count) => {
      const extra = extrasIn(count);
      const present = bands.map(({ lower, upper }, band): Range => {
        return { lower, upper, liquidity: level(band, count - extra, extra) };
      });
      const held = new Set<Stake>();
      for (const { what } of extras.slice(0, extra)) {
        if (!("stake" in what)) continue;
        if (what.delta > 0n) held.add(what.stake);
        else held.delete(what.stake);
      }
      return [...present, ...held];
    },
  };
}

function extrasOf(
  script: readonly ScriptEvent[],
  stakes: readonly Stake[],
  bands: readonly Band[],
  start: number,
  created: number,
): readonly Extra[] {
  const extras: Extra[] = [];
  let step = 0;
  for (const event of script) {
    if (event.kind !== "liquidity") continue;
    const steps = Math.min(Math.max(Math.ceil(event.over / STEP), 1), MOST_STEPS);
    for (let i = 1; i <= steps; i += 1) {
      const time = start + event.at + (event.over * i) / steps;
      for (const band of bands.keys()) extras.push({ time, what: { band, step } });
      step += 1;
    }
  }
  for (const stake of stakes) {
    const { minted, closed, liquidity } = stake;
    if (liquidity === 0n || (closed !== null && closed <= minted)) continue;
    extras.push({ time: minted, what: { stake, delta: liquidity } });
    if (closed !== null) extras.push({ time: closed, what: { stake, delta: -liquidity } });
  }
  // The sort keeps the bands of a step together: equal times stay in their order.
  return extras.filter(({ time }) => time >= created).toSorted((a, b) => a.time - b.time);
}

function bandAt(bands: readonly Band[], band: number): Band {
  const found = bands[band];
  if (found === undefined) throw new Error(`no band ${band}`);
  return found;
}

/** The first index below `length` for which a condition holds that holds for all later ones. */
function firstAbove(length: number, holds: (index: number) => boolean): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
