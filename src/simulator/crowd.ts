import { type Stream, stream, uniform } from "./noise.ts";

/** Any number of wallets that are told apart by their index, each with an address of its own. */
export interface Crowd {
  /** In lower case; `index` is a whole number from 0 and below 2^32. */
  address(index: number): string;
  /** Whose address (in lower case) this is; null: nobody's in this crowd. */
  index(address: string): number | null;
}

/** Odd, so that multiplying by it (modulo 2^32) can be undone: the golden ratio's bits. */
const SPREAD = 0x9e3779b1;
const GATHER = inverseOf(SPREAD);

/**
 * The crowd of a name. The first eight digits of an address hold the index, spread over all
 * values, so that a wallet is found without a list of them all; the others follow from it.
 */
export function crowdOf(name: string): Crowd {
  const of = stream(0, `crowd:${name}`);
  const address = (index: number): string => {
    const head = hex((Math.imul(index, SPREAD) ^ of) >>> 0);
    return `0x${head}${[0, 1, 2, 3].map((part) => hex(bits(of, index * 4 + part))).join("")}`;
  };
  return {
    address,
    index: (text) => {
      const head = /^0x([0-9a-f]{8})[0-9a-f]{32}$/.exec(text)?.[1];
      if (head === undefined) return null;
      const index = Math.imul(Number.parseInt(head, 16) ^ of, GATHER) >>> 0;
      return address(index) === text ? index : null;
    },
  };
}

function bits(of: Stream, index: number): number {
  return Math.floor(uniform(of, index) * 2 ** 32);
}

function hex(word: number): string {
  return word.toString(16).padStart(8, "0");
}

/** The inverse of an odd number modulo 2^32, by Newton's iteration, which doubles the right bits. */
function inverseOf(odd: number): number {
  let inverse = odd;
  for (let bitsRight = 3; bitsRight < 32; bitsRight *= 2) {
    inverse = Math.imul(inverse, 2 - Math.imul(odd, inverse));
  }
  return inverse;
}
