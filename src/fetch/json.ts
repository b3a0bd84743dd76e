import { compare, decimalFromNumber, parseDecimal } from "../base/decimal.ts";
import { isMap } from "../base/json.ts";

/**
 * So many significant digits are all kept by a double, and one more of them if the first is below 4:
 * below 2^52 = 4.5e15, read as whole numbers, decimals lie further apart than doubles do.
 */
const ALL_KEPT = 15;
/** Fewer characters than these, digits and a point, cannot be too many. */
const LONG = ALL_KEPT + 1;
/** More characters than an exponent has. */
const EXPONENT = 24;
const QUOTE = 34;
const PLUS = 43;
const MINUS = 45;
const POINT = 46;
const ZERO = 48;
const FOUR = 52;
const NINE = 57;
const LARGE_E = 69;
const LETTER_A = 97;
const SMALL_E = 101;
const LONG_NUMBER = /^(?:0\.0*)?[1-9][\d.]*(?:[eE][+-]?\d+)?/;

/**
 * An exponent of three digits and more: such a number may lie outside of what a double can hold, where
 * it would become 0 or endless. What follows a number cannot follow these letters in a text. Where the
 * digits before it are not too many, such a number lies outside of these.
 */
const NEAREST = 1e-80;
const FARTHEST = 1e80;
const FAR_EXPONENT = /\d[eE][+-]?\d{3,}[\s,\]}]/;
/** So many zeros behind the point as well. */
const SMALLEST_PLACES = 300;

/**
 * Parses JSON so that no digit is lost: a number that a double does not hold exactly in its
 * shortest form, and every written-out one of 2^53 and more, arrives as the string of its text. Of a
 * key that comes twice in an object the last one counts. `bytes`: the same in UTF-8, for who has it.
 * Throws SyntaxError, or RangeError for nesting without end.
 */
export function parseJson(text: string, bytes: Buffer = Buffer.from(text)): unknown {
  const plain: unknown = JSON.parse(text);
  // Looking costs a third of parsing; parsing again is for the few answers in which something was lost.
  const loses = losesDigits(bytes) || (holdsExtreme(plain) && FAR_EXPONENT.test(text));
  return loses ? JSON.parse(quoteNumbers(text)) : plain;
}

/** Deeper than any record: what is nested further would overflow the stack, and is searched as text. */
const DEEPEST = 16;

/**
 * Whether any number is 0, or so near to it or so far from it that its exponent may be a far one.
 * Asked of every value of every answer, hence without a list of an object's values.
 */
function holdsExtreme(value: unknown, depth = 0): boolean {
  if (typeof value === "number") {
    const size = value < 0 ? -value : value;
    return size < NEAREST || size > FARTHEST;
  }
  if (typeof value !== "object" || value === null) return false;
  if (depth > DEEPEST) return true;
  if (Array.isArray(value)) return value.some((one) => holdsExtreme(one, depth + 1));
  if (!isMap(value)) return false;
  for (const key in value) {
    const one = value[key];
    if (typeof one !== "string" && holdsExtreme(one, depth + 1)) return true;
  }
  return false;
}

/** A number where no text is. */
const NUMBER = /-?\d[\d.]*(?:[eE][+-]?\d+)?/g;

/** The same JSON with the numbers in quotes that a double does not hold. */
function quoteNumbers(text: string): string {
  const parts: string[] = [];
  let at = 0;
  while (at < text.length) {
    const quote = text.indexOf('"', at);
    const end = quote < 0 ? text.length : quote;
    parts.push(
      text.slice(at, end).replaceAll(NUMBER, (number) => (isHeld(number) ? number : `"${number}"`)),
    );
    if (quote < 0) break;
    at = endOfString(text, quote);
    parts.push(text.slice(quote, at));
  }
  return parts.join("");
}

/** Behind the quote that ends the string which begins at `start`. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  for (; end > 0; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (text[end - 1 - escapes] === "\\") escapes += 1;
    if (escapes % 2 === 0) return end + 1;
  }
  return text.length;
}

/** It may also be true of text inside a string that looks like a number; that only costs time. */
function losesDigits(bytes: Buffer): boolean {
  const { length } = bytes;
  // One of so many places that follow each other is looked at: a long number has it.
  for (let at = LONG - 1; at < length; at += LONG) {
    if (!isNumeric(bytes[at])) continue;
    const last = at - LONG;
    let start = at;
    while (start > last && isNumeric(bytes[start - 1])) start -= 1;
    // A number that continues from the last place was examined there.
    if (start === last || isOfText(bytes[start - 1])) continue;
    if (isSign(bytes[start - 1]) && isOfText(bytes[start - 2])) continue;
    let end = at + 1;
    while (end < length && isNumeric(bytes[end])) end += 1;
    if (end - start >= LONG && isCut(bytes, start, end)) return true;
  }
  return false;
}

/** Numbers stand behind no quote and no letter. */
function isOfText(byte: number | undefined): boolean {
  return byte !== undefined && (byte === QUOTE || byte >= LETTER_A);
}

function isSign(byte: number | undefined): boolean {
  return byte === MINUS || byte === PLUS;
}

function isCut(bytes: Buffer, start: number, end: number): boolean {
  let first = start;
  while (bytes[first] === ZERO || bytes[first] === POINT) first += 1;
  if (first - start > SMALLEST_PLACES) return true;
  let digits = end - first;
  for (let at = first; at < end; at += 1) if (bytes[at] === POINT) digits -= 1;
  const exponent = bytes[end] === SMALL_E || bytes[end] === LARGE_E;
  if (!exponent && digits <= ALL_KEPT) return false;
  if (!exponent && digits === ALL_KEPT + 1 && (bytes[first] ?? FOUR) < FOUR) return false;
  const text = bytes.toString("latin1", start, end + EXPONENT);
  const [number = ""] = LONG_NUMBER.exec(text) ?? [];
  const value = Number(number);
  return Math.abs(value) > Number.MAX_SAFE_INTEGER || String(value) !== number;
}

/** Asked of most bytes of most answers, hence so plain; a slash is none, but stands in no number either. */
function isNumeric(byte: number | undefined): boolean {
  return byte !== undefined && byte <= NINE && byte >= POINT;
}

function isHeld(text: string): boolean {
  const value = Number(text);
  if (Math.abs(value) > Number.MAX_SAFE_INTEGER) return false;
  if (value === 0) return !/^[^eE]*[1-9]/.test(text);
  const written = parseDecimal(text);
  const held = decimalFromNumber(value);
  return written !== null && held !== null && compare(written, held) === 0;
}
