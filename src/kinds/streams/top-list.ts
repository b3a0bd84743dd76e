import { compare, type Decimal, isZero, parseDecimal } from "../../base/decimal.ts";

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
  if (text === null) return null;
  let raw: unknown;
  try {
    raw = JSON.parse(text);
  } catch {
    return null;
  }
  if (!Array.isArray(raw)) return null;
  const items: readonly unknown[] = raw;
  const list: Holder[] = [];
  for (const item of items) {
    const parts: readonly unknown[] = Array.isArray(item) ? item : [];
    const [wallet, amount] = parts;
    const balance = typeof amount === "string" ? parseDecimal(amount) : null;
    if (typeof wallet !== "string" || balance === null) return null;
    list.push({ wallet, balance });
  }
  return list;
}
