import type { Quantity } from "./quantity.ts";

/**
 * Exact decimal numbers: `digits` / 10^`scale`. Nothing in here ever goes through a double;
 * a JSON number means its shortest decimal form.
 */
export class Decimal {
  static readonly ZERO = new Decimal(0n, 0);

  /** `scale` is a whole number ≥ 0. */
  constructor(
    readonly digits: bigint,
    readonly scale: number,
  ) {}

  /** The canonical text: no exponent, no trailing zeros after the point, "-0" is "0". */
  toString(): string {
    return formatDigits(this.digits, this.scale);
  }

  toJSON(): string {
    return this.toString();
  }
}

const POWERS: bigint[] = Array.from({ length: 80 }, (_, i) => 10n ** BigInt(i));

/** 10^n for a whole n ≥ 0. */
export function pow10(n: number): bigint {
  return POWERS[n] ?? 10n ** BigInt(n);
}

/** More digits or a larger exponent than this is no number that a chain or a person writes. */
const MAX_DIGITS = 400;
const DECIMAL_TEXT = /^([+-]?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,4}))?$/;

/**
 * Reads decimal text such as `-12.50`, `+3`, `1e-18`. Surrounding space, separators, hex and
 * anything else give null: a value that is not surely a number is no number.
 */
export function parseDecimal(text: string): Decimal | null {
  if (text.length > MAX_DIGITS) return null;
  const plain = shortWhole(text);
  if (plain !== null) return new Decimal(BigInt(plain), 0);
  const match = DECIMAL_TEXT.exec(text);
  if (match === null) return null;
  const whole = match[2] ?? "";
  const fraction = match[3] ?? "";
  const exponent = match[4] === undefined ? 0 : Number(match[4]);
  if (Math.abs(exponent) > MAX_DIGITS) return null;
  let digits = BigInt(whole + fraction);
  if (match[1] === "-") digits = -digits;
  const scale = fraction.length - exponent;
  return scale >= 0 ? new Decimal(digits, scale) : new Decimal(digits * pow10(-scale), 0);
}

const ZERO = "0".charCodeAt(0);

/** The value of digits alone or behind a minus, as most samples are, so few that a double holds them; else null. */
function shortWhole(text: string): number | null {
  const isNegative = text.startsWith("-");
  const start = isNegative ? 1 : 0;
  if (text.length === start || text.length > SHORT_DIGITS) return null;
  let value = 0;
  for (let i = start; i < text.length; i += 1) {
    const digit = text.charCodeAt(i) - ZERO;
    if (digit < 0 || digit > 9) return null;
    value = value * 10 + digit;
  }
  return isNegative ? -value : value;
}

/**
 * The shortest decimal that reads back as this double; null for NaN and infinities. A caller
 * that reads JSON must have made sure that the text was no longer than a double can hold.
 */
export function decimalFromNumber(value: number): Decimal | null {
  if (Number.isSafeInteger(value)) return new Decimal(BigInt(value), 0);
  if (!Number.isFinite(value)) return null;
  const text = String(value);
  const point = text.indexOf(".");
  if (point < 0 || text.includes("e")) return parseDecimal(text);
  const scale = text.length - point - 1;
  const digits = value * (HELD_POWERS[scale] ?? Number.POSITIVE_INFINITY);
  return Math.abs(digits) < SHORT
    ? new Decimal(BigInt(Math.round(digits)), scale)
    : new Decimal(BigInt(text.slice(0, point) + text.slice(point + 1)), scale);
}

/** 10^n as doubles, which hold it exactly up to here. */
const HELD_POWERS: readonly number[] = Array.from({ length: 23 }, (_, n) => Number(pow10(n)));
/**
 * Most numbers have so few digits that a double tells them apart, and then it is the quicker way. One
 * that is the double of digits / 10^n lies within 2^-53 of it, relatively, and so does its product with
 * 10^n: together less than a half, so that rounding gives the digits back. And as all of 15 digits are
 * told apart by their doubles, the shortest text of the double is that of the decimal.
 */
const SHORT = 1e15;
const SHORT_DIGITS = 15;

/** The nearest double; for pictures only, never for a comparison. */
export function toNumber({ digits, scale }: Decimal): number {
  const whole = Number(digits);
  const power = HELD_POWERS[scale];
  // Both are exact, so that the quotient is rounded once.
  return power !== undefined && Math.abs(whole) < SHORT
    ? whole / power
    : Number(formatDigits(digits, scale));
}

export function decimalFromInteger(value: bigint | number): Decimal {
  return new Decimal(BigInt(value), 0);
}

