import { isMap } from "../../base/json.ts";
import { bigQuantity, hashOf, quantity } from "./words.ts";

/** What names a block, and when it was made. */
export interface Header {
  readonly number: number;
  /** 32 bytes with `0x`, in lower case. */
  readonly hash: string;
  readonly parent: string;
  /** Epoch milliseconds; chains tell whole seconds. */
  readonly time: number;
  /** Wei per gas; null before EIP-1559. */
  readonly baseFee: bigint | null;
  readonly gasUsed: bigint;
  readonly gasLimit: bigint;
}

/** Null for what is no mined block. */
export function readHeader(value: unknown): Header | null {
  if (!isMap(value)) return null;
  const number = quantity(value.number);
  const hash = hashOf(value.hash);
  const parent = hashOf(value.parentHash);
  const seconds = quantity(value.timestamp);
  const gasUsed = bigQuantity(value.gasUsed);
  const gasLimit = bigQuantity(value.gasLimit);
  if (number === null || hash === null || parent === null || seconds === null) return null;
  if (gasUsed === null || gasLimit === null) return null;
  const baseFee = bigQuantity(value.baseFeePerGas);
  return { number, hash, parent, time: seconds * 1_000, baseFee, gasUsed, gasLimit };
}
