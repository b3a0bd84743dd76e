import { compare, type Decimal, parseDecimal, pow10 } from "../base/decimal.ts";
import { cleanText, cutText } from "../base/text.ts";
import type { Notice } from "../model/index.ts";

const LONGEST_LINE = 1_000;

/** One line of plain text, clean, with the spaces at its beginning and between its columns kept. */
export function safeLine(line: string): string {
  const clean = line
    .split(/( {2,})/)
    .map((part) => (/^ *$/.test(part) ? part : cleanText(part, LONGEST_LINE)))
    .join("");
  return cutText(clean, LONGEST_LINE);
}

/** A web address in its normal form; null for anything else, such as `javascript:…`. */
export function webAddress(text: string): string | null {
  if (!URL.canParse(text)) return null;
  const { href, protocol } = new URL(text);
  return protocol === "https:" || protocol === "http:" ? href : null;
}

/**
 * Cuts between characters so that at most `limit` UTF-16 units are left, the last one being `…`:
 * a receiver that counts characters otherwise counts fewer.
 */
export function cutUnits(text: string, limit: number): string {
  if (text.length <= limit) return text;
  let result = "";
  for (const character of text) {
    if (result.length + character.length > limit - 1) break;
    result += character;
  }
  return `${result.trimEnd()}…`;
}

const LAST_MS = 8_640_000_000_000_000;

/** RFC 3339 in UTC with milliseconds; `ms` since the Unix epoch. */
export function isoTime(ms: number): string {
  return new Date(Math.min(Math.max(ms, -LAST_MS), LAST_MS)).toISOString();
}

/** The meaning of a notice's colour: its severity, resolved, or neither. */
export type Tone = Notice["severity"] | "good" | "neutral";

/** The colours of a notice, for receivers that have any. */
export const TONES: Readonly<Record<Tone, string>> = {
  critical: "#d93025",
  warning: "#e8830c",
  info: "#3b7ddd",
  good: "#1e8e3e",
  neutral: "#767b84",
};

/** Good is what is well again: that something is over for another reason is not. */
export function toneOf({ kind, severity, ending }: Notice): Tone {
  switch (kind) {
    case "resolved":
      return ending === undefined ? "good" : "neutral";
    case "source_up":
      return "good";
    case "no_data":
    case "data_back":
    case "source_down":
    case "rule_removed":
    case "baseline":
    case "report":
      return "neutral";
    default:
      return severity;
  }
}

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
const LONGEST_SPARKLINE = 48;

/**
 * `▁▂▅█▃`: the last 48 of the exact values, oldest first, between their lowest and highest; values
 * that are no numbers are left out. Empty for fewer than two.
 */
export function sparkline(values: readonly string[]): string {
  const numbers = values
    .slice(-LONGEST_SPARKLINE)
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
