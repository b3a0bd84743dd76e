import { pow10 } from "../../base/decimal.ts";

/** Bits of a quotient that are kept: more than the 53 of a double. */
const BITS = 80;

/** About how many bits a number has, three too many at most: hexadecimal text is quick to make. */
function bitsIn(value: bigint): number {
  return value.toString(16).length * 4;
}

/** The double next to a fraction of whole numbers ≥ 0. */
export function quotient(numerator: bigint, denominator: bigint): number {
  if (numerator === 0n) return 0;
  const shift = BITS + bitsIn(denominator) - bitsIn(numerator);
  const whole =
    shift >= 0
      ? (numerator << BigInt(shift)) / denominator
      : numerator / (denominator << BigInt(-shift));
  return Number(whole) * 2 ** -shift;
}

/**
 * The price of token0 in token1, both as whole tokens: (sqrtPriceX96 / 2^96)² × 10^(decimals0 − decimals1).
 * Source: the Uniswap v3 whitepaper, 6.1.
 */
export function priceOf(sqrtPriceX96: bigint, decimals0: number, decimals1: number): number {
  return quotient(sqrtPriceX96 * sqrtPriceX96 * pow10(decimals0), pow10(decimals1) << 192n);
}

/** The price of token1 in token0. */
export function inversePriceOf(sqrtPriceX96: bigint, decimals0: number, decimals1: number): number {
  return quotient(pow10(decimals1) << 192n, sqrtPriceX96 * sqrtPriceX96 * pow10(decimals0));
}

/** The value of a raw amount at a price per whole token, in dollars; null where price or decimals lack. */
export function valueOf(raw: bigint, decimals: number | null, usd: number | null): number | null {
  if (decimals === null || usd === null) return null;
  return quotient(raw, pow10(decimals)) * usd;
}

/** A plain decimal without an exponent, as the earlier family writes prices. */
export function plainNumber(value: number): string {
  const text = value.toString();
  const match = /^(\d)(?:\.(\d+))?e([+-]\d+)$/.exec(text);
  if (match === null) return text;
  const [, first = "", rest = "", exponent = "0"] = match;
  const digits = first + rest;
  const point = Number(exponent) + 1;
  if (point <= 0) return `0.${"0".repeat(-point)}${digits}`;
  return digits.padEnd(point, "0");
}
