import { kindOf } from "../base/settings.ts";
import { shown } from "../engine/quantity-error.ts";
import type { TargetSpec } from "../watches/watch.ts";

const POOL_DIGITS = 64;
const ADDRESS_DIGITS = 40;
/** NFT ids are 256-bit numbers. */
const LARGEST_NFT = (1n << 256n) - 1n;

/** What is wrong with the id of a target, in the user's words; null if it is good. */
export function idTrouble(raw: unknown, targets: TargetSpec): string | null {
  if (raw === undefined) return "the target has no id";
  if (raw === null) return "has no value";
  if (typeof raw !== "string") return `is ${kindOf(raw)}`;
  const hex = /^0x([0-9a-f]*)$/i.exec(raw)?.[1];
  if (targets.key === "pools" && hex !== undefined && hex.length !== POOL_DIGITS) {
    const count = `has ${hex.length} hex digits, and a pool id has ${POOL_DIGITS}`;
    return hex.length === ADDRESS_DIGITS ? `${count}; it looks like an address` : count;
  }
  if (targets.key === "positions" && /^\d+$/.test(raw)) {
    if (raw.length > 78) return `has ${raw.length} digits, and an NFT id has 78 at most`;
    return BigInt(raw) > LARGEST_NFT ? "is above 2^256 - 1, the largest NFT id" : null;
  }
  if (targets.id?.pattern.test(raw) === true) return null;
  return `${shown(raw)} is no id`;
}
