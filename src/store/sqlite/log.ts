import { closeSync, openSync, readSync } from "node:fs";

/**
 * The log of a database: what was written last, in frames of one page each. SQLite reads it up to the first
 * frame that is not whole and drops the rest without a word, also where the rest was committed.
 */

// Source: sqlite.org/fileformat2.html, "The Write-Ahead Log".
const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
/** Its lowest bit says in which order the bytes of a sum are read. */
const MAGIC = 0x377f0682;
const PAGE_SIZE_AT = 8;
const SALT_AT = 16;
const SALT_BYTES = 8;
const HEADER_SUM_AT = 24;
const FRAME_SUM_AT = 16;
/** So much of a frame's header is in its sum. */
const SUMMED_BYTES = 8;

/** A log that is one; `frames` are whole, those after them are not. */
export interface Log {
  readonly frames: number;
  /** Other ones than before each time that the log begins anew. */
  readonly salt: Buffer;
}

/** Looks for `wanted` frames in a log; null: what is there is none. */
export function readLog(path: string, wanted: number): Log | null {
  const file = openSync(path, "r");
  try {
    const header = Buffer.alloc(HEADER_BYTES);
    if (readSync(file, header, 0, HEADER_BYTES, 0) < HEADER_BYTES) return null;
    const magic = header.readUInt32BE(0);
    if ((magic & ~1) !== MAGIC) return null;
    const sum = new Sum((magic & 1) === 1);
    sum.add(header, 0, HEADER_SUM_AT);
    if (!sum.stands(header, HEADER_SUM_AT)) return null;
    const salt = header.subarray(SALT_AT, SALT_AT + SALT_BYTES);
    const frame = Buffer.alloc(FRAME_HEADER_BYTES + header.readUInt32BE(PAGE_SIZE_AT));
    let frames = 0;
    for (; frames < wanted; frames++) {
      const at = HEADER_BYTES + frames * frame.length;
      if (readSync(file, frame, 0, frame.length, at) < frame.length) break;
      if (!frame.subarray(SUMMED_BYTES, SUMMED_BYTES + SALT_BYTES).equals(salt)) break;
      sum.add(frame, 0, SUMMED_BYTES);
      sum.add(frame, FRAME_HEADER_BYTES, frame.length);
      if (!sum.stands(frame, FRAME_SUM_AT)) break;
    }
    return { frames, salt };
  } finally {
    closeSync(file);
  }
}

/** The sum over a log from its beginning on, which each frame holds as it was behind it. */
class Sum {
  #first = 0;
  #second = 0;

  constructor(private readonly isBigEndian: boolean) {}

  add(bytes: Buffer, from: number, to: number): void {
    const word = (at: number): number =>
      this.isBigEndian ? bytes.readUInt32BE(at) : bytes.readUInt32LE(at);
    for (let at = from; at < to; at += 8) {
      this.#first = (this.#first + word(at) + this.#second) >>> 0;
      this.#second = (this.#second + word(at + 4) + this.#first) >>> 0;
    }
  }

  stands(bytes: Buffer, at: number): boolean {
    return bytes.readUInt32BE(at) === this.#first && bytes.readUInt32BE(at + 4) === this.#second;
  }
}
