import { setImmediate as breathe } from "node:timers/promises";
import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate } from "node:zlib";
import { compare, decimalFromNumber, parseDecimal } from "../base/decimal.ts";
import { isMap } from "../base/json.ts";
import { ExchangeError, type HttpAnswer } from "./dispatch.ts";
import { type Cut, Outline } from "./outline.ts";

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
  if (Array.isArray(value)) {
    for (const one of value) if (holdsExtreme(one, depth + 1)) return true;
    return false;
  }
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

/**
 * From the point to the nine in one comparison, since it is asked of most bytes of most answers; a slash is none, but
 * stands in no number either.
 */
function isNumeric(byte: number | undefined): boolean {
  return byte !== undefined && (byte - POINT) >>> 0 <= NINE - POINT;
}

function isHeld(text: string): boolean {
  const value = Number(text);
  if (Math.abs(value) > Number.MAX_SAFE_INTEGER) return false;
  if (value === 0) return !/^[^eE]*[1-9]/.test(text);
  const written = parseDecimal(text);
  const held = decimalFromNumber(value);
  return written !== null && held !== null && compare(written, held) === 0;
}

/** A body up to this size is read at once: in the worst case that takes ten milliseconds. */
const AT_ONCE = 100_000;
/** So many bytes are looked at without a pause. */
const STRIDE = 256_000;
/** So long, in milliseconds, parsing goes on without a pause. */
const LONGEST_MS = 5;
const BYTE_ORDER_MARK = Buffer.from("\ufeff");
/** Stands for the long list while the rest of an answer is parsed; no service can know it. */
const PLACE = `list:${crypto.randomUUID()}`;

export { TooComplex } from "./outline.ts";

/**
 * Parses the body of an answer without ever holding the event loop for long: what is large is looked
 * over first, refused if it is nested or has more than any answer has, and parsed in pieces. Rejects
 * with SyntaxError, RangeError, or TooComplex.
 */
export async function readJson(body: Buffer): Promise<unknown> {
  const bytes = withoutMark(body);
  if (bytes.length <= AT_ONCE) return parseJson(bytes.toString("utf8"), bytes);
  const outline = new Outline();
  for (let at = 0; at < bytes.length; at += STRIDE) {
    outline.read(bytes, at, Math.min(at + STRIDE, bytes.length));
    await breathe();
  }
  const cut = outline.end(bytes.length);
  if (cut === null) return parsePiece(bytes);
  return await parseCut(bytes, cut);
}

/** The byte order mark is what JSON.parse would stumble over. */
function withoutMark(body: Buffer): Buffer {
  const marked = body.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);
  return marked ? body.subarray(BYTE_ORDER_MARK.length) : body;
}

function parsePiece(bytes: Buffer): unknown {
  return parseJson(bytes.toString("utf8"), bytes);
}

/** The long list, some entries at a time, and around it the rest. */
async function parseCut(bytes: Buffer, { open, close, commas }: Cut): Promise<unknown> {
  if (bytes[close] !== CLOSE[0]) throw new SyntaxError("a list does not end as one");
  const list: unknown[] = [];
  let since = performance.now();
  let from = open + 1;
  for (const to of [...commas, close]) {
    if (performance.now() - since > LONGEST_MS) {
      await breathe();
      since = performance.now();
    }
    const piece = parsePiece(Buffer.concat([OPEN, bytes.subarray(from, to), CLOSE]));
    if (!Array.isArray(piece)) throw new SyntaxError("a piece of a list is no list");
    // A comma without an entry is a fault between pieces as well.
    if (piece.length === 0) throw new SyntaxError("an entry of a list is missing");
    for (const entry of piece) list.push(entry);
    from = to + 1;
  }
  const rest = Buffer.concat([
    bytes.subarray(0, open),
    Buffer.from(JSON.stringify(PLACE)),
    bytes.subarray(close + 1),
  ]);
  return withList(parsePiece(rest), list);
}

const OPEN = Buffer.from("[");
const CLOSE = Buffer.from("]");

function withList(rest: unknown, list: readonly unknown[]): unknown {
  if (rest === PLACE) return list;
  if (typeof rest !== "object" || rest === null || Array.isArray(rest)) return rest;
  return Object.fromEntries(
    Object.entries(rest).map(([name, value]) => [name, value === PLACE ? list : value]),
  );
}

type Decompress = (body: Buffer, limits: { maxOutputLength: number }) => Promise<Buffer>;

const DECOMPRESS: Readonly<Record<string, Decompress>> = {
  gzip: promisify(gunzip),
  "x-gzip": promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
};

/**
 * The body, decompressed to at most `maxBytes`: we ask for no compression, but a server or a proxy
 * may compress all the same. Rejects with ExchangeError.
 */
export async function bodyBytes(answer: HttpAnswer, maxBytes: number): Promise<Buffer> {
  const coding = answer.headers["content-encoding"]?.trim().toLowerCase() ?? "identity";
  if (coding === "identity" || coding === "") return answer.body;
  const decompress = DECOMPRESS[coding];
  if (decompress === undefined) {
    throw new ExchangeError("malformed", "the answer has an unknown compression");
  }
  try {
    return await decompress(answer.body, { maxOutputLength: maxBytes });
  } catch (cause) {
    if (cause instanceof RangeError) {
      const megabytes = Math.floor(maxBytes / 1_000_000);
      throw new ExchangeError("too_large", `the answer unpacks to over ${megabytes} MB`, { cause });
    }
    throw new ExchangeError("malformed", "the answer cannot be decompressed", { cause });
  }
}

/** So much of an answer is enough to say what is wrong with it. */
const START_BYTES = 65_536;

/** The beginning of a body for people, without the byte order mark. */
export function startOf(body: Buffer): string {
  const text = body.toString("utf8", 0, START_BYTES);
  return text.startsWith("\ufeff") ? text.slice(1) : text;
}
