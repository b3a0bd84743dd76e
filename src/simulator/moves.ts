import { DAY, MINUTE } from "../base/duration.ts";
import type { PoolListing } from "./listed-pools.ts";
import type { Blocks } from "./networks.ts";
import { stream, uniform } from "./noise.ts";

/**
 * When the price of a pool moves. Each move is one transaction with one swap, or with two swaps that
 * look alike. Move 0 is the pool's initialization and has none. Moves come in legs of `perLeg`, and
 * one move of each leg is such a double one, so that swaps are counted without going through them.
 */
export interface Moves {
  readonly perLeg: number;
  /** The latest move in a block up to `at` (epoch ms); −1 before the pool was initialized. */
  latest(at: number): number;
  blockOf(move: number): number;
  /** The block's time, epoch ms. */
  timeOf(move: number): number;
  /** How many swaps there were up to and with a move. */
  swapsUpTo(move: number): number;
  /** The move that the swap of this number, from 1 on, belongs to. */
  moveOfSwap(swap: number): number;
  isDouble(move: number): boolean;
}

/** About how long a leg takes. */
const LEG = 5 * MINUTE;
const SHORTEST_LEG = 7;

/**
 * One move in each slot of `swapEveryMs`, at a random time in it, in the first block from then on.
 * One falls exactly on the market's `start` and begins a leg.
 */
export function movesOf(pool: PoolListing, blocks: Blocks, seed: number, start: number): Moves {
  const every = pool.swapEveryMs;
  const jitter = stream(seed, `swaps:${pool.id}`);
  const doubles = stream(seed, `doubles:${pool.id}`);
  // An odd number: see zigzag.ts.
  const perLeg = Math.max(SHORTEST_LEG, 2 * Math.round((LEG / every - 1) / 2) + 1);
  const before = Math.round((pool.ageDays * DAY) / every / perLeg) * perLeg;

  const lateness = (move: number): number =>
    move === before || move === 0 ? 0 : uniform(jitter, move);
  const blockOf = (move: number): number =>
    blocks.numberAt(start + (move - before + lateness(move)) * every - 1) + 1;
  /** Which move of its leg, from 1 on, is double. */
  const doubleOf = (leg: number): number => 1 + Math.floor(uniform(doubles, leg) * perLeg);
  const legOf = (move: number): number => Math.floor((move - 1) / perLeg);

  return {
    perLeg,
    blockOf,
    timeOf: (move) => blocks.timeOf(blockOf(move)),
    latest: (at) => {
      let move = before + Math.floor((at - start) / every);
      // The last moves may wait for a block that is not made yet.
      while (move >= 0 && blocks.timeOf(blockOf(move)) > at) move -= 1;
      return Math.max(move, -1);
    },
    swapsUpTo: (move) => {
      if (move <= 0) return 0;
      const leg = legOf(move);
      return move + leg + (move - leg * perLeg >= doubleOf(leg) ? 1 : 0);
    },
    moveOfSwap: (swap) => {
      const leg = Math.floor((swap - 1) / (perLeg + 1));
      const place = swap - leg * (perLeg + 1);
      return leg * perLeg + (place <= doubleOf(leg) ? place : place - 1);
    },
    isDouble: (move) => move > 0 && move - legOf(move) * perLeg === doubleOf(legOf(move)),
  };
}
