/**
 * What liquidity has earned. A pool counts the fees that one unit of liquidity has earned since it began, as
 * Q128 fractions of a raw unit that wrap around at 2^256; of each tick it counts what was earned on its other
 * side. So only differences mean something. Source: Uniswap v3-core, Tick.sol and Position.sol; v4-core,
 * StateLibrary.sol and Position.sol.
 */

/** Of one token: fees for each unit of liquidity, times 2^128, modulo 2^256. */
export type Growth = bigint;

/** What both tokens' counters say. */
export interface Growths {
  readonly growth0: Growth;
  readonly growth1: Growth;
}

/** Two amounts in raw units. */
export interface Amounts {
  readonly amount0: bigint;
  readonly amount1: bigint;
}

const WORD_BITS = 256;
const FRACTION_BITS = 128n;

/**
 * What was earned in [lower, upper) since the pool began, with the pool at `tick`: `global` is the whole
 * pool's counter, `below` and `above` are those of the ticks at the range's ends.
 */
function insideOf(
  tick: number,
  { lower, upper }: { readonly lower: number; readonly upper: number },
  global: Growth,
  below: Growth,
  above: Growth,
): Growth {
  const under = tick >= lower ? below : global - below;
  const over = tick < upper ? above : global - above;
  return BigInt.asUintN(WORD_BITS, global - under - over);
}

/** The same of both tokens. */
export function growthsInside(
  tick: number,
  range: { readonly lower: number; readonly upper: number },
  global: Growths,
  below: Growths,
  above: Growths,
): Growths {
  return {
    growth0: insideOf(tick, range, global.growth0, below.growth0, above.growth0),
    growth1: insideOf(tick, range, global.growth1, below.growth1, above.growth1),
  };
}

/** What `liquidity` has earned between two readings of a range's counters, cut to whole units. */
export function feesBetween(liquidity: bigint, before: Growths, now: Growths): Amounts {
  return {
    amount0: earned(liquidity, before.growth0, now.growth0),
    amount1: earned(liquidity, before.growth1, now.growth1),
  };
}

function earned(liquidity: bigint, before: Growth, now: Growth): bigint {
  return (BigInt.asUintN(WORD_BITS, now - before) * liquidity) >> FRACTION_BITS;
}
