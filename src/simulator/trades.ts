import { type Depth, depthOf, lotOf } from "./depth.ts";
import type { LiquidityBook } from "./liquidity.ts";
import type { PoolListing } from "./listed-pools.ts";
import type { Moves } from "./moves.ts";
import { type Stream, stream, uniform } from "./noise.ts";
import { type PricePath, rootFactor, scaled } from "./prices.ts";

/** What a move brings into the pool (above 0) and takes out of it (below 0), in the tokens' lots. */
export interface Trade {
  readonly lots0: number;
  readonly lots1: number;
}

/** Token by token, the lots that came in and that went out. */
export interface Traded {
  in0: number;
  out0: number;
  in1: number;
  out1: number;
}

/** The lowest and the highest root of a price. */
export interface Extremes {
  low: number;
  high: number;
}

/** The prices that a pool's moves lead to, and what is traded by them. */
export interface Trades {
  readonly lot0: number;
  readonly lot1: number;
  sqrtPriceX96(move: number): bigint;
  /** The square root of the price of one raw unit after a move. */
  root(move: number): number;
  /** What a pool holds after so many changes of its liquidity. */
  depth(changes: number): Depth;
  trade(move: number): Trade;
  /** Adds what the moves after `from` up to `to` trade, which lie in one leg. */
  add(traded: Traded, from: number, to: number): void;
  /** Widens the extremes by the prices after the moves from `from` to `to`. */
  widen(extremes: Extremes, from: number, to: number): void;
}

/** Tables of reserves are kept for so many states of the liquidity. */
const KEPT_DEPTHS = 32;

export interface TradeSurroundings {
  readonly moves: Moves;
  readonly path: PricePath;
  readonly book: LiquidityBook;
  readonly seed: number;
  readonly start: number;
}

/**
 * The price wanders from one leg's end to the next one's in a zigzag, and goes with the script from
 * move to move. The reserves follow from price and liquidity, and a trade is what they change by; so
 * the trades of any time add up to the change of the reserves. In a block, changes of liquidity come
 * before moves of the price.
 */
