import { keccakOfHex } from "../codec/keccak.ts";

const DIGITS = 512;
const BITS = 2_048;

/**
 * A test of the blooms of blocks (256 bytes with `0x`): whether a block may have a log of one of the
 * addresses with one of the topics; both are hexadecimal with `0x`. False is certain only of what a bloom
 * covers: chains may keep none (all zero), and some leave out the logs of their own transactions.
 * Source: Ethereum yellow paper, section 4.3.1, M3:2048.
 */
export function bloomTest(
  addresses: readonly string[],
  topics: readonly string[],
): (bloom: string | null) => boolean {
  const [places, events] = [addresses.map(bitsOf), topics.map(bitsOf)];
  return (bloom) => {
    if (bloom?.length !== DIGITS + 2) return true;
    const has = (bits: readonly number[]): boolean => bits.every((bit) => hasBit(bloom, bit));
    return places.some(has) && events.some(has);
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
