import { pow10 } from "../base/decimal.ts";

/** Raw units as the specification's `_d` fields show them: six fractional digits, cut. */
export function sixDecimals(raw: bigint, decimals: number): string {
  const sign = raw < 0n ? "-" : "";
  const millionths = ((raw < 0n ? -raw : raw) * 1_000_000n) / pow10(decimals);
  const digits = millionths.toString().padStart(7, "0");
  return `${sign}${digits.slice(0, -6)}.${digits.slice(-6)}`;
}

/** With a sign, `+` above zero. */
export function signed(amount: bigint): string {
  return amount > 0n ? `+${amount}` : amount.toString();
}

/** Epoch milliseconds as ISO 8601 in UTC, whole seconds. */
export function isoTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

/** US dollars rounded to whole cents. */
export function cents(usd: number): number {
  return Math.round(usd * 100) / 100;
}

/** The price of token0 in token1, in whole tokens, as near as a double comes. */
export function priceOf(sqrtPriceX96: bigint, decimals0: number, decimals1: number): number {
  const root = Number(sqrtPriceX96) / 2 ** 96;
  return root * root * 10 ** (decimals0 - decimals1);
}
