import type { Form } from "./form.ts";

/** One entry of a followed list, with all that following it needs to know. */
export interface Item<T> {
  /** A hash of the whole content: equal for entries that cannot be told apart. */
  readonly hash: string;
  /** Where it stands in the chain: its block number; that of its neighbour where it tells none. */
  readonly place: number;
  /** Its own time in epoch milliseconds; null: it does not tell. */
  readonly at: number | null;
  readonly value: T;
  /** Null, or absent: it cannot be told apart but by its content. */
  readonly form?: Form | null;
  /** It has a name that no other entry has: shown twice, in whatever form, it is there once. */
  readonly unique?: boolean;
}

/** How a list is sorted, as its pages have shown: `mixed` is in no order of time at all. */
export type Order = "newest first" | "oldest first" | "mixed";

/** A part of a list: so many entries at most, after so many others. */
export interface Want {
  readonly offset: number;
  readonly limit: number;
}

/** How much is read and remembered; all of them in entries. */
export interface Sizes {
  /** A page that is read in every round. */
  readonly small: number;
  /** A page for catching up: the most that the service gives. */
  readonly big: number;
  /**
   * By how much neighbouring pages overlap. A list that moves between two requests hides nothing as
   * long as it moves the wrong way by less; equal entries that lie closer are never mixed up.
   */
  readonly lap: number;
  /** So many of the newest are remembered, and all the others of their blocks. */
  readonly keep: number;
}

export const SIZES: Sizes = { small: 100, big: 1_000, lap: 50, keep: 200 };

/**
 * Whether nothing comes after a page. A page may lack a few that could not be read at all, so that
 * one which is almost full may have another behind it.
 */
export function isLast(length: number, limit: number): boolean {
  return length < limit - Math.floor(limit / 50);
}

/**
 * How a list is sorted, from its first page and one that lies behind it, whose first entries may be
 * the last of the first. The order within a page says nothing: a service may take the newest and
 * turn them around. Null: the pages do not differ.
 */
export function orderOf(
  first: readonly Item<unknown>[],
  later: readonly Item<unknown>[],
): Order | null {
  const shown = new Map<string, number>();
  for (const { hash } of first) shown.set(hash, (shown.get(hash) ?? 0) + 1);
  const behind = later.filter(({ hash }) => {
    const left = shown.get(hash) ?? 0;
    shown.set(hash, left - 1);
    return left <= 0;
  });
  if (behind.length === 0 || first.length === 0) return null;
  // All of the first page again, one page on: so much has come before it meanwhile.
  if (later.length - behind.length === first.length) return "newest first";
  // Quarters: a few entries that came late stand where they do not belong.
  const older = quarter(behind, 3) <= quarter(first, 1);
  const newer = quarter(behind, 1) >= quarter(first, 3);
  if (older && newer) return null;
  if (older) return "newest first";
  return newer ? "oldest first" : "mixed";
}

/** The place below which so many quarters of the items lie. */
function quarter(items: readonly Item<unknown>[], count: 1 | 3): number {
  const places = items.map(({ place }) => place).toSorted((a, b) => a - b);
  return places[Math.floor(((places.length - 1) * count) / 4)] ?? 0;
}
