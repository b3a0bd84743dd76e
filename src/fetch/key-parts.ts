import { type Letters, lettersOf } from "./letters.ts";

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
export class KeyParts {
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
