import type { SwapEntry } from "./entries.ts";

/** What a pool's swaps of some time come to. Amounts are raw units; volumes count each swap once a token. */
export interface Trades {
  readonly swaps: number;
  readonly volume0: bigint;
  readonly volume1: bigint;
  /** What traders paid on the amounts that came in; null where the fee of a swap is not known. */
  readonly fees0: bigint | null;
  readonly fees1: bigint | null;
  /** The lowest and highest price after a swap, as sqrtPriceX96; null: there was none. */
  readonly low: bigint | null;
  readonly high: bigint | null;
  /** The last swap; null: there was none. */
  readonly last: Pick<SwapEntry, "sqrtPriceX96" | "tick" | "liquidity"> | null;
}

export const NO_TRADES: Trades = {
  swaps: 0,
  volume0: 0n,
  volume1: 0n,
  fees0: 0n,
  fees1: 0n,
  low: null,
  high: null,
  last: null,
};

/** Sums up swaps, oldest first. `fee`: of swaps whose logs have none, in hundredths of a basis point. */
export function tradesOf(swaps: readonly SwapEntry[], fee: number | null): Trades {
  return swaps.reduce<Trades>((sum, swap) => after(sum, oneOf(swap, fee)), NO_TRADES);
}

/** Two times that follow one another as one. */
export function after(earlier: Trades, later: Trades): Trades {
  return {
    swaps: earlier.swaps + later.swaps,
    volume0: earlier.volume0 + later.volume0,
    volume1: earlier.volume1 + later.volume1,
    fees0: added(earlier.fees0, later.fees0),
    fees1: added(earlier.fees1, later.fees1),
    low: chosen(earlier.low, later.low, (a, b) => a < b),
    high: chosen(earlier.high, later.high, (a, b) => a > b),
    last: later.last ?? earlier.last,
  };
}

function oneOf(swap: SwapEntry, fee: number | null): Trades {
  const { amount0, amount1, sqrtPriceX96, tick, liquidity } = swap;
  const rate = swap.fee ?? fee;
  return {
    swaps: 1,
    volume0: absolute(amount0),
    volume1: absolute(amount1),
    fees0: feeOn(amount0, rate),
    fees1: feeOn(amount1, rate),
    low: sqrtPriceX96,
    high: sqrtPriceX96,
    last: { sqrtPriceX96, tick, liquidity },
  };
}

/** On what comes in only; cut to a whole unit, where the contract rounds up at each tick that is crossed. */
function feeOn(amount: bigint, rate: number | null): bigint | null {
  if (amount <= 0n) return 0n;
  return rate === null ? null : (amount * BigInt(rate)) / 1_000_000n;
}

function absolute(amount: bigint): bigint {
  return amount < 0n ? -amount : amount;
}

function added(a: bigint | null, b: bigint | null): bigint | null {
  return a === null || b === null ? null : a + b;
}

function chosen(
  a: bigint | null,
  b: bigint | null,
  first: (a: bigint, b: bigint) => boolean,
): bigint | null {
  if (a === null || b === null) return a ?? b;
  return first(a, b) ? a : b;
}
