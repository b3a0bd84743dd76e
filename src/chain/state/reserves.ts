import { amountsBetween, MAX_TICK, sqrtPriceX96AtTick } from "../../base/ticks.ts";
import type { BlockReader } from "./block-reader.ts";
import { bitmapSlot, netLiquidity, tickSlot } from "./v4-slots.ts";

/** The net liquidity of each tick in use, by tick. */
export type TickLiquidity = Map<number, bigint>;

/** Reads every tick of a V4 pool that is in use. Rejects with RpcError. */
export async function readTicks(
  reader: BlockReader,
  base: bigint,
  spacing: number,
): Promise<TickLiquidity> {
  const last = Math.floor(MAX_TICK / spacing) >> 8;
  const first = -(Math.floor(MAX_TICK / spacing) + 1) >> 8;
  const indices = Array.from({ length: last - first + 1 }, (_, i) => first + i);
  const words = await reader.slots(indices.map((word) => bitmapSlot(base, word)));
  const ticks = indices.flatMap((word, i) => ticksIn(words[i] ?? 0n, word, spacing));
  const nets = await reader.slots(ticks.map((tick) => tickSlot(base, tick)));
  return new Map(ticks.map((tick, i) => [tick, netLiquidity(nets[i] ?? 0n)]));
}

function ticksIn(bits: bigint, word: number, spacing: number): number[] {
  const ticks: number[] = [];
  for (let left = bits, bit = 0; left > 0n; left >>= 1n, bit += 1) {
    if ((left & 1n) === 1n) ticks.push(((word << 8) + bit) * spacing);
  }
  return ticks;
}

const byNumber = (a: number, b: number): number => a - b;

/** A range between two neighbouring ticks, with the liquidity in it. */
interface Range {
  readonly lower: number;
  readonly upper: number;
  /** sqrt(price) × 2^96 at both ticks. */
  readonly sqrtLower: bigint;
  readonly sqrtUpper: bigint;
  readonly liquidity: bigint;
}

/**
 * What all positions of a pool hold together, from the liquidity of its ticks. The ranges that lie wholly
 * on one side of the price are summed once, so that a new price costs one range.
 */
export class Reserves {
  readonly #ranges: readonly Range[];
  /** `#below[i]`: token1 in the ranges before i where the price is above them. */
  readonly #below: readonly bigint[];
  /** `#above[i]`: token0 in the ranges from i on where the price is below them. */
  readonly #above: readonly bigint[];

  constructor(ticks: TickLiquidity) {
    // A tick over which nothing changes parts no ranges, so that their rounded sums do not depend on it.
    const sorted = [...ticks.keys()].filter((tick) => ticks.get(tick) !== 0n).toSorted(byNumber);
    const ranges: Range[] = [];
    let liquidity = 0n;
    for (const [i, lower] of sorted.entries()) {
      liquidity += ticks.get(lower) ?? 0n;
      const upper = sorted[i + 1];
      if (upper === undefined || liquidity <= 0n) continue;
      const [sqrtLower, sqrtUpper] = [sqrtPriceX96AtTick(lower), sqrtPriceX96AtTick(upper)];
      ranges.push({ lower, upper, sqrtLower, sqrtUpper, liquidity });
    }
    this.#ranges = ranges;
    const below = [0n];
    for (const { sqrtLower, sqrtUpper, liquidity: held } of ranges) {
      const { amount1 } = amountsBetween(sqrtUpper, sqrtLower, sqrtUpper, held);
      below.push((below.at(-1) ?? 0n) + amount1);
    }
    this.#below = below;
    const above = [0n];
    for (const { sqrtLower, sqrtUpper, liquidity: held } of ranges.toReversed()) {
      const { amount0 } = amountsBetween(sqrtLower, sqrtLower, sqrtUpper, held);
      above.push((above.at(-1) ?? 0n) + amount0);
    }
    this.#above = above.toReversed();
  }

  /** The liquidity in range at a tick, as the pool has it too. */
  liquidityAt(tick: number): bigint {
    const range = this.#ranges[this.#indexAt(tick)];
    return range !== undefined && range.lower <= tick ? range.liquidity : 0n;
  }

  /** The raw amounts of both tokens at a price. */
  amountsAt(sqrtPriceX96: bigint, tick: number): { amount0: bigint; amount1: bigint } {
    const at = this.#indexAt(tick);
    const range = this.#ranges[at];
    if (range === undefined || range.lower > tick) {
      return { amount0: this.#above[at] ?? 0n, amount1: this.#below[at] ?? 0n };
    }
    const { sqrtLower, sqrtUpper, liquidity } = range;
    const own = amountsBetween(sqrtPriceX96, sqrtLower, sqrtUpper, liquidity);
    return {
      amount0: own.amount0 + (this.#above[at + 1] ?? 0n),
      amount1: own.amount1 + (this.#below[at] ?? 0n),
    };
  }

  /** The first range that does not end at the tick or below it. */
  #indexAt(tick: number): number {
    let low = 0;
    let high = this.#ranges.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#ranges[middle]?.upper ?? 0) <= tick) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
