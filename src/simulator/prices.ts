import type { PoolListing } from "./listed-pools.ts";
import { stream, wander } from "./noise.ts";
import { type PegEvent, scriptedPeg, thereAndBack } from "./peg.ts";
import { type ScriptEvent, scriptedPrice } from "./script.ts";

/**
 * Where a pool's price goes, as natural logarithms of factors on the listed price; `t` is in ms
 * after the market's start.
 */
export interface PricePath {
  /** By itself and with the pool that it follows: smooth, and 0 at the start. */
  wander(t: number): number;
  /** By the script. */
  scripted(t: number): number;
  /** Whether the script may move the price between two times. */
  moving(from: number, to: number): boolean;
}

/** Factors are applied to a part in 2^48, far finer than any tick. */
const SCALE_BITS = 48;
const SCALE = 2 ** SCALE_BITS;

/**
 * The paths of pools by their ids; those that others follow come first. Each price wanders by
 * itself, goes with its script, and with the pool that it follows. A token whose own dollar price
 * slips takes along the pools that it is in, and not the pools that follow those.
 */
export function pathsOf(
  pools: readonly PoolListing[],
  seed: number,
  script: readonly ScriptEvent[],
): ReadonlyMap<string, PricePath> {
  const wanders = new Map<string, (t: number) => number>();
  const moves = new Map<string, readonly PriceMove[]>();
  const paths = new Map<string, PricePath>();
  for (const pool of pools) {
    const own = wander(stream(seed, `price:${pool.id}`), pool.wander);
    const led = pool.follows === null ? undefined : wanders.get(pool.follows);
    const wanderOf = led === undefined ? own : (t: number) => own(t) + led(t);
    wanders.set(pool.id, wanderOf);
    const prices = [
      ...(pool.follows === null ? [] : (moves.get(pool.follows) ?? [])),
      ...script.filter((event) => event.kind === "price").filter((e) => e.pool === pool.id),
    ];
    moves.set(pool.id, prices);
    const pegs = script.filter((event) => event.kind === "peg").filter((e) => isIn(e, pool));
    const ids = [...new Set(prices.map((event) => event.pool))];
    const token0 = pool.token0.address.toLowerCase();
    const token1 = pool.token1.address.toLowerCase();
    const quiet = prices.length === 0 && pegs.length === 0;
    paths.set(pool.id, {
      wander: wanderOf,
      scripted: (t) => {
        if (quiet) return 0;
        let sum = 0;
        for (const id of ids) sum += scriptedPrice(prices, id, t);
        sum += scriptedPeg(pegs, pool.chainId, token0, t);
        return sum - scriptedPeg(pegs, pool.chainId, token1, t);
      },
      moving: (from, to) =>
        !quiet &&
        (prices.some((e) => isMoving(e, from, to)) || pegs.some((e) => isMoving(e, from, to))),
    });
  }
  return paths;
}

type PriceMove = Extract<ScriptEvent, { kind: "price" }>;
type Ramp = Pick<PegEvent, "at" | "over" | "hold" | "back">;

function isIn({ chain, token }: PegEvent, { chainId, token0, token1 }: PoolListing): boolean {
  return (
    chain === chainId && [token0, token1].some(({ address }) => address.toLowerCase() === token)
  );
}

/** Whether a ramp goes on between two times. Within one stretch of rest its value is one number. */
function isMoving(ramp: Ramp, from: number, to: number): boolean {
  const leaves = ramp.at + ramp.over + (ramp.hold ?? 0);
  const touches = (begin: number, length: number): boolean => begin <= to && begin + length >= from;
  if (touches(ramp.at, ramp.over)) return true;
  if (ramp.back !== undefined && touches(leaves, ramp.back)) return true;
  return thereAndBack(ramp, from) !== thereAndBack(ramp, to);
}

/** The factor on a sqrt price of a move of the price, cut to what is applied. */
export function rootFactor(move: number): number {
  return Math.round(Math.exp(move / 2) * SCALE) / SCALE;
}

/** `amount` × `factor`, rounded down; exactly `amount` for the factor 1. */
export function scaled(amount: bigint, factor: number): bigint {
  return (amount * BigInt(Math.round(factor * SCALE))) >> BigInt(SCALE_BITS);
}

/** Token1 for one token0 in whole tokens, as near as a double comes. */
export function priceOf(sqrtPriceX96: bigint, decimals0: number, decimals1: number): number {
  const root = Number(sqrtPriceX96) / 2 ** 96;
  return root * root * 10 ** (decimals0 - decimals1);
}
