import { formatSeconds } from "./clock.ts";
import {
  abbreviated,
  absolute,
  compare,
  Decimal,
  divide,
  exact,
  group,
  isZero,
  magnitude,
  multiply,
  type Numeral,
  negate,
  placesFor,
  rounded,
  scientific,
  shift,
} from "./decimal.ts";
import type { Quantity } from "./quantity.ts";
import { cutText } from "./text.ts";

export interface Written {
  readonly quantity: Quantity;
  /** The decimals behind raw units; null or absent while unknown. */
  readonly decimals?: number | null;
  /** What follows the number: a symbol, `USDC per ETH`, or empty. */
  readonly unit?: string;
  /** The unit to count in, whatever the size: of wei or of shares; absent: what reads best. */
  readonly scale?: Scale;
}

export type Scale = "wei" | "gwei" | "bps";

/** `compact` is rounded for reading, `full` has every digit. */
export type Form = "compact" | "full";

/** A written number: its unit stands apart so that a limit beside it need not repeat it. */
export interface Figure {
  readonly number: string;
  /** Empty where the number carries its sign itself, as in `$5` and `3%`. */
  readonly unit: string;
  /** What the digits stand for, in the quantity's own unit. */
  readonly shown: Decimal;
}

/** A V4 pool whose hook sets the fee has this in place of one. */
const DYNAMIC_FEE = 8_388_608n;
/** Text values are cut to so many characters. */
const LONGEST_TEXT = 80;

/** A value for people: `7.4 gwei`, `$18.7M`, `2,086.04 USDC per ETH`, `yes`. */
export function formatValue(
  value: Decimal | string | boolean,
  as: Written,
  form: Form = "compact",
): string {
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "string") return cutText(value, LONGEST_TEXT);
  return joinFigure(formatFigure(value, as, form));
}

export function joinFigure({ number, unit }: Figure): string {
  return unit === "" ? number : `${number} ${unit}`;
}

/** `+6.2M AUSD`, `-$4.1M`, `+200 ticks`: a difference with its sign. */
export function formatChange(delta: Decimal, as: Written): string {
  return signed(delta, joinFigure(formatFigure(absolute(delta), asDistance(as))));
}

/** How the distance of two values is written: ticks are counted then. */
export function asDistance(as: Written): Written {
  if (as.quantity === "tick") return { ...as, unit: "ticks" };
  return as.quantity === "seconds" ? { quantity: "integer", unit: "s" } : as;
}

/** Puts a sign before the writing of an absolute value. */
export function signed(value: Decimal, text: string): string {
  return value.digits > 0n ? `+${text}` : value.digits < 0n ? `-${text}` : text;
}

/** A price alone, with at least five significant digits: `2,086.04`, `0.000479377`. */
export function formatPrice(value: Decimal): string {
  return formatFigure(value, { quantity: "price" }).number;
}

/** `extra` asks for that many digits more than a compact number has. */
export function formatFigure(
  value: Decimal,
  as: Written,
  form: Form = "compact",
  extra = 0,
): Figure {
  const unit = as.unit ?? "";
  const full = form === "full";
  const plain = (short: () => Numeral): Figure => figureOf(full ? exact(value) : short(), unit);
  switch (as.quantity) {
    case "wei":
      return weiFigure(value, full, extra, as.scale);
    case "usd":
      return usdFigure(value, full, extra);
    case "percent":
      return percentFigure(value, 0, full, extra, as.scale);
    case "ratio":
      return percentFigure(value, 2, full, extra, as.scale);
    case "fee":
      if (value.digits === DYNAMIC_FEE && value.scale === 0) return word("dynamic", value);
      return percentFigure(value, -4, true, extra, as.scale);
    case "price":
      return plain(() => priceNumeral(value, extra));
    case "tokens":
      return plain(() => amountNumeral(value, extra));
    case "raw":
    case "raw(token0)":
    case "raw(token1)": {
      const decimals = as.decimals ?? null;
      if (decimals === null)
        return figureOf(exact(value), unit === "" ? "raw units" : `raw ${unit}`);
      const whole = shift(value, -decimals);
      const numeral = full ? exact(whole) : amountNumeral(whole, extra);
      return { number: numeral.text, unit, shown: shift(numeral.shown, decimals) };
    }
    case "count":
      return plain(() => (magnitude(value) >= 6 ? abbreviated(value, extra) : exact(value)));
    case "integer":
      return plain(() => (magnitude(value) >= 15 ? abbreviated(value, extra) : exact(value)));
    case "seconds":
      return word(formatSeconds(value) ?? group(value.toString()), value);
    case "tick":
    case "text":
    case "address":
    case "boolean":
      return figureOf(exact(value), unit);
  }
}

function figureOf(numeral: Numeral, unit: string): Figure {
  return { number: numeral.text, unit, shown: numeral.shown };
}

function word(text: string, shown: Decimal): Figure {
  return { number: text, unit: "", shown };
}

