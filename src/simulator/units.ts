import { pow10 } from "../base/decimal.ts";
import { MAX_TICK, sqrtPriceX96AtTick } from "../base/ticks.ts";
import { type Stream, uniform } from "./noise.ts";

/** Raw units as the specification's `_d` fields show them: six fractional digits, cut. */
export function sixDecimals(raw: bigint, decimals: number): string {
  const millionths = (raw * 1_000_000n) / pow10(decimals);
  const digits = millionths.toString().padStart(7, "0");
  return `${digits.slice(0, -6)}.${digits.slice(-6)}`;
}

/** The same with a sign, `+` for zero as well: `-12.500000`. */
export function signedDecimals(raw: bigint, decimals: number): string {
  return raw < 0n ? `-${sixDecimals(-raw, decimals)}` : `+${sixDecimals(raw, decimals)}`;
}

/** Raw units as whole tokens, as near as a double comes. */
export function wholeTokens(raw: bigint, decimals: number): number {
  return Number(raw) / 10 ** decimals;
}

/** US dollars rounded to whole cents. */
export function cents(usd: number): number {
  return Math.round(usd * 100) / 100;
}

/** Factors are applied to a part in 2^48, far finer than any tick. */
const SCALE_BITS = 48;
const SCALE = 2 ** SCALE_BITS;

/** `amount` × `factor`, rounded down; exactly `amount` for the factor 1. */
export function scaled(amount: bigint, factor: number): bigint {
  return (amount * BigInt(Math.round(factor * SCALE))) >> BigInt(SCALE_BITS);
}

/** With a sign, `+` above zero. */
export function signed(amount: bigint): string {
  return amount > 0n ? `+${amount}` : amount.toString();
}

/** Epoch milliseconds as the specification's Unix timestamps: whole seconds, as text. */
export function seconds(ms: number): string {
  return String(Math.floor(ms / 1000));
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

/** Epoch milliseconds as the specification's "ISO 8601 UTC": whole seconds, cut. */
export function isoTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

/** The UTC day that a time (epoch ms) lies in, YYYY-MM-DD. */
export function isoDay(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

/** The seed under which the demo's story was checked. */
export const DEMO_SEED = 20_250_131;
