import { absolute, type Decimal, round, shift } from "./decimal.ts";

/** A number as people read it, and the number that those digits stand for. */
export interface Numeral {
  readonly text: string;
  readonly shown: Decimal;
}

/** The power of ten of the first digit: 2 for 123, −3 for 0.0012, 0 for zero. */
export function magnitude(value: Decimal): number {
  if (value.digits === 0n) return 0;
  return absolute(value).digits.toString().length - 1 - value.scale;
}

/** `-1234567.5` as `-1,234,567.5`. */
export function group(plain: string): string {
  const [whole = "", fraction] = plain.split(".");
  const grouped = whole.replace(/\B(?=(?:\d{3})+$)/g, ",");
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

/** Every digit, with separators. */
export function exact(value: Decimal): Numeral {
  return { text: group(value.toString()), shown: value };
}

/** Rounded to at most `places` ≥ 0 decimals; zeros at the end are left out. */
export function rounded(value: Decimal, places: number): Numeral {
  return exact(round(value, places));
}

/** The decimals that leave `digits` significant ones; never fewer than `least`. */
export function placesFor(value: Decimal, digits: number, least: number): number {
  return Math.max(least, digits - 1 - magnitude(value));
}

const MOST_BEHIND = 3;

const SUFFIXES: readonly [power: number, suffix: string][] = [
  [12, "T"],
  [9, "B"],
  [6, "M"],
];

/**
 * A number of a million or more with three significant digits and `extra` more: `18.7M`, `1.2B`,
 * and `1.23e+18` from 10^15 on.
 */
export function abbreviated(value: Decimal, extra: number): Numeral {
  const size = magnitude(value);
  if (size >= 15) return scientific(value, 3 + extra);
  // So many digits read better in groups than behind a point: 40,000,000.000001, not 40.000000000001M.
  if (extra > MOST_BEHIND) return rounded(value, Math.max(0, 2 + extra - size));
  const at = SUFFIXES.findIndex(([power]) => size >= power);
  const [power, suffix] = SUFFIXES[at] ?? [0, ""];
  const places = Math.max(0, 2 - (size - power)) + extra;
  const short = round(shift(value, -power), places);
  const up = SUFFIXES[at - 1];
  // Rounding may have made a thousand millions of it.
  if (up !== undefined && magnitude(short) >= 3) {
    const next = shift(short, power - up[0]);
    return { text: `${group(next.toString())}${up[1]}`, shown: shift(short, power) };
  }
  return { text: `${group(short.toString())}${suffix}`, shown: shift(short, power) };
}

/** `1.2345e-12`, for numbers that no one reads off their zeros. */
export function scientific(value: Decimal, digits: number): Numeral {
  const size = magnitude(value);
  const mantissa = round(shift(value, -size), Math.max(0, digits - 1));
  // 9.999 may have become 10.
  const carry = magnitude(mantissa);
  const shown = shift(mantissa, size);
  const power = size + carry;
  return { text: `${shift(mantissa, -carry).toString()}e${power < 0 ? "" : "+"}${power}`, shown };
}

const ZERO = 48;
/**
 * The whole number below 2^53 that a text of digits is; null for any other text. A round reads three
 * of each record, for which a search by pattern would take twice as long.
 */
export function wholeOf(text: string): number | null {
  if (text.length === 0) return null;
  let whole = 0;
  for (let i = 0; i < text.length; i += 1) {
    const digit = text.charCodeAt(i) - ZERO;
    if (digit < 0 || digit > 9) return null;
    whole = whole * 10 + digit;
  }
  return Number.isSafeInteger(whole) ? whole : null;
}
