import { keccakOfHex } from "../codec/keccak.ts";

const DIGITS = 512;
const BITS = 2_048;

/**
 * A test of the blooms of blocks (256 bytes with `0x`): whether a block may have a log with one of the items
 * of each list, its address and topics, all hexadecimal with `0x`. False is certain only of what a bloom
 * covers: chains may keep none (all zero), and some leave out the logs of their own transactions.
 * Source: Ethereum yellow paper, section 4.3.1, M3:2048.
 */
export function bloomTest(
  lists: readonly (readonly string[])[],
): (bloom: string | null) => boolean {
  const wanted = lists.map((items) => items.map(bitsOf));
  return (bloom) => {
    if (bloom?.length !== DIGITS + 2) return true;
    return wanted.every((items) => items.some((bits) => bits.every((bit) => hasBit(bloom, bit))));
  };
}

/** Whether a bloom says nothing: none was kept, or the block has no logs. */
export function isBlank(bloom: string | null): boolean {
  return bloom === null || /^0x0*$/.test(bloom);
}

function bitsOf(item: string): readonly number[] {
  const hash = keccakOfHex(item.slice(2));
  return [0, 4, 8].map((digit) => Number.parseInt(hash.slice(digit, digit + 4), 16) % BITS);
}

function hasBit(bloom: string, bit: number): boolean {
  // Bit 0 is the lowest of the last byte.
  const digit = bloom[DIGITS + 1 - Math.floor(bit / 4)] ?? "0";
  return ((Number.parseInt(digit, 16) >> (bit % 4)) & 1) === 1;
}
