import { MAX_TICK, sqrtPriceX96AtTick } from "../base/ticks.ts";

const LOG_TICK = Math.log(1.0001);

/** The greatest tick whose sqrt price is not above this one: a guess in doubles, then held exact. */
export function tickOf(sqrtPriceX96: bigint): number {
  const guess = Math.floor((2 * Math.log(Number(sqrtPriceX96) / 2 ** 96)) / LOG_TICK);
  let tick = Math.min(Math.max(guess, -MAX_TICK), MAX_TICK);
  while (tick > -MAX_TICK && sqrtPriceX96AtTick(tick) > sqrtPriceX96) tick -= 1;
  while (tick < MAX_TICK && sqrtPriceX96AtTick(tick + 1) <= sqrtPriceX96) tick += 1;
  return tick;
}
