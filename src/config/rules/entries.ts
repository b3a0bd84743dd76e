import { isMap } from "../../base/json.ts";
import type { TargetSpec } from "../../kinds/kind.ts";
import { errorAt, type Path, type Report, shown, typeOf } from "../../rules/finding.ts";
import type { Addresses } from "../settings/addresses.ts";
import type { Entry, Lists } from "./lists.ts";

/** Where targets come from beside the watch itself. */
export interface TargetContext {
  readonly lists: Lists;
  readonly addresses?: Addresses | undefined;
  /** Tells in a message about an entry of a list which rule uses it. */
  readonly user: string;
}

/**
 * The entries of a list of targets, those of `{list: NAME}` put in where it stands. `single`: one
 * entry may stand there without a list around it.
 */
export function entriesOf(
  raw: unknown,
  path: Path,
  single: boolean,
  expected: string,
  { lists, user }: TargetContext,
  report: Report,
): readonly Entry[] {
  const named = (item: unknown, at: Path): readonly Entry[] =>
    isMap(item) && "list" in item
      ? lists.entries(item, at, user, report)
      : [{ raw: item, path: at, report }];
  if (Array.isArray(raw)) {
    const items: readonly unknown[] = raw;
    if (items.length === 0) {
      report(errorAt("empty", path, "is empty: the rule would watch nothing", expected));
    }
    return items.flatMap((item, i) => named(item, [...path, i]));
  }
  const text = typeof raw === "string" && raw !== "";
  if ((isMap(raw) && "list" in raw) || (single && (text || isMap(raw)))) return named(raw, path);
  const what = raw === undefined ? "is missing" : typeOf(raw);
  report(errorAt("wrong-type", path, `${String(path.at(-1))} ${what}`, expected));
  return [];
}

const POOL_DIGITS = 64;
const ADDRESS_DIGITS = 40;
/** NFT ids are 256-bit numbers. */
const LARGEST_NFT = (1n << 256n) - 1n;
const ADDRESS = /^0x[0-9a-f]{40}$/i;

export const ADDRESS_EXPECTED = "an address, 0x and 40 hex digits";

/** What is wrong with the id of a target, in the user's words; null if it is good. */
export function idTrouble(raw: unknown, targets: TargetSpec): string | null {
  if (["token", "wallet", "to"].includes(targets.key ?? "")) return addressTrouble(raw);
  if (typeof raw !== "string") return otherTrouble(raw);
  if (targets.key === "pools") return poolTrouble(raw, targets);
  if (targets.key === "positions" && /^\d+$/.test(raw)) {
    if (raw.length > 78) return `has ${raw.length} digits, and an NFT id has 78 at most`;
    return BigInt(raw) > LARGEST_NFT ? "is above 2^256 - 1, the largest NFT id" : null;
  }
  if (targets.id?.pattern.test(raw) === true) return null;
  return `${shown(raw)} is not an id`;
}

/** Pools of version 4 have ids, and those of version 3 addresses. */
function poolTrouble(raw: string, { id }: TargetSpec): string | null {
  if (id?.pattern.test(raw) === true) return null;
  const isGood = (digits: number): boolean => id?.pattern.test(`0x${"0".repeat(digits)}`) === true;
  const fits = [POOL_DIGITS, ADDRESS_DIGITS].filter(isGood);
  const [digits = POOL_DIGITS] = fits;
  const what = digits === POOL_DIGITS ? "a pool id" : "a V3 pool's address";
  const trouble = fits.length > 1 ? null : hexTrouble(raw, digits, what);
  return trouble ?? `${shown(raw)} is not an id`;
}

/**
 * What is wrong with the address of a token or wallet; null if it is good. A letter case that holds a
 * wrong checksum (EIP-55) is only doubted, elsewhere.
 */
export function addressTrouble(raw: unknown): string | null {
  if (typeof raw !== "string") return otherTrouble(raw);
  if (ADDRESS.test(raw)) return null;
  return hexTrouble(raw, ADDRESS_DIGITS, "an address") ?? `${shown(raw)} is not an address`;
}

function otherTrouble(raw: unknown): string {
  if (raw === undefined) return "the target has no id";
  return typeOf(raw);
}

/** Says how long a hex number is that has the wrong length, or that it lacks its 0x. */
function hexTrouble(text: string, digits: number, what: string): string | null {
  const bare = new RegExp(`^[0-9a-f]{${digits}}$`, "i");
  if (bare.test(text)) return `has no 0x before its ${digits} hex digits`;
  const hex = /^0x([0-9a-f]*)$/i.exec(text)?.[1];
  if (hex === undefined || hex.length === digits) return null;
  const count = `has ${hex.length} hex digits, and ${what} has ${digits}`;
  if (hex.length === ADDRESS_DIGITS) return `${count}; it looks like an address`;
  return hex.length === POOL_DIGITS ? `${count}; it looks like a pool id` : count;
}
