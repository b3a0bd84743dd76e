import { LISTED_POOLS, type ListedPool } from "./listed-pools.ts";
import { stream, wander } from "./noise.ts";
import { type ScriptEvent, scriptedPrice } from "./script.ts";

/** A pool's sqrt price × 2^96 at a time, in milliseconds after the market's start. */
export type SqrtPrice = (t: number) => bigint;

/** Factors are applied to a part in 2^48, far finer than any tick. */
const SCALE_BITS = 48;

/**
 * The path of every listed pool's price, by pool id: its start, times its own wander, times the
 * script, times the way of the pool it follows. At `t` = 0 the unscripted price is exactly the
 * listed one.
 */
export function pricesOf(
  seed: number,
  script: readonly ScriptEvent[],
): ReadonlyMap<string, SqrtPrice> {
  const moves = new Map<string, (t: number) => number>();
  for (const pool of LISTED_POOLS) {
    const own = wander(stream(seed, `price:${pool.id}`), pool.wander);
    const led = pool.follows === null ? undefined : moves.get(pool.follows);
    moves.set(pool.id, (t) => own(t) + scriptedPrice(script, pool.id, t) + (led?.(t) ?? 0));
  }
  return new Map(LISTED_POOLS.map((pool) => [pool.id, sqrtPrice(pool, moves.get(pool.id))]));
}

function sqrtPrice(pool: ListedPool, move: ((t: number) => number) | undefined): SqrtPrice {
  return (t) => scaled(pool.sqrtPriceX96, Math.exp((move?.(t) ?? 0) / 2));
}

/** `amount` × `factor`, rounded down; exactly `amount` for the factor 1. */
export function scaled(amount: bigint, factor: number): bigint {
  return (amount * BigInt(Math.round(factor * 2 ** SCALE_BITS))) >> BigInt(SCALE_BITS);
}

/** Token1 for one token0 in whole tokens, as near as a double comes. */
export function priceOf(sqrtPriceX96: bigint, decimals0: number, decimals1: number): number {
  const root = Number(sqrtPriceX96) / 2 ** 96;
  return root * root * 10 ** (decimals0 - decimals1);
}
