import { parse as parseLossless } from "lossless-json";
import { compare, decimalFromNumber, parseDecimal } from "../base/decimal.ts";

/**
 * A JSON number of sixteen characters and more, the zeros of a small one left out: a double keeps
 * every decimal of fifteen digits. Inside a string something may look like one, which costs time and
 * changes nothing.
 */
const LONG_NUMBER = /[:,[]\s*(-?(?:0\.0{0,99})?[1-9][\d.]{15,}(?:[eE][+-]?\d+)?)/g;

/**
 * Parses JSON so that no digit is lost: a number that a double does not hold exactly in its
 * shortest form, and every written-out one of 2^53 and more, arrives as the string of its text.
 * Throws SyntaxError, or RangeError for nesting without end.
 */
export function parseJson(text: string): unknown {
  const plain: unknown = JSON.parse(text);
  // Looking costs less than half of parsing; the lossless parser costs six times as much.
  return losesDigits(text) ? parseLossless(text, undefined, readNumber) : plain;
}

function losesDigits(text: string): boolean {
  for (const [, digits = ""] of text.matchAll(LONG_NUMBER)) {
    const value = Number(digits);
    if (Math.abs(value) > Number.MAX_SAFE_INTEGER || String(value) !== digits) return true;
  }
  return false;
}

function readNumber(text: string): number | string {
  const value = Number(text);
  if (Math.abs(value) > Number.MAX_SAFE_INTEGER) return text;
  const written = parseDecimal(text);
  const held = decimalFromNumber(value);
  return written !== null && held !== null && compare(written, held) === 0 ? value : text;
}
