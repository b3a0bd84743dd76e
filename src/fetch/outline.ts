import type { Failure } from "../model/index.ts";

/** Deeper than any record: an answer's list, an entry, its tokens. */
const DEEPEST = 16;
/** A record has thirty fields, and none of an object's are worth more. */
const MOST_KEYS = 1_000;
/** Lists come in pages of 1,000, and the hours of 90 days are 2,160. */
const MOST_ENTRIES = 5_000;
/** A piece ends with the first entry beyond so many bytes or values, and is refused with so many. */
const PIECE_BYTES = 64_000;
const PIECE_VALUES = 2_000;
const LARGEST_PIECE_BYTES = 512_000;
const LARGEST_PIECE_VALUES = 10_000;

const QUOTE = 34;
const COMMA = 44;
const OPEN_LIST = 91;
const ESCAPE = 92;
const CLOSE_LIST = 93;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;

/** An answer has more of something than any answer of the service. The message says of what. */
export class TooComplex extends Error {
  override readonly name = "TooComplex";
  constructor(
    readonly reason: Extract<Failure["reason"], "malformed" | "too_large">,
    message: string,
  ) {
    super(message);
  }
}

/** Where the long list of an answer lies, and the commas in it between which it can be parsed. */
export interface Cut {
  readonly open: number;
  readonly close: number;
  readonly commas: readonly number[];
}

/**
 * Looks over JSON byte by byte, in as many steps as one likes: how deep it goes, how much of it belongs
 * together, and where its long list can be cut. It checks no syntax; whoever parses does. Throws
 * TooComplex.
 */
export class Outline {
  #inText = false;
  #escaped = false;
  #depth = 0;
  /** At each depth: whether it is a list, and how many commas it had. */
  readonly #isList: boolean[] = [];
  readonly #counts: number[] = [];
  /** Where the piece began that goes on, and its values so far. */
  #from = 0;
  #values = 0;
  #open: { readonly at: number; readonly depth: number; readonly commas: number[] } | null = null;
  #cut: Cut | null = null;

  /** The bytes from `start` to `end`; the ones before were read. */
  read(bytes: Buffer, start: number, end: number): void {
    let at = start;
    while (at < end) {
      if (this.#inText) {
        at = this.#skipText(bytes, at, end);
        continue;
      }
      const byte = bytes[at];
      if (byte === QUOTE) this.#inText = true;
      else if (byte === COMMA) this.#comma(at);
      else if (byte === OPEN_LIST || byte === OPEN_OBJECT) this.#enter(byte === OPEN_LIST, at);
      else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) this.#leave(at);
      at += 1;
    }
    this.#mind(end);
  }

  /** Null: it is no longer than a piece may be, and is parsed as a whole. */
  end(length: number): Cut | null {
    this.#mind(length);
    return this.#cut;
  }

  #skipText(bytes: Buffer, start: number, end: number): number {
    let at = start;
    if (this.#escaped) {
      this.#escaped = false;
      at += 1;
    }
    for (; at < end; at += 1) {
      const byte = bytes[at];
      if (byte === QUOTE) {
        this.#inText = false;
        return at + 1;
      }
      if (byte !== ESCAPE) continue;
      at += 1;
      this.#escaped = at >= end;
    }
    return end;
  }

  #enter(isList: boolean, at: number): void {
    this.#values += 1;
    this.#depth += 1;
    if (this.#depth > DEEPEST)
      throw new TooComplex("malformed", `is nested more than ${DEEPEST} deep`);
    this.#isList[this.#depth] = isList;
    this.#counts[this.#depth] = 0;
    // A list that is all of the answer, or a field of it.
    const isOuter = this.#depth === 1 || (this.#depth === 2 && this.#isList[1] === false);
    if (!isList || !isOuter || this.#cut !== null || this.#open !== null) return;
    this.#open = { at, depth: this.#depth, commas: [] };
  }

  #leave(at: number): void {
    const open = this.#open;
    if (open !== null && open.depth === this.#depth) {
      // A short one need not be cut.
      if (open.commas.length > 0) {
        this.#mind(at);
        this.#cut = { open: open.at, close: at, commas: open.commas };
        this.#begin(at);
      }
      this.#open = null;
    }
    this.#depth -= 1;
  }

  #comma(at: number): void {
    this.#values += 1;
    const count = (this.#counts[this.#depth] ?? 0) + 1;
    this.#counts[this.#depth] = count;
    if (this.#isList[this.#depth] === true) {
      if (count >= MOST_ENTRIES)
        throw new TooComplex("too_large", `has a list of more than ${MOST_ENTRIES}`);
    } else if (count >= MOST_KEYS)
      throw new TooComplex("too_large", `has an object of more than ${MOST_KEYS} keys`);
    const open = this.#open;
    if (open === null || open.depth !== this.#depth) return;
    if (at - this.#from < PIECE_BYTES && this.#values < PIECE_VALUES) return;
    this.#mind(at);
    open.commas.push(at);
    this.#begin(at);
  }

  #begin(at: number): void {
    this.#from = at;
    this.#values = 0;
  }

  #mind(at: number): void {
    if (at - this.#from > LARGEST_PIECE_BYTES)
      throw new TooComplex("too_large", "has an entry that is too long");
    if (this.#values > LARGEST_PIECE_VALUES)
      throw new TooComplex("too_large", "has an entry of too many values");
  }
}
