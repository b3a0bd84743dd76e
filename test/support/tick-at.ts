import { MAX_TICK, sqrtPriceX96AtTick } from "../../src/base/ticks.ts";

/** The greatest tick whose sqrt price is not above `sqrtPriceX96`. */
export function tickAtSqrtPriceX96(sqrtPriceX96: bigint): number {
  let low = -MAX_TICK;
  let high = MAX_TICK;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (sqrtPriceX96AtTick(middle) <= sqrtPriceX96) low = middle;
    else high = middle - 1;
  }
  return low;
}