function weiFigure(value: Decimal, full: boolean, extra: number, scale?: Scale): Figure {
  const gwei = shift(value, -9);
  const small = isZero(value) || magnitude(gwei) < -3;
  if (scale === "wei" || (small && scale !== "gwei")) {
    return figureOf(full ? exact(value) : rounded(value, placesFor(value, 3, 0) + extra), "wei");
  }
  const numeral = full ? exact(gwei) : rounded(gwei, placesFor(gwei, 3, 0) + extra);
  return { number: numeral.text, unit: "gwei", shown: shift(numeral.shown, 9) };
}

function usdFigure(value: Decimal, full: boolean, extra: number): Figure {
  const size = absolute(value);
  const numeral = full ? exact(size) : usdNumeral(size, extra);
  const cents = numeral.text.replace(/\.(\d)$/, ".$10");
  if (value.digits >= 0n) return { number: `$${cents}`, unit: "", shown: numeral.shown };
  return { number: `-$${cents}`, unit: "", shown: negate(numeral.shown) };
}

function usdNumeral(size: Decimal, extra: number): Numeral {
  const power = magnitude(size);
  if (power >= 6) return abbreviated(size, extra);
  if (power < -9) return scientific(size, 4 + extra);
  const places = power >= 4 ? 0 : power >= 1 ? 2 : placesFor(size, power === 0 ? 5 : 4, 0);
  return rounded(size, places + extra);
}

/** `power`: how far the point moves to make percents of the value. */
function percentFigure(
  value: Decimal,
  power: number,
  full: boolean,
  extra: number,
  scale?: Scale,
): Figure {
  if (scale === "bps") {
    const bps = shift(value, power + 2);
    const numeral = full ? exact(bps) : rounded(bps, placesFor(bps, 3, 0) + extra);
    return { number: numeral.text, unit: "bps", shown: shift(numeral.shown, -power - 2) };
  }
  const percent = shift(value, power);
  const size = magnitude(percent);
  const places = size >= 2 ? 1 : size >= 0 ? 2 : placesFor(percent, 3, 0);
  const numeral = full ? exact(percent) : rounded(percent, places + extra);
  return { number: `${numeral.text}%`, unit: "", shown: shift(numeral.shown, -power) };
}

function priceNumeral(value: Decimal, extra: number): Numeral {
  const size = magnitude(value);
  if (size >= 15 || size < -9) return scientific(value, 6 + extra);
  return rounded(value, placesFor(value, 6, 0) + extra);
}

function amountNumeral(value: Decimal, extra: number): Numeral {
  const size = magnitude(value);
  if (size >= 6) return abbreviated(value, extra);
  if (size < -9) return scientific(value, 5 + extra);
  return rounded(value, (size >= 3 ? 3 : size >= 0 ? 4 : placesFor(value, 5, 0)) + extra);
}

/** Numbers that people compare: rounding must not move one to the other side of its limit. */

/** More extra digits than any number has. */
const MOST_EXTRA = 160;

/** `delta` in percent of |base|, to 10⁻⁶ percent; null when base is zero. */
export function percentOf(delta: Decimal, base: Decimal): Decimal | null {
  if (isZero(base)) return null;
  return divide(multiply(delta, new Decimal(100n, 0)), absolute(base), 6);
}

/**
 * `-18%`: whole percents from ten on, one decimal below. Beside a `limit` (in percent, by size) it
 * gets the digits that show on which side of it the change is.
 */
export function formatPercentChange(percent: Decimal, limit: Decimal | null = null): string {
  const size = absolute(percent);
  for (let extra = 0; extra < MOST_EXTRA; extra += 1) {
    const short = rounded(size, (magnitude(size) >= 1 ? 0 : placesFor(size, 2, 1)) + extra);
    if (limit === null || sign(short.shown, limit) === sign(size, limit)) {
      return signed(percent, `${short.text}%`);
    }
  }
  return signed(percent, `${exact(size).text}%`);
}

/**
 * Values that are read side by side, the first being compared with each other one: they get the
 * digits that it takes to see which is greater. What stands in `own` at a value's place was written
 * by somebody else and stays as it is.
 */
export function formatBeside(
  values: readonly Decimal[],
  as: Written,
  own: readonly (Figure | null)[] = [],
): readonly Figure[] {
  const [first] = values;
  if (first === undefined) return [];
  for (let extra = 0; extra < MOST_EXTRA; extra += 1) {
    const figures = values.map((value, i) => own[i] ?? besideFigure(value, as, extra));
    const [mine] = figures;
    const agree = figures.every(
      (figure, i) =>
        mine === undefined || sign(mine.shown, figure.shown) === sign(first, values[i] ?? first),
    );
    if (agree) return figures;
  }
  return values.map((value, i) => own[i] ?? formatFigure(value, as, "full"));
}

/** What is round anyway needs no more digits. */
function besideFigure(value: Decimal, as: Written, extra: number): Figure {
  const short = formatFigure(value, as);
  return compare(short.shown, value) === 0 ? short : formatFigure(value, as, "compact", extra);
}

function sign(a: Decimal, b: Decimal): number {
  return Math.sign(compare(a, b));
}
