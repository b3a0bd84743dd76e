import { DAY } from "../base/duration.ts";
import { amountsForLiquidity } from "../base/ticks.ts";
import { liquidityOf, type Stake } from "./liquidity.ts";
import type { PoolListing } from "./listed-pools.ts";
import type { Blocks } from "./networks.ts";
import { smoothNoise, stream, uniform, wander } from "./noise.ts";
import type { Story } from "./script.ts";
import { scriptedPeg, scriptedPrice } from "./scripted.ts";
import { scaled, tickOf, wholeTokens } from "./units.ts";

/** A block and its time in epoch milliseconds. */
export interface BlockTime {
  readonly block: number;
  readonly time: number;
}

/** A pool at a time, with the prices that the latest swap left. */
export interface PoolState extends Prices {
  /** The latest move of the price. */
  readonly move: number;
  readonly swap: BlockTime;
  /** The latest move of the price or change of the liquidity. */
  readonly updated: BlockTime;
  readonly sqrtPriceX96: bigint;
  readonly tick: number;
  /** The liquidity that is active at the tick. */
  readonly active: bigint;
  /** What the pool holds, in raw units and in US dollars. */
  readonly amount0: bigint;
  readonly amount1: bigint;
  readonly tvlUsd: number;
}

/** Token1 for one token0, and what both cost in US dollars. */
export interface Prices {
  readonly price0: number;
  readonly usd0: number;
  readonly usd1: number;
  readonly time: number;
}

/** What was traded since a pool was initialized: raw units, even numbers, and US dollars. */
export interface Traded {
  readonly volume0: bigint;
  readonly volume1: bigint;
  readonly usd: number;
}

/** What a pool needs of the market around it. */
interface Surroundings extends Story {
  readonly blocks: Blocks;
  readonly path: PricePath;
  readonly stakes: readonly Stake[];
  /** US dollars for one token1 at a time (epoch ms). */
  readonly quote: (at: number) => number;
}

/** A pool of either version. */
export function poolOf(listed: PoolListing, around: Surroundings) {
  const { blocks, seed, start, path, quote } = around;
  const { token0, token1 } = listed;
  const moves = movesOf(listed, blocks, seed, start);
  const created = { block: moves.blockOf(0), time: moves.timeOf(0) };
  const priceOf = (sqrtPriceX96: bigint): number => {
    const root = Number(sqrtPriceX96) / 2 ** 96;
    return root * root * 10 ** (token0.decimals - token1.decimals);
  };
  const sqrtPriceAt = (time: number): bigint =>
    scaled(listed.sqrtPriceX96, Math.exp(path.total(time - start) / 2));
  const sqrtPriceX96 = (move: number): bigint => sqrtPriceAt(moves.timeOf(move));
  const pricesOf = (sqrt: bigint, time: number): Prices => {
    const price0 = priceOf(sqrt);
    const usd1 = quote(time);
    return { price0, usd0: price0 * usd1, usd1, time };
  };
  const atStart = pricesOf(listed.sqrtPriceX96, start);
  const book = liquidityOf(listed, { ...around, ...atStart, created: created.time });

  const stateOf = (move: number, changes: number): PoolState => {
    const swap = { block: moves.blockOf(move), time: moves.timeOf(move) };
    const change = book.change(changes - 1);
    const sqrt = sqrtPriceX96(move);
    const tick = tickOf(sqrt);
    const prices = pricesOf(sqrt, swap.time);
    let [active, amount0, amount1] = [0n, 0n, 0n];
    for (const { lower, upper, liquidity } of book.ranges(changes)) {
      const held = amountsForLiquidity(sqrt, lower, upper, liquidity);
      amount0 += held.amount0;
      amount1 += held.amount1;
      if (lower <= tick && tick < upper) active += liquidity;
    }
    const tvlUsd =
      wholeTokens(amount0, token0.decimals) * prices.usd0 +
      wholeTokens(amount1, token1.decimals) * prices.usd1;
    const updated = change.block > swap.block ? change : swap;
    const reserves = { active, amount0, amount1, tvlUsd };
    return { ...prices, ...reserves, move, swap, updated, sqrtPriceX96: sqrt, tick };
  };

  const changesAt = (at: number): number => book.countAt(blocks.timeOf(blocks.numberAt(at)));
  // Many positions ask for one pool's state at one time; the last answer is remembered.
  let last: { readonly changes: number; readonly state: PoolState } | undefined;

  return {
    listed,
    created,
    moves,
    book,
    /** How a move leaves the price. */
    sqrtPriceX96,
    /** How many changes of its liquidity there were in blocks up to a time (epoch ms). */
    changesAt,
    /** What was traded up to and with a move. */
    traded: tradedOf(listed, atStart, seed),
    /** As of a time (epoch ms); undefined before its initialization. */
    state: (at: number): PoolState | undefined => {
      const move = moves.latest(at);
      if (move < 0) return undefined;
      const changes = changesAt(at);
      if (last?.state.move !== move || last.changes !== changes) {
        last = { changes, state: stateOf(move, changes) };
      }
      return last.state;
    },
    /**
     * What its tokens cost, and since when (epoch ms): as `state` has it, and before the pool's
     * initialization as it would have been.
     */
    prices: (at: number) => {
      const move = moves.latest(at);
      const time = move < 0 ? at : moves.timeOf(move);
      return pricesOf(sqrtPriceAt(time), time);
    },
  };
}

