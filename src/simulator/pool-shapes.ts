import { DAY, HOUR, MINUTE } from "../base/duration.ts";
import type { Octave } from "./noise.ts";

/** What listed pools have in common: how prices wander, and where liquidity lies. */

/** A price that is free to go: about 3% a day. */
export const FREE: readonly Octave[] = [
  { period: 5 * MINUTE, size: 0.0008 },
  { period: 20 * MINUTE, size: 0.0018 },
  { period: 80 * MINUTE, size: 0.004 },
  { period: 6 * HOUR, size: 0.009 },
  { period: DAY, size: 0.018 },
  { period: 5 * DAY, size: 0.04 },
  { period: 30 * DAY, size: 0.09 },
];
/** What separates a pool from the one that it follows until somebody trades it away. */
export const CLOSE: readonly Octave[] = [
  { period: 4 * MINUTE, size: 0.0003 },
  { period: 45 * MINUTE, size: 0.0005 },
];
/** Two tokens of one currency. */
export const PEGGED: readonly Octave[] = [
  { period: 30 * MINUTE, size: 0.00006 },
  { period: DAY, size: 0.00012 },
  { period: 12 * DAY, size: 0.0002 },
];
/** Two currencies. */
export const CURRENCIES: readonly Octave[] = [
  { period: 25 * MINUTE, size: 0.0002 },
  { period: 8 * HOUR, size: 0.0012 },
  { period: 3 * DAY, size: 0.004 },
  { period: 20 * DAY, size: 0.009 },
];

/** A half width of liquidity around the starting tick, in ticks, and its share of TVL. */
export interface Spread {
  readonly ticks: number;
  readonly share: number;
}

export const WIDE: readonly Spread[] = [
  { ticks: 887_272, share: 0.12 },
  { ticks: 6_000, share: 0.5 },
  { ticks: 1_500, share: 0.38 },
];
export const NARROW: readonly Spread[] = [
  { ticks: 887_272, share: 0.01 },
  { ticks: 600, share: 0.29 },
  { ticks: 20, share: 0.7 },
];
export const MIDDLE: readonly Spread[] = [
  { ticks: 887_272, share: 0.03 },
  { ticks: 1_200, share: 0.57 },
  { ticks: 200, share: 0.4 },
];

/** For a price in whole tokens; exact to a double's 16 digits, which is enough to begin with. */
export function sqrtOfPrice(price: number, decimals0: number, decimals1: number): bigint {
  return BigInt(Math.round(Math.sqrt(price * 10 ** (decimals1 - decimals0)) * 2 ** 96));
}

export interface Token {
  readonly address: string;
  readonly symbol: string;
  readonly name: string;
  readonly decimals: number;
}

export function token(address: string, symbol: string, name: string, decimals: number): Token {
  return { address, symbol, name, decimals };
}
