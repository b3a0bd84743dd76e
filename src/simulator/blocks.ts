import type { Network } from "./networks.ts";

/** The blocks of one chain as a fixed grid in time. All times are epoch milliseconds. */
export interface Blocks {
  /** The newest block at a time; −1 before the chain's first one, which has number 0. */
  numberAt(at: number): number;
  /** When the block was made, in whole milliseconds. */
  timeOf(block: number): number;
  /** How many blocks were made in (from, to]. */
  countIn(from: number, to: number): number;
}

/** The grid goes through `network.startBlock` at `start`, so that its numbers look like today's. */
export function blocksOf(network: Network, start: number): Blocks {
  const { blockMs, startBlock } = network;
  const timeOf = (block: number): number => Math.ceil(start + (block - startBlock) * blockMs);
  const numberAt = (at: number): number => {
    const guess = startBlock + Math.floor((at - start) / blockMs);
    // Rounding to whole milliseconds may put the block one further.
    if (timeOf(guess + 1) <= at) return Math.max(guess + 1, -1);
    return Math.max(timeOf(guess) <= at ? guess : guess - 1, -1);
  };
  return { timeOf, numberAt, countIn: (from, to) => numberAt(to) - numberAt(from) };
}
