import type { Secret } from "./text.ts";

const HIDDEN = "[redacted]";
/** A shorter key may be part of an ordinary word, and is one only where it stands alone. */
const SHORTEST = 8;
/** What is even shorter is no secret worth the name, and stands in everything. */
const SHORTEST_ALONE = 4;

/** Patterns that find a key in a text; kept, since making one costs more than using it. */
const patterns = new WeakMap<Secret, RegExp | null>();

const allParts = new WeakMap<Secret, KeyParts>();

/**
 * The text without the key, however a service repeats it: in any letter case, percent-encoded (once
 * or several times, as a whole or in part), with the escapes of JSON or of HTML, with gaps where
 * something was cleaned away, and without what is left of it after a cut or in another encoding.
 */
export function withoutKey(text: string, key: Secret): string {
  const pattern = patternOf(key);
  return withoutParts(pattern === null ? text : text.replaceAll(pattern, HIDDEN), key);
}

/** The text without parts of the key. */
function withoutParts(text: string, key: Secret): string {
  let parts = allParts.get(key);
  if (parts === undefined) {
    parts = new KeyParts(key.reveal());
    allParts.set(key, parts);
  }
  let clean = "";
  let from = 0;
  for (const { start, end } of joined(parts.find(text))) {
    clean += `${text.slice(from, start)}${HIDDEN}`;
    from = end;
  }
  return clean + text.slice(from);
}

/** In their order, those that touch as one. */
function joined(parts: readonly Part[]): readonly Part[] {
  const found: Part[] = [];
  for (const { start, end } of parts.toSorted((a, b) => a.start - b.start)) {
    const last = found.at(-1);
    if (last === undefined || start > last.end) found.push({ start, end });
    else found[found.length - 1] = { start: last.start, end: Math.max(last.end, end) };
  }
  return found;
}

/** The longest form in which a key is found, in characters. */
export function longestForm(key: Secret): number {
  return key.reveal().length * LONGEST_LETTER;
}

/** Nine characters for each of the four bytes of a letter, and a gap. */
const LONGEST_LETTER = 40;

function patternOf(key: Secret): RegExp | null {
  let pattern = patterns.get(key);
  if (pattern === undefined) {
    pattern = makePattern(key.reveal());
    patterns.set(key, pattern);
  }
  return pattern;
}

function makePattern(key: string): RegExp | null {
  if (key.length < SHORTEST_ALONE) return null;
  const written = Array.from(key, formsOf).join(" ?");
  const alone = key.length < SHORTEST;
  return new RegExp(
    alone ? String.raw`(?<![\p{L}\p{N}])${written}(?![\p{L}\p{N}])` : written,
    "giu",
  );
}

const NAMED: Readonly<Record<string, string>> = {
  "&": "amp",
  "<": "lt",
  ">": "gt",
  '"': "quot",
  "'": "apos",
};

/** The ways in which one letter may be written; all are bounded, so that no text takes long. */
function formsOf(letter: string): string {
  const code = letter.codePointAt(0) ?? 0;
  const percent = Array.from(
    new TextEncoder().encode(letter),
    (byte) => `%(?:25){0,3}${hex(byte)}`,
  );
  const units = Array.from({ length: letter.length }, (_, i) => letter.charCodeAt(i));
  const forms = [
    String.raw`\\{0,4}\u{${hex(code)}}`,
    percent.join(""),
    units.map((unit) => String.raw`\\{1,4}u${hex(unit).padStart(4, "0")}`).join(""),
    `&#0{0,4}${code};`,
    `&#x0{0,4}${hex(code)};`,
  ];
  if (code < 256) forms.push(String.raw`\\{1,4}x${hex(code).padStart(2, "0")}`);
  if (letter === " ") forms.push(String.raw`\+`);
  const named = NAMED[letter];
  if (named !== undefined) forms.push(`&${named};`);
  return `(?:${forms.join("|")})`;
}

function hex(value: number): string {
  return value.toString(16).padStart(2, "0");
}

/** The letters and digits of a text in lower case, each with the place from which it was read. */
export interface Letters {
  readonly text: string;
  /** UTF-16 offsets, by letter; the end excluded. */
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

/** One letter as URLs, JSON and HTML may write it; the escapes may be escaped themselves. */
const ESCAPED =
  /%(?:25){0,3}([0-9a-f]{2})|\\{1,4}u([0-9a-f]{4})|\\{0,4}u\{([0-9a-f]{1,6})\}|\\{1,4}x([0-9a-f]{2})|&#0{0,4}([1-9]\d{0,6});|&#x0{0,4}([0-9a-f]{1,6});/gi;
/** The group above whose number is decimal. */
const DECIMAL = 4;

/** The letters of a text; `escapes`: as they are meant where they are written with escapes. */
function lettersOf(text: string, escapes = true): Letters {
  const found = new Found();
  let from = 0;
  if (escapes) {
    for (const { 0: whole, index, ...groups } of text.matchAll(ESCAPED)) {
      found.addAll(text, from, index);
      const codes = [groups[1], groups[2], groups[3], groups[4], groups[5], groups[6]];
      const at = codes.findIndex((code) => code !== undefined);
      from = index + whole.length;
      found.add(Number.parseInt(codes[at] ?? "", at === DECIMAL ? 10 : 16), index, from);
    }
  }
  found.addAll(text, from, text.length);
  return found;
}

/** What turns a capital into a small letter. */
const SMALL = 32;

class Found implements Letters {
  text = "";
  readonly starts: number[] = [];
  readonly ends: number[] = [];

  addAll(text: string, start: number, end: number): void {
    for (let at = start; at < end; at += 1) this.add(text.charCodeAt(at), at, at + 1);
  }