export function tradesOf(listed: PoolListing, around: TradeSurroundings): Trades {
  const { moves, path, book, seed, start } = around;
  const { perLeg } = moves;
  const last = lastPoint(perLeg);
  const oddness = stream(seed, `zigzag:${listed.id}`);
  const lot0 = lotOf(listed.token0.decimals);
  const lot1 = lotOf(listed.token1.decimals);
  const rootAtStart = Number(listed.sqrtPriceX96) / 2 ** 96;

  const depths = new Map<number, Depth>();
  const depth = (changes: number): Depth => {
    const kept = depths.get(changes);
    if (kept !== undefined) return kept;
    if (depths.size >= KEPT_DEPTHS) depths.clear();
    const made = depthOf(book.ranges(changes), lot0, lot1);
    depths.set(changes, made);
    return made;
  };

  // Neighbouring moves ask for the same leg's ends: when they are, and where the price is then.
  let leg = -1;
  let [begin, end] = [0, 0];
  let [beginTime, endTime] = [0, 0];
  const enter = (next: number): void => {
    if (next === leg) return;
    if (next === leg + 1 && leg >= 0) [begin, beginTime] = [end, endTime];
    else {
      beginTime = moves.timeOf(next * perLeg);
      begin = path.wander(beginTime - start);
    }
    endTime = moves.timeOf((next + 1) * perLeg);
    end = path.wander(endTime - start);
    leg = next;
  };
  const wanderAt = (point: number): number =>
    point === last ? end : begin + (end - begin) * fractionOf(point, last, oddness, leg);

  const factor = (move: number): number => {
    enter(Math.floor(move / perLeg));
    const place = move - leg * perLeg;
    const t = moves.timeOf(move) - start;
    return rootFactor(wanderAt(place === 0 ? 0 : pointAfter(place)) + path.scripted(t));
  };
  const root = (move: number): number => rootAtStart * factor(move);

  const trade = (move: number): Trade => {
    if (move <= 0) return { lots0: 0, lots1: 0 };
    const held = depth(book.countAt(moves.timeOf(move)));
    const before = root(move - 1);
    const after = root(move);
    return {
      lots0: held.lots0(after) - held.lots0(before),
      lots1: held.lots1(after) - held.lots1(before),
    };
  };

  /** Whether neither script nor liquidity changes in a leg: then four points tell all of it. */
  const isPlain = (next: number): boolean => {
    enter(next);
    if (path.moving(beginTime - start, endTime - start)) return false;
    return book.countAt(beginTime) === book.countAt(endTime);
  };

  const addPlain = (traded: Traded, next: number): void => {
    enter(next);
    const scripted = path.scripted(beginTime - start);
    const held = depth(book.countAt(beginTime));
    const rootOf = (point: number): number => rootAtStart * rootFactor(wanderAt(point) + scripted);
    const [from, second, beforeLast, to] = [rootOf(0), rootOf(1), rootOf(last - 1), rootOf(last)];
    const change0 = held.lots0(to) - held.lots0(from);
    const change1 = held.lots1(to) - held.lots1(from);
    const volume0 = Math.abs(change0) + 2 * Math.abs(held.lots0(beforeLast) - held.lots0(second));
    const volume1 = Math.abs(change1) + 2 * Math.abs(held.lots1(beforeLast) - held.lots1(second));
    traded.in0 += (volume0 + change0) / 2;
    traded.out0 += (volume0 - change0) / 2;
    traded.in1 += (volume1 + change1) / 2;
    traded.out1 += (volume1 - change1) / 2;
  };

  return {
    lot0,
    lot1,
    root,
    depth,
    trade,
    sqrtPriceX96: (move) => scaled(listed.sqrtPriceX96, factor(move)),
    add: (traded, from, to) => {
      const next = Math.floor(from / perLeg);
      if (from === next * perLeg && to === from + perLeg && isPlain(next)) {
        addPlain(traded, next);
        return;
      }
      for (let move = from + 1; move <= to; move += 1) {
        const { lots0, lots1 } = trade(move);
        if (lots0 > 0) traded.in0 += lots0;
        else traded.out0 -= lots0;
        if (lots1 > 0) traded.in1 += lots1;
        else traded.out1 -= lots1;
      }
    },
    widen: (extremes, from, to) => {
      for (let move = from; move <= to; move += 1) {
        const here = root(move);
        extremes.low = Math.min(extremes.low, here);
        extremes.high = Math.max(extremes.high, here);
        // Of a plain leg the ends are the extremes.
        const next = Math.floor(move / perLeg);
        const isWhole = move === next * perLeg && move + perLeg <= to;
        if (isWhole && isPlain(next)) move += perLeg - 1;
      }
    },
  };
}

/**
 * How the moves of one leg go from one end of it to the other: two points forward, one point back,
 * and so on. So every move goes the other way than the one before, the leg's ends are its extremes,
 * and what is traded in it follows from four points: each gap between two neighbouring points is
 * crossed three times, but the first and the last gap once.
 *
 * With an odd number of moves n, the points are 0 (the beginning) to (n + 3) / 2 (the end).
 */

/** The point that move `place` (1 to n) of a leg arrives at. */
function pointAfter(place: number): number {
  return place % 2 === 1 ? (place + 3) / 2 : place / 2;
}

/** The point at a leg's end. */
function lastPoint(moves: number): number {
  return (moves + 3) / 2;
}

/** How far a point lies between two points evenly set, at most: less than half of that keeps order. */
const ODDNESS = 0.8;

/** How far along the leg a point lies: 0 to 1, rising with the points, at odd distances. */
function fractionOf(point: number, last: number, of: Stream, leg: number): number {
  if (point === 0) return 0;
  if (point === last) return 1;
  const odd = (uniform(of, leg * 64 + point) - 0.5) * ODDNESS;
  return (point + odd) / last;
}
