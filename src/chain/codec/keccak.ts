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