  add(code: number, start: number, end: number): void {
    const isCapital = code >= 65 && code <= 90;
    if (!isCapital && !(code >= 97 && code <= 122) && !(code >= 48 && code <= 57)) return;
    this.text += String.fromCharCode(isCapital ? code + SMALL : code);
    this.starts.push(start);
    this.ends.push(end);
  }
}

/** So many letters and digits of a key in a row are a part of it; of hexadecimal ones more, by chance. */
const PART = 8;
const PART_OF_HEX = 12;
const HEX_ONLY = /^[0-9a-f]*$/;
/** `tw_live_…`: what stands before the secret part is the same in every key, and no secret. */
const PUBLIC_PREFIX = /^(?:[a-z]{1,8}[_-]){1,2}(?=[^_-]{12,}$)/i;
/** Digits of base64 that may hold a part, in either alphabet. */
const BASE64 = /[A-Za-z0-9+/_-]{11,}={0,2}/g;
const HEX_DIGITS = /[0-9a-f]{16,}/gi;
const BASE32 = /[A-Z2-7]{13,}/gi;
/** Bytes as numbers or pairs of digits, as a dump or a list in JSON has them. */
const NUMBERS = /\d{2,3}(?:[^\w]{1,4}\d{2,3}){7,}/g;
const HEX_PAIRS = /[0-9a-f]{2}(?:[^\w]{1,4}(?:0x)?[0-9a-f]{2}){7,}/gi;

/** Where a part begins and ends in a text: UTF-16 offsets, the end excluded. */
export interface Part {
  readonly start: number;
  readonly end: number;
}

/**
 * Finds parts of a key in a text, however they are written: in any letter case, with escapes, with
 * something between the letters, backwards, in base64 (once or twice), in base32, in hexadecimal digits,
 * or as the numbers of its bytes.
 */
class KeyParts {
  readonly #size: number;
  readonly #grams = new Set<string>();

  constructor(key: string) {
    const prefix = lettersOf(PUBLIC_PREFIX.exec(key)?.[0] ?? "", false).text.length;
    const { text } = lettersOf(key, false);
    this.#size = HEX_ONLY.test(text) ? PART_OF_HEX : PART;
    for (let at = 0; at + this.#size <= text.length; at += 1) {
      if (at + this.#size <= prefix) continue;
      const gram = text.slice(at, at + this.#size);
      this.#grams.add(gram);
      this.#grams.add([...gram].toReversed().join(""));
    }
  }

  /** Those that there are, in no order; they may overlap. */
  find(text: string): readonly Part[] {
    // A key that is shorter than a part has none.
    if (this.#grams.size === 0 || text.length < this.#size) return [];
    const letters = lettersOf(text);
    const parts = this.#partsIn(letters);
    const plain = lettersOf(text, false);
    if (plain.text !== letters.text) parts.push(...this.#partsIn(plain));
    for (const { pattern, decode } of CODES) {
      for (const run of text.matchAll(pattern))
        if (this.#isIn(decode(run[0]))) parts.push(partOf(run));
    }
    return parts;
  }

  #isIn(texts: readonly string[]): boolean {
    return texts.some((text) => this.#partsIn(lettersOf(text, false)).length > 0);
  }

  #partsIn({ text, starts, ends }: Letters): Part[] {
    const parts: Part[] = [];
    for (let at = 0; at + this.#size <= text.length; at += 1) {
      if (!this.#grams.has(text.slice(at, at + this.#size))) continue;
      parts.push({ start: starts[at] ?? 0, end: ends[at + this.#size - 1] ?? text.length });
    }
    return parts;
  }
}

/** What may hold a part, and what it says, wherever the first whole byte begins. */
const CODES: readonly { pattern: RegExp; decode: (run: string) => readonly string[] }[] = [
  { pattern: HEX_DIGITS, decode: hexTexts },
  { pattern: BASE64, decode: (run) => base64Texts(run).flatMap(withInner) },
  { pattern: BASE32, decode: base32Texts },
  { pattern: NUMBERS, decode: (run) => [textOf(run, /\d+/g, 10)] },
  { pattern: HEX_PAIRS, decode: (run) => [textOf(run, /[0-9a-f]{2}(?![0-9a-fx])/gi, 16)] },
];

function hexTexts(digits: string): readonly string[] {
  return [0, 1].map((skip) => Buffer.from(digits.slice(skip), "hex").toString("latin1"));
}

function base64Texts(digits: string): readonly string[] {
  return [0, 1, 2, 3].map((skip) => Buffer.from(digits.slice(skip), "base64").toString("latin1"));
}

/** A text, and what its base64 says. */
function withInner(text: string): readonly string[] {
  return [text, ...[...text.matchAll(BASE64)].flatMap(([inner]) => base64Texts(inner))];
}

const BASE32_DIGITS = "abcdefghijklmnopqrstuvwxyz234567";

/** Eight digits are five bytes; each place in them is tried. */
function base32Texts(run: string): readonly string[] {
  const bits = Array.from(run.toLowerCase(), (digit) =>
    BASE32_DIGITS.indexOf(digit).toString(2).padStart(5, "0"),
  ).join("");
  return [0, 1, 2, 3, 4, 5, 6, 7].map((skip) => textOf(bits.slice(skip), /[01]{8}/g, 2));
}

/** The numbers of a text as letters. */
function textOf(run: string, number: RegExp, base: number): string {
  return Array.from(run.matchAll(number), ([digits]) =>
    String.fromCharCode(Number.parseInt(digits, base)),
  ).join("");
}

function partOf({ 0: run, index }: RegExpExecArray): Part {
  return { start: index, end: index + run.length };
}