/** Negative, zero or positive as a is less than, equal to or greater than b. */
export function compare(a: Decimal, b: Decimal): number {
  let left = a.digits;
  let right = b.digits;
  if (a.scale < b.scale) left *= pow10(b.scale - a.scale);
  else if (b.scale < a.scale) right *= pow10(a.scale - b.scale);
  return left < right ? -1 : left > right ? 1 : 0;
}

export function add(a: Decimal, b: Decimal): Decimal {
  if (a.scale === b.scale) return new Decimal(a.digits + b.digits, a.scale);
  const scale = Math.max(a.scale, b.scale);
  return new Decimal(a.digits * pow10(scale - a.scale) + b.digits * pow10(scale - b.scale), scale);
}

export function negate(a: Decimal): Decimal {
  return new Decimal(-a.digits, a.scale);
}

export function subtract(a: Decimal, b: Decimal): Decimal {
  if (a.scale === b.scale) return new Decimal(a.digits - b.digits, a.scale);
  return add(a, negate(b));
}

export function multiply(a: Decimal, b: Decimal): Decimal {
  return new Decimal(a.digits * b.digits, a.scale + b.scale);
}

export function absolute(a: Decimal): Decimal {
  return a.digits < 0n ? negate(a) : a;
}

/** a × 10^power, exact; power may be negative. */
export function shift(a: Decimal, power: number): Decimal {
  const scale = a.scale - power;
  return scale >= 0 ? new Decimal(a.digits, scale) : new Decimal(a.digits * pow10(-scale), 0);
}

export function isZero(a: Decimal): boolean {
  return a.digits === 0n;
}

/**
 * a / b rounded half away from zero to `scale` ≥ 0 decimals; for people only, never for a
 * comparison.
 * Throws RangeError when b is zero.
 */
export function divide(a: Decimal, b: Decimal, scale: number): Decimal {
  const power = scale + b.scale - a.scale;
  const top = power >= 0 ? a.digits * pow10(power) : a.digits;
  const bottom = power >= 0 ? b.digits : b.digits * pow10(-power);
  return new Decimal(divideRounded(top, bottom), scale);
}

/** Rounded half away from zero to `scale` decimals; a negative scale rounds to tens, hundreds, … */
export function round(a: Decimal, scale: number): Decimal {
  if (a.scale <= scale) return a;
  const digits = divideRounded(a.digits, pow10(a.scale - scale));
  return scale >= 0 ? new Decimal(digits, scale) : new Decimal(digits * pow10(-scale), 0);
}

function divideRounded(top: bigint, bottom: bigint): bigint {
  const negative = top < 0n !== bottom < 0n;
  const t = top < 0n ? -top : top;
  const b = bottom < 0n ? -bottom : bottom;
  const quotient = (t * 2n + b) / (b * 2n);
  return negative ? -quotient : quotient;
}

function formatDigits(digits: bigint, scale: number): string {
  if (scale === 0) return digits.toString();
  const short = shortText(Number(digits), scale);
  if (short !== null) return short;
  const negative = digits < 0n;
  const text = (negative ? -digits : digits).toString().padStart(scale + 1, "0");
  const whole = text.slice(0, -scale);
  const places = text.slice(-scale);
  const fraction = places.endsWith("0") ? places.replace(/0+$/, "") : places;
  const body = fraction === "" ? whole : `${whole}.${fraction}`;
  return negative && digits !== 0n ? `-${body}` : body;
}

/** Null: it has too many digits, or a double of its size is written with an exponent. */
function shortText(digits: number, scale: number): string | null {
  const power = HELD_POWERS[scale];
  if (power === undefined || Math.abs(digits) >= SHORT) return null;
  const text = String(digits / power);
  return text.includes("e") ? null : text;
}

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

/** A known value: an exact number, text (addresses in lower case) or a boolean. */
export type Value = Decimal | string | boolean;

/** A value as the store keeps it. */
export function valueToText(value: Value | null): string | null {
  return value === null || typeof value === "string" ? value : value.toString();
}

/** Reads what `valueToText` wrote. */
export function valueFromText(text: string | null, quantity: Quantity): Value | null {
  if (text === null) return null;
  if (quantity === "boolean") return text === "true";
  if (quantity === "text" || quantity === "address") return text;
  return parseDecimal(text);
}

/** Whether two samples are one run; "no data" equals "no data". */
export function sameSample(a: Value | null, b: Value | null): boolean {
  if (a instanceof Decimal && b instanceof Decimal) return compare(a, b) === 0;
  return a === b;
}
