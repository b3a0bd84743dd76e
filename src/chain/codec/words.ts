import { keccak_256 } from "@noble/hashes/sha3.js";

/** Keccak-256 of bytes, as 64 lower-case hexadecimal digits without a prefix. */
function keccak(bytes: Uint8Array): string {
  return Buffer.from(keccak_256(bytes)).toString("hex");
}

/** Keccak-256 of the bytes that an even count of hexadecimal digits stands for; likewise without a prefix. */
export function keccakOfHex(digits: string): string {
  return keccak(Buffer.from(digits, "hex"));
}

/** Keccak-256 of a text in UTF-8; likewise. */
export function keccakOfText(text: string): string {
  return keccak(Buffer.from(text, "utf8"));
}

/**
 * The words of 32 bytes of which calls, answers, slots and logs are made. Words are 64 lower-case
 * hexadecimal digits without a prefix; data is such digits after `0x`.
 */

const WORD = 64;
const MODULUS = 1n << 256n;

/** A whole number in [−2^255, 2^256), negative ones as two's complement. Throws RangeError outside of it. */
export function wordOf(value: bigint | number): string {
  if (typeof value === "number" && value >= 0 && Number.isSafeInteger(value)) {
    return value.toString(16).padStart(WORD, "0");
  }
  const whole = BigInt(value);
  if (whole >= MODULUS || whole < -(MODULUS >> 1n)) throw new RangeError("it fits in no word");
  return (whole < 0n ? whole + MODULUS : whole).toString(16).padStart(WORD, "0");
}

/** An address, or any shorter bytes that stand at a word's end: `0x` and hexadecimal digits. */
export function wordOfAddress(address: string): string {
  return address.slice(2).toLowerCase().padStart(WORD, "0");
}

/** How many whole words data has. */
export function wordsIn(data: string): number {
  return Math.floor((data.length - 2) / WORD);
}

/** The word at `index`; null where the data ends before. */
export function wordAt(data: string, index: number): string | null {
  const start = 2 + index * WORD;
  return data.length < start + WORD ? null : data.slice(start, start + WORD);
}

/** The unsigned number in the word at `index`; null where the data ends before, as where a contract has no code. */
export function uintAt(data: string, index: number): bigint | null {
  const word = wordAt(data, index);
  return word === null ? null : BigInt(`0x${word}`);
}

/** The signed number in the word at `index`; likewise. */
export function intAt(data: string, index: number): bigint | null {
  const value = uintAt(data, index);
  return value === null ? null : BigInt.asIntN(256, value);
}

/** The address in the word at `index`, in lower case; likewise. */
export function addressAt(data: string, index: number): string | null {
  const word = wordAt(data, index);
  return word === null ? null : `0x${word.slice(24)}`;
}

/** A number as small as a count, a tick or decimals; null where there is none, or a greater one. */
export function smallIntAt(data: string, index: number): number | null {
  const value = intAt(data, index);
  return value === null || value > LARGEST || value < -LARGEST ? null : Number(value);
}

const LARGEST = BigInt(Number.MAX_SAFE_INTEGER);

/** `bits` bits of a word from bit `low` on (0: the lowest), unsigned. */
export function bitsOf(word: bigint, low: number, bits: number): bigint {
  return (word >> BigInt(low)) & ((1n << BigInt(bits)) - 1n);
}

/** The tick in the 24 bits of a word from bit `low` on. */
export function tickIn(word: bigint, low: number): number {
  return Number(BigInt.asIntN(24, word >> BigInt(low)));
}

/** A text or bytes longer than this is no name. */
const LONGEST_TEXT = 4_096;

/**
 * The text at the offset that the word at `index` names, or, as the oldest tokens have it, in that word
 * itself (`bytes32`). What is no UTF-8 is replaced, and nothing is cleaned. Null where there is none.
 */
export function textAt(data: string, index: number): string | null {
  const head = uintAt(data, index);
  if (head === null) return null;
  if (wordsIn(data) === 1) return utf8((wordAt(data, 0) ?? "").replace(/(?:00)+$/, ""));
  const bytes = bytesAt(data, index);
  return bytes === null || bytes.length > 2 * LONGEST_TEXT ? null : utf8(bytes);
}

/** The bytes at the offset that the word at `index` names, as digits without a prefix; null where they do not fit in. */
export function bytesAt(data: string, index: number): string | null {
  const offset = uintAt(data, index);
  if (offset === null || offset > LARGEST) return null;
  const start = 2 + Number(offset) * 2;
  const length = uintAtDigit(data, start);
  if (length === null || length > LARGEST) return null;
  const end = start + WORD + Number(length) * 2;
  return data.length < end ? null : data.slice(start + WORD, end);
}

function uintAtDigit(data: string, start: number): bigint | null {
  return data.length < start + WORD ? null : BigInt(`0x${data.slice(start, start + WORD)}`);
}

function utf8(digits: string): string {
  return Buffer.from(digits, "hex").toString("utf8");
}

const HEX_NUMBER = /^0x[0-9a-f]{1,64}$/i;
const LOWER_DATA = /^0x[0-9a-f]*$/;
const HEX_DATA = /^0x[0-9a-f]*$/i;

/** A JSON-RPC quantity (`0x1b4`) as a number; null for anything else, and above 2^53. */
export function quantity(value: unknown): number | null {
  const whole = bigQuantity(value);
  return whole === null || whole > LARGEST ? null : Number(whole);
}

/** A JSON-RPC quantity of any size up to a word. */
export function bigQuantity(value: unknown): bigint | null {
  return typeof value === "string" && HEX_NUMBER.test(value) ? BigInt(value) : null;
}

/** A number as a JSON-RPC quantity. */
export function toQuantity(value: number | bigint): string {
  return `0x${value.toString(16)}`;
}

/** JSON-RPC data in lower case; null for anything else. */
export function hexData(value: unknown): string | null {
  if (typeof value !== "string" || value.length % 2 !== 0) return null;
  // Nearly all of it is so already, and may be long.
  if (LOWER_DATA.test(value)) return value;
  return HEX_DATA.test(value) ? value.toLowerCase() : null;
}

/** A hash of 32 bytes with `0x`, in lower case; null for anything else. */
export function hashOf(value: unknown): string | null {
  const data = hexData(value);
  return data?.length === 2 + WORD ? data : null;
}
