import { type Stream, uniform } from "./noise.ts";

/** So many random hex digits (a multiple of 8) after `0x`: hashes and addresses that mean nothing. */
export function hexOf(of: Stream, index: number, digits: number): string {
  let text = "0x";
  for (let word = 0; word < digits / 8; word += 1) {
    text += Math.floor(uniform(of, index * 8 + word) * 2 ** 32)
      .toString(16)
      .padStart(8, "0");
  }
  return text;
}
