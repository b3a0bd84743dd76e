import { keccak_256 } from "@noble/hashes/sha3.js";
import { type Path, type Report, warningAt } from "../finding.ts";

const MIXED = /^0x(?=[0-9A-F]*[a-f])(?=[0-9a-f]*[A-F])([0-9a-fA-F]{40})$/;

/**
 * Whether the letter case of an address contradicts its checksum (EIP-55). One in a single case has
 * none, and what is no address cannot be wrong in this way.
 */
export function hasWrongChecksum(address: string): boolean {
  const digits = MIXED.exec(address)?.[1];
  if (digits === undefined) return false;
  const lower = digits.toLowerCase();
  const hash = keccak_256(new TextEncoder().encode(lower));
  return [...digits].some((digit, i) => {
    const byte = hash[i >> 1] ?? 0;
    const nibble = i % 2 === 0 ? byte >> 4 : byte & 0xf;
    // A letter is a capital where the hash of the lower case says eight or more; digits have no case.
    const expected = nibble >= 8 ? (lower[i] ?? "").toUpperCase() : lower[i];
    return digit !== expected;
  });
}

/** Warns of an address at `path` that was hardly copied as it stands. */
export function lintChecksum(raw: unknown, path: Path, report: Report): void {
  if (typeof raw !== "string" || !hasWrongChecksum(raw)) return;
  report(
    warningAt(
      "wrong-checksum",
      path,
      "the checksum of this address is wrong: is one letter or digit mistyped?",
      "the address as it was shown where it comes from, or in lower case if it is right",
    ),
  );
}
