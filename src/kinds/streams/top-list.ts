import { chainById } from "../../base/chains.ts";
import {
  add,
  compare,
  Decimal,
  decimalFromInteger,
  isZero,
  parseDecimal,
} from "../../base/decimal.ts";
import { listOf, readJson } from "../../base/json.ts";
import type { Subject, Value } from "../../model/index.ts";
import type { Entry } from "../kind.ts";

/** A wallet of a list, and what it holds in raw units. */
export interface Holder {
  readonly wallet: string;
  readonly balance: Decimal;
}

/** Those of a page who hold anything, each once, by what they hold most; the largest first. */
export function distinctOf(page: readonly Holder[]): readonly Holder[] {
  const shown = new Map<string, Holder>();
  for (const one of page) {
    const known = shown.get(one.wallet);
    if (isZero(one.balance)) continue;
    if (known === undefined || compare(one.balance, known.balance) > 0) shown.set(one.wallet, one);
  }
  return [...shown.values()].toSorted((a, b) => compare(b.balance, a.balance));
}

/**
 * The largest of those that a page shows, largest first (`sorted`: each once). Of equal ones those count that were on the
 * list before; and one that was, holds as much as the last of the page and is not on it is behind it.
 * So whoever stays as rich as the last of the list stays on it, in whatever order equal ones come.
 */
export function topOf(
  sorted: readonly Holder[],
  before: readonly Holder[] | null,
  top: number,
  full: boolean,
): readonly Holder[] {
  const shown = new Map(sorted.map((one) => [one.wallet, one]));
  const last = sorted.at(-1);
  if (full && last !== undefined) {
    for (const one of before ?? []) {
      if (shown.has(one.wallet) || compare(one.balance, last.balance) !== 0) continue;
      shown.set(one.wallet, one);
    }
  }
  const members = new Set(before?.map(({ wallet }) => wallet));
  const rank = ({ wallet }: Holder): number => (members.has(wallet) ? 0 : 1);
  return [...shown.values()]
    .toSorted(
      (a, b) =>
        compare(b.balance, a.balance) || rank(a) - rank(b) || (a.wallet < b.wallet ? -1 : 1),
    )
    .slice(0, top);
}

/** The text that `readList` reads. */
export function writeList(list: readonly Holder[]): string {
  return JSON.stringify(list.map(({ wallet, balance }) => [wallet, balance.toString()]));
}

/** What `writeList` wrote; null for none, and for any other text. */
export function readList(text: string | null): readonly Holder[] | null {
  const items = text === null ? null : readJson(text);
  if (!Array.isArray(items)) return null;
  const list: Holder[] = [];
  for (const item of listOf(items)) {
    const [wallet, amount] = listOf(item);
    const balance = typeof amount === "string" ? parseDecimal(amount) : null;
    if (typeof wallet !== "string" || balance === null) return null;
    list.push({ wallet, balance });
  }
  return list;
}

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

/** Whether the first of an incomplete list is the largest holder. */
export function showsLargest({ holders, before }: Pick<Shown, "holders" | "before">): boolean {
  const [first] = holders;
  if (first === undefined) return false;
  return missingOf(before ?? [], holders).every(
    ({ balance }) => compare(balance, first.balance) <= 0,
  );
}

/** Those of a list who are not on another one. */
function missingOf(list: readonly Holder[], other: readonly Holder[]): readonly Holder[] {
  const wallets = new Set(other.map(({ wallet }) => wallet));
  return list.filter(({ wallet }) => !wallets.has(wallet));
}

export function sumOf(holders: readonly Holder[]): Decimal {
  return holders.reduce((sum, { balance }) => add(sum, balance), Decimal.ZERO);
}

/** Who left, with what they held and where they stood last; then who entered, the largest first. */
export function changesOf(
  before: readonly Holder[],
  now: readonly Holder[],
  { subject, date }: { readonly subject: Subject; readonly date: number },
): readonly Entry[] {
  const explorer = chainById(subject.chainId)?.explorer;
  const entry = (list: readonly Holder[], index: number, entered: boolean): Entry => {
    const holder = list[index];
    const wallet = holder?.wallet ?? "";
    const values: Readonly<Record<string, Value | null>> = {
      entered,
      left: !entered,
      wallet,
      balance: holder?.balance ?? null,
      rank: decimalFromInteger(index + 1),
    };
    return {
      // The same wallet may come and go again.
      id: `${date}:${entered ? "entered" : "left"}:${wallet}`,
      at: null,
      value: (name) => values[name] ?? null,
      link: explorer === undefined ? null : `${explorer}/address/${wallet}`,
    };
  };
  const missing = (from: readonly Holder[], of: readonly Holder[]): number[] =>
    missingOf(from, of).map((one) => from.indexOf(one));
  return [
    ...missing(before, now).map((i) => entry(before, i, false)),
    ...missing(now, before).map((i) => entry(now, i, true)),
  ];
}
