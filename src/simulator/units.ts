import { MAX_TICK, sqrtPriceX96AtTick } from "../base/ticks.ts";
import { type Stream, uniform } from "./noise.ts";

/** Raw units as whole tokens, as near as a double comes. */
export function wholeTokens(raw: bigint, decimals: number): number {
  return Number(raw) / 10 ** decimals;
}

/** Factors are applied to a part in 2^48, far finer than any tick. */
const SCALE_BITS = 48;
const SCALE = 2 ** SCALE_BITS;

/** `amount` × `factor`, rounded down; exactly `amount` for the factor 1. */
export function scaled(amount: bigint, factor: number): bigint {
  return (amount * BigInt(Math.round(factor * SCALE))) >> BigInt(SCALE_BITS);
}

const LOG_TICK = Math.log(1.0001);

/** The greatest tick whose sqrt price is not above this one: a guess in doubles, then held exact. */
export function tickOf(sqrtPriceX96: bigint): number {
  const guess = Math.floor((2 * Math.log(Number(sqrtPriceX96) / 2 ** 96)) / LOG_TICK);
  let tick = Math.min(Math.max(guess, -MAX_TICK), MAX_TICK);
  while (tick > -MAX_TICK && sqrtPriceX96AtTick(tick) > sqrtPriceX96) tick -= 1;
  while (tick < MAX_TICK && sqrtPriceX96AtTick(tick + 1) <= sqrtPriceX96) tick += 1;
  return tick;
}

/** So many random hex digits (a multiple of 8) after `0x`: hashes and addresses that mean nothing. */
export function hexOf(of: Stream, index: number, digits: number): string {
  let text = "0x";
  for (let word = 0; word < digits / 8; word += 1) {
    text += Math.floor(uniform(of, index * 8 + word) * 2 ** 32)
      .toString(16)
      .padStart(8, "0");
  }
  return text;
}

/** The seed under which the demo's story was checked. */
export const DEMO_SEED = 20_250_131;
