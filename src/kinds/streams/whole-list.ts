import { add, compare, Decimal } from "../../base/decimal.ts";
import type { Holder } from "./top-list.ts";

/** What one answer shows of the holders of a token. */
export interface Shown {
  /** Everyone who holds anything, once; the largest first. */
  readonly holders: readonly Holder[];
  /** How long the list is that is wanted, and for how many was asked. */
  readonly top: number;
  readonly asked: number;
  /** Null: it is not known, and the last list that was whole tells what is left of it. */
  readonly supply: Decimal | null;
  readonly before: readonly Holder[] | null;
  /** How many holders there are, as the service says; null: it does not. */
  readonly total: number | null;
}

/**
 * Whether the list that is wanted can be told from what an answer shows. All that was asked for is
 * enough. What is shorter claims to show everyone, and then it must hold the whole supply; or it is
 * long enough all the same, and whoever is missing of the list before may stand behind its end. So
 * nobody has left because an answer was cut off.
 */
export function isWhole({ holders, top, asked, supply, before, total }: Shown): boolean {
  if (holders.length >= asked) return true;
  const held = sumOf(holders);
  if (supply !== null && compare(held, supply) === 0) return true;
  // More are said to be there than are shown.
  if (total !== null && holders.length < Math.min(total, top)) return false;
  if (supply === null && total === holders.length) return true;
  if (before === null) return holders.length >= top || supply === null;
  const missing = missingOf(before, holders);
  const last = holders.at(-1);
  if (holders.length >= top && last !== undefined) {
    return missing.every(({ balance }) => compare(balance, last.balance) <= 0);
  }
  return supply === null && (missing.length === 0 || compare(held, sumOf(before)) >= 0);
}

/** Whether the first of a list that is not whole is the largest: nobody is missing who held more. */
export function showsLargest({ holders, before }: Pick<Shown, "holders" | "before">): boolean {
  const [first] = holders;
  if (first === undefined) return false;
  return missingOf(before ?? [], holders).every(
    ({ balance }) => compare(balance, first.balance) <= 0,
  );
}

/** Those of a list who are not on another one. */
export function missingOf(list: readonly Holder[], other: readonly Holder[]): readonly Holder[] {
  const wallets = new Set(other.map(({ wallet }) => wallet));
  return list.filter(({ wallet }) => !wallets.has(wallet));
}

export function sumOf(holders: readonly Holder[]): Decimal {
  return holders.reduce((sum, { balance }) => add(sum, balance), Decimal.ZERO);
}
