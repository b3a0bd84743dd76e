import { DAY } from "../base/duration.ts";
import type { Blocks } from "./blocks.ts";
import type { ListedPool } from "./listed-pools.ts";
import { stream, uniform } from "./noise.ts";

/** A pool as its latest swap left it is all that the service sees of it. */
export interface Swap {
  /** How many swaps there were, this one included; 0 is the pool's initialization. */
  readonly count: number;
  readonly block: number;
  /** The block's time in epoch milliseconds. */
  readonly time: number;
  /** Lifetime volume in mean swaps; it grows with every swap, by 0 to 2 of them. */
  readonly volume: number;
}

export interface Swaps {
  readonly created: { readonly block: number; readonly time: number };
  /** The latest swap in a block up to `at`; undefined before the pool was initialized. */
  latest(at: number): Swap | undefined;
}

/**
 * The swaps of a pool: one in each slot of `swapEveryMs`, at a random time in it, in the first
 * block from then on. One falls exactly on the market's `start`.
 */
export function swapsOf(pool: ListedPool, blocks: Blocks, seed: number, start: number): Swaps {
  const every = pool.swapEveryMs;
  const jitter = stream(seed, `swaps:${pool.id}`);
  const before = Math.round((pool.ageDays * DAY) / every);

  const lateness = (count: number): number =>
    count === before || count === 0 ? 0 : uniform(jitter, count);
  const blockOf = (count: number): number =>
    blocks.numberAt(start + (count - before + lateness(count)) * every - 1) + 1;

  const first = blockOf(0);
  return {
    created: { block: first, time: blocks.timeOf(first) },
    latest: (at) => {
      let count = before + Math.floor((at - start) / every);
      let block = blockOf(count);
      // The last swaps may wait for a block that is not made yet.
      while (count >= 0 && blocks.timeOf(block) > at) {
        count -= 1;
        block = blockOf(count);
      }
      if (count < 0) return undefined;
      return { count, block, time: blocks.timeOf(block), volume: count + lateness(count) };
    },
  };
}
