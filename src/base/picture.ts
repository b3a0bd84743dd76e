import { compare, type Decimal, parseDecimal, pow10 } from "./decimal.ts";

/** Pictures made of characters, for places with letters of equal width. */

export interface PicturedRange {
  /** Prices as people read them. */
  readonly lower: string;
  readonly upper: string;
  readonly price: string;
  readonly unit: string;
  readonly lowerTick: number;
  readonly upperTick: number;
  readonly tick: number;
  /** A higher tick is a lower price. */
  readonly inverted: boolean;
}

const RANGE_WIDTH = 21;

/**
 * The range with the price in it, `2,050 ├─────●────┤ 2,250` above the price; a price that is
 * outside stands outside: `2,050 ├──────────┤ 2,250  ● 2,310`. The dot's place goes by ticks.
 */
export function rangePicture(range: PicturedRange): string {
  const { lower, upper, price, unit, lowerTick, upperTick, tick } = range;
  const now = unit === "" ? price : `${price} ${unit}`;
  const empty = "─".repeat(RANGE_WIDTH);
  if (tick < lowerTick || tick >= upperTick) {
    const isLow = tick < lowerTick !== range.inverted;
    return isLow
      ? `● ${price}  ${lower} ├${empty}┤ ${upper}\n${unit}`.trimEnd()
      : `${lower} ├${empty}┤ ${upper}  ● ${price}\n${unit}`.trimEnd();
  }
  const place = Math.floor(((tick - lowerTick) * RANGE_WIDTH) / (upperTick - lowerTick));
  const at = range.inverted ? RANGE_WIDTH - 1 - place : place;
  const bar = `${empty.slice(0, at)}●${empty.slice(at + 1)}`;
  const dot = [...lower].length + 2 + at;
  const left = Math.max(0, dot - Math.floor([...price].length / 2));
  return `${lower} ├${bar}┤ ${upper}\n${" ".repeat(left)}${now}`;
}

const BARS = [..."▁▂▃▄▅▆▇█"];
const LONGEST_LINE = 48;

/**
 * `▁▂▅█▃`: the last 48 of the exact values, oldest first, between their lowest and highest; values
 * that are no numbers are left out. Empty for fewer than two.
 */
export function sparkline(values: readonly string[]): string {
  const numbers = values
    .slice(-LONGEST_LINE)
    .map(parseDecimal)
    .filter((value) => value !== null);
  const [first] = numbers;
  if (first === undefined || numbers.length < 2) return "";
  let low = first;
  let high = first;
  for (const value of numbers) {
    if (compare(value, low) < 0) low = value;
    if (compare(value, high) > 0) high = value;
  }
  if (compare(low, high) === 0) return (BARS[3] ?? "").repeat(numbers.length);
  const scale = Math.max(...numbers.map((value) => value.scale));
  const whole = (value: Decimal): bigint => value.digits * pow10(scale - value.scale);
  const bottom = whole(low);
  const span = whole(high) - bottom;
  const top = BigInt(BARS.length - 1);
  return numbers
    .map((value) => BARS[Number(((whole(value) - bottom) * top * 2n + span) / (span * 2n))])
    .join("");
}
