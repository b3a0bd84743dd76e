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