export type Pool = ReturnType<typeof poolOf>;

/**
 * When the price of a pool moves. Each move is one transaction with one swap, or with two swaps that
 * look alike; move 0 is the pool's initialization and has none. One in each slot of `swapEveryMs`, at a random time in it, in the first block from then on.
 * One falls exactly on the market's `start`.
 */
function movesOf(pool: PoolListing, blocks: Blocks, seed: number, start: number) {
  const every = pool.swapEveryMs;
  const jitter = stream(seed, `swaps:${pool.id}`);
  const before = Math.round((pool.ageDays * DAY) / every);
  const lateness = (move: number): number =>
    move === before || move === 0 ? 0 : uniform(jitter, move);
  const blockOf = (move: number): number =>
    blocks.numberAt(start + (move - before + lateness(move)) * every - 1) + 1;
  return {
    blockOf,
    /** The block's time, epoch ms. */
    timeOf: (move: number) => blocks.timeOf(blockOf(move)),
    /** The latest move in a block up to `at` (epoch ms); −1 before the pool was initialized. */
    latest: (at: number) => {
      let move = before + Math.floor((at - start) / every);
      // The last moves may wait for a block that is not made yet.
      while (move >= 0 && blocks.timeOf(blockOf(move)) > at) move -= 1;
      return Math.max(move, -1);
    },
  };
}

/** Of so many moves one is two swaps that look alike, so that swaps are counted by a formula. */
const DOUBLE_EVERY = 21;
const DOUBLE_AT = 10;

export function isDouble(move: number): boolean {
  return move % DOUBLE_EVERY === DOUBLE_AT;
}

/** How many swaps there were up to and with a move. */
export function swapsUpTo(move: number): number {
  return move + Math.floor((move + DOUBLE_EVERY - DOUBLE_AT) / DOUBLE_EVERY);
}

/** The move that the swap of this number, from 1 on, belongs to. */
export function moveOfSwap(swap: number): number {
  const group = Math.floor((swap - 1) / (DOUBLE_EVERY + 1));
  const place = swap - group * (DOUBLE_EVERY + 1);
  return group * DOUBLE_EVERY + (place <= DOUBLE_AT ? place : place - 1);
}

/** Trade goes up and down by so much within days. Its slope and a trade's own share stay below 1. */
const SWELL = { period: 2 * DAY, size: 0.12 };
const OWN_SHARE = 0.5;

/**
 * What was traded up to a move: so much a move on average, some more and some less, and always more
 * than nothing. It depends on nothing but the move: all sums follow from it without adding up.
 */
function tradedOf(
  { id, turnover, tvlUsd, swapEveryMs, token0, token1 }: PoolListing,
  { usd0, usd1 }: Prices,
  seed: number,
): (move: number) => Traded {
  const swell = stream(seed, `volume:${id}`);
  const sizes = stream(seed, `sizes:${id}`);
  const usdPerMove = (turnover * tvlUsd * swapEveryMs) / DAY;
  const period = SWELL.period / swapEveryMs;
  const even = (usd: number, price: number, decimals: number): bigint =>
    2n * BigInt(Math.floor((usd / price / 2) * 10 ** decimals));
  return (move) => {
    const swelled = smoothNoise(swell, move / period) - smoothNoise(swell, 0);
    const own = uniform(sizes, move) - uniform(sizes, 0);
    const usd = usdPerMove * (move + SWELL.size * period * swelled + OWN_SHARE * own);
    return {
      volume0: even(usd, usd0, token0.decimals),
      volume1: even(usd, usd1, token1.decimals),
      usd,
    };
  };
}

/**
 * Where a pool's price goes, as natural logarithms of factors on the listed price; `t` is in ms
 * after the market's start.
 */
export interface PricePath {
  /** With all that happens to the pool. */
  total(t: number): number;
  /** Without what its own tokens do: a pool that follows this one takes this part of it. */
  led(t: number): number;
}

/**
 * A price wanders by itself, smooth and 0 at the start, goes with its script, and with the pool that
 * it follows. A token whose own dollar price slips takes along the pools that it is in, and not the
 * pools that follow those.
 */
export function pathOf(
  pool: PoolListing,
  leader: PricePath | undefined,
  { seed, script }: Story,
): PricePath {
  const { chainId, token0, token1 } = pool;
  const own = wander(stream(seed, `price:${pool.id}`), pool.wander);
  const led = (t: number): number =>
    own(t) + scriptedPrice(script, pool.id, t) + (leader?.led(t) ?? 0);
  return {
    led,
    total: (t) =>
      led(t) +
      scriptedPeg(script, chainId, token0.address, t) -
      scriptedPeg(script, chainId, token1.address, t),
  };
}
