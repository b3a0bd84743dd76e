import { Decimal, pow10, round, shift } from "./decimal.ts";

/** Ticks of a pool reach from −MAX_TICK to MAX_TICK. Source: Uniswap v3-core, TickMath.sol. */
export const MAX_TICK = 887_272;

const Q96 = 1n << 96n;
const Q32 = 1n << 32n;
const MAX_UINT256 = (1n << 256n) - 1n;

/** 1 / sqrt(1.0001)^(2^i) as Q128.128. Source: Uniswap v3-core, TickMath.sol. */
const INVERSE_ROOTS: readonly bigint[] = [
  0xfffcb933bd6fad37aa2d162d1a594001n,
  0xfff97272373d413259a46990580e213an,
  0xfff2e50f5f656932ef12357cf3c7fdccn,
  0xffe5caca7e10e4e61c3624eaa0941cd0n,
  0xffcb9843d60f6159c9db58835c926644n,
  0xff973b41fa98c081472e6896dfb254c0n,
  0xff2ea16466c96a3843ec78b326b52861n,
  0xfe5dee046a99a2a811c461f1969c3053n,
  0xfcbe86c7900a88aedcffc83b479aa3a4n,
  0xf987a7253ac413176f2b074cf7815e54n,
  0xf3392b0822b70005940c7a398e4b70f3n,
  0xe7159475a2c29b7443b29c7fa6e889d9n,
  0xd097f3bdfd2022b8845ad8f792aa5825n,
  0xa9f746462d870fdf8a65dc1f90e061e5n,
  0x70d869a156d2a1b890bb3df62baf32f7n,
  0x31be135f97d08fd981231505542fcfa6n,
  0x9aa508b5b7a84e1c677de54f3e99bc9n,
  0x5d6af8dedb81196699c329225ee604n,
  0x2216e584f5fa1ea926041bedfe98n,
  0x48a170391f7dc42444e8fa2n,
];

/** sqrt(1.0001^tick) × 2^96, rounded up, as the pool contracts compute it. Throws RangeError. */
export function sqrtPriceX96AtTick(tick: number): bigint {
  const size = Math.abs(tick);
  if (!Number.isInteger(tick) || size > MAX_TICK) throw new RangeError(`no such tick: ${tick}`);
  let ratio = 1n << 128n;
  for (const [bit, root] of INVERSE_ROOTS.entries()) {
    if ((size >>> bit) & 1) ratio = (ratio * root) >> 128n;
  }
  if (tick > 0) ratio = MAX_UINT256 / ratio;
  return (ratio >> 32n) + (ratio % Q32 === 0n ? 0n : 1n);
}

/**
 * The raw token amounts that `liquidity` in [lowerTick, upperTick) holds at a price, rounded down
 * as on a withdrawal. Source: Uniswap v3-periphery, LiquidityAmounts.sol.
 */
export function amountsForLiquidity(
  sqrtPriceX96: bigint,
  lowerTick: number,
  upperTick: number,
  liquidity: bigint,
): { amount0: bigint; amount1: bigint } {
  return amountsBetween(
    sqrtPriceX96,
    sqrtPriceX96AtTick(lowerTick),
    sqrtPriceX96AtTick(upperTick),
    liquidity,
  );
}

/** The same for whoever knows the square roots of the prices at both ticks already. */
export function amountsBetween(
  sqrtPriceX96: bigint,
  lower: bigint,
  upper: bigint,
  liquidity: bigint,
): { amount0: bigint; amount1: bigint } {
  const price = sqrtPriceX96 < lower ? lower : sqrtPriceX96 > upper ? upper : sqrtPriceX96;
  const amount0 = ((liquidity << 96n) * (upper - price)) / upper / price;
  const amount1 = (liquidity * (price - lower)) / Q96;
  return { amount0, amount1 };
}

/** What adding the liquidity takes: likewise, rounded up. Source: Uniswap v3-core, SqrtPriceMath.sol. */
export function amountsToAdd(
  sqrtPriceX96: bigint,
  lower: bigint,
  upper: bigint,
  liquidity: bigint,
): { amount0: bigint; amount1: bigint } {
  const price = sqrtPriceX96 < lower ? lower : sqrtPriceX96 > upper ? upper : sqrtPriceX96;
  const amount0 = ceiling(ceiling((liquidity << 96n) * (upper - price), upper), price);
  const amount1 = ceiling(liquidity * (price - lower), Q96);
  return { amount0, amount1 };
}

function ceiling(numerator: bigint, denominator: bigint): bigint {
  return (numerator + denominator - 1n) / denominator;
}

/**
 * Decimals kept in powers. Each of the 21 squarings cuts one digit, an error that the later ones
 * raise to at most 10^7 × the result; the result itself is below 10^78 for every difference of two
 * ticks, so with this many the error stays below 10⁻³⁰.
 */
const POWER_SCALE = 115;
const POWER_UNIT = pow10(POWER_SCALE);
const TICK_BASE = 10_001n * pow10(POWER_SCALE - 4);

/** 1.0001^n for 0 ≤ n ≤ 2 × MAX_TICK, times 10^POWER_SCALE. */
function tickPower(n: number): bigint {
  let result = POWER_UNIT;
  let square = TICK_BASE;
  for (let left = n; left > 0; left = Math.floor(left / 2)) {
    if (left % 2 === 1) result = (result * square) / POWER_UNIT;
    if (left > 1) square = (square * square) / POWER_UNIT;
  }
  return result;
}

/** sign(n)·(1.0001^|n| − 1) in percent for a difference of two ticks, rounded to 10⁻⁶ percent. */
export function percentOfTicks(n: number): Decimal {
  const gain = tickPower(Math.abs(n)) - POWER_UNIT;
  return round(new Decimal(n < 0 ? -gain : gain, POWER_SCALE - 2), 6);
}

/** Digits of a price: more than a person reads, and no more than a store should keep. */
const PRICE_DIGITS = 12;

/**
 * The price at a tick, token1 per token0 in whole tokens: 1.0001^tick × 10^(decimals0 − decimals1),
 * rounded to 12 significant digits.
 */
export function priceAtTick(tick: number, decimals0: number, decimals1: number): Decimal {
  const power = tickPower(Math.abs(tick));
  const price = tick >= 0 ? power : (POWER_UNIT * POWER_UNIT) / power;
  // A price is at least 10^-39, so even the smallest has 76 digits to round from.
  const digits = price.toString().length;
  const rounded = round(new Decimal(price, POWER_SCALE), POWER_SCALE - digits + PRICE_DIGITS);
  return shift(rounded, decimals0 - decimals1);
}
