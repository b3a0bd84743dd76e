import { type Lifetime, lifetimesOf } from "./lifetime.ts";
import { type LiquidityBook, liquidityOf, type Stake } from "./liquidity.ts";
import type { PoolListing } from "./listed-pools.ts";
import { type Moves, movesOf } from "./moves.ts";
import type { Blocks } from "./networks.ts";
import { type PricePath, priceOf, rootFactor, scaled } from "./prices.ts";
import type { ScriptEvent } from "./script.ts";
import { type Trades, tradesOf } from "./trades.ts";
import { tickOf, wholeTokens } from "./units.ts";

/** A block and its time in epoch milliseconds. */
export interface BlockTime {
  readonly block: number;
  readonly time: number;
}

/** A pool at a time; prices of the tokens are in US dollars, as of the latest swap. */
export interface PoolState {
  /** The latest move of the price. */
  readonly move: number;
  readonly swapCount: number;
  readonly swap: BlockTime;
  /** The latest move of the price or change of the liquidity. */
  readonly updated: BlockTime;
  readonly sqrtPriceX96: bigint;
  readonly tick: number;
  readonly price0: number;
  readonly usd0: number;
  readonly usd1: number;
  readonly reserves: Reserves;
}

/** What a pool holds, in raw units and in US dollars, and the liquidity active at its tick. */
interface Reserves {
  readonly active: bigint;
  readonly amount0: bigint;
  readonly amount1: bigint;
  readonly usd: number;
}

/** A pool of either version. */
export interface Pool {
  readonly listed: PoolListing;
  readonly created: BlockTime;
  readonly moves: Moves;
  readonly trades: Trades;
  readonly book: LiquidityBook;
  /** As of a time (epoch ms); undefined before its initialization. */
  state(at: number): PoolState | undefined;
  /** How many changes of its liquidity there were in blocks up to a time (epoch ms). */
  changesAt(at: number): number;
  /** What was traded up to and with a move. */
  lifetime(move: number): Lifetime;
  /**
   * What its tokens cost in US dollars, and since when (epoch ms): as `state` has it, and before the
   * pool's initialization as it would have been.
   */
  usd(at: number): { readonly usd0: number; readonly usd1: number; readonly time: number };
}

/** What a pool needs of the market around it. */
export interface Surroundings {
  readonly blocks: Blocks;
  readonly seed: number;
  readonly start: number;
  readonly script: readonly ScriptEvent[];
  readonly path: PricePath;
  readonly stakes: readonly Stake[];
  /** US dollars for one token1 at a time (epoch ms). */
  readonly quote: (at: number) => number;
}

export function poolOf(listed: PoolListing, around: Surroundings): Pool {
  const { blocks, seed, start, script, path, stakes, quote } = around;
  const { token0, token1 } = listed;
  const moves = movesOf(listed, blocks, seed, start);
  const created = { block: moves.blockOf(0), time: moves.timeOf(0) };
  const price = (sqrtPriceX96: bigint): number =>
    priceOf(sqrtPriceX96, token0.decimals, token1.decimals);
  const usd1 = quote(start);
  const usd0 = usd1 * price(listed.sqrtPriceX96);
  const book = liquidityOf(listed, {
    blocks,
    seed,
    start,
    script,
    stakes,
    usd0,
    usd1,
    created: created.time,
  });
  const trades = tradesOf(listed, { moves, path, book, seed, start });
  const lifetime = lifetimesOf(listed, { moves, trades, seed, start, script, quote });
  const [lot0, lot1] = [BigInt(trades.lot0), BigInt(trades.lot1)];

  const stateOf = (move: number, changes: number): PoolState => {
    const swap = { block: moves.blockOf(move), time: moves.timeOf(move) };
    const change = book.blockOf(changes - 1);
    const sqrtPriceX96 = trades.sqrtPriceX96(move);
    const tick = tickOf(sqrtPriceX96);
    const root = trades.root(move);
    const depth = trades.depth(changes);
    const amount0 = BigInt(depth.lots0(root)) * lot0;
    const amount1 = BigInt(depth.lots1(root)) * lot1;
    const price0 = price(sqrtPriceX96);
    const one = quote(swap.time);
    const usd =
      wholeTokens(amount0, token0.decimals) * price0 * one +
      wholeTokens(amount1, token1.decimals) * one;
    return {
      move,
      swap,
      sqrtPriceX96,
      tick,
      price0,
      swapCount: moves.swapsUpTo(move),
      updated: change.block > swap.block ? change : swap,
      usd0: price0 * one,
      usd1: one,
      reserves: { active: depth.activeAt(tick), amount0, amount1, usd },
    };
  };

  const changesAt = (at: number): number => book.countAt(blocks.timeOf(blocks.numberAt(at)));
  // Many positions ask for one pool's state at one time; the last answer is remembered.
  let last: { readonly changes: number; readonly state: PoolState } | undefined;
  const state = (at: number): PoolState | undefined => {
    const move = moves.latest(at);
    if (move < 0) return undefined;
    const changes = changesAt(at);
    if (last?.state.move !== move || last.changes !== changes) {
      last = { changes, state: stateOf(move, changes) };
    }
    return last.state;
  };

  return {
    listed,
    created,
    moves,
    trades,
    book,
    changesAt,
    state,
    lifetime,
    usd: (at) => {
      const move = moves.latest(at);
      const time = move < 0 ? at : moves.timeOf(move);
      const t = at - start;
      const before = (): bigint =>
        scaled(listed.sqrtPriceX96, rootFactor(path.wander(t) + path.scripted(t)));
      const one = quote(time);
      const price0 = price(move < 0 ? before() : trades.sqrtPriceX96(move));
      return { usd0: price0 * one, usd1: one, time };
    },
  };
}

/** What is paid on so much that goes in; `fee` in hundredths of a basis point. */
export function feesOn(paidIn: bigint, fee: number): bigint {
  return (paidIn * BigInt(fee)) / 1_000_000n;
}
