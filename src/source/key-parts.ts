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

/** Where a part begins and ends in a text: UTF-16 offsets, the end excluded. */
export interface Part {
  readonly start: number;
  readonly end: number;
}

/**
 * Finds parts of a key in a text, however they are written: in any letter case, with escapes, with
 * something between the letters, backwards, in base64 or in hexadecimal digits.
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
    for (const run of text.matchAll(HEX_DIGITS)) {
      if (this.#isIn(hexTexts(run[0]))) parts.push(partOf(run));
    }
    for (const run of text.matchAll(BASE64)) {
      if (this.#isIn(base64Texts(run[0]))) parts.push(partOf(run));
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

/** What the digits say, wherever the first whole byte begins. */
function hexTexts(digits: string): readonly string[] {
  return [0, 1].map((skip) => Buffer.from(digits.slice(skip), "hex").toString("latin1"));
}

function base64Texts(digits: string): readonly string[] {
  return [0, 1, 2, 3].map((skip) => Buffer.from(digits.slice(skip), "base64").toString("latin1"));
}

function partOf({ 0: run, index }: RegExpExecArray): Part {
  return { start: index, end: index + run.length };
}
