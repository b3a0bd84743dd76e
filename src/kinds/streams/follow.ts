import { formatTime } from "../../base/clock.ts";
import { type Item, SIZES, type Sizes, type Want } from "./item.ts";
import { Known } from "./known.ts";
import { type Memory, readMemory, writeMemory } from "./memory.ts";
import type { Twins, View } from "./view.ts";
import { type Walked, walk } from "./walk.ts";

/** A page as it was answered; `failed`: not, or not in a way that can be read; undefined: not yet. */
export type PageAnswer<T> = readonly Item<T>[] | "failed" | undefined;

/** An entry that was not there before. */
export interface Fresh<T> {
  /** Tells it from every other: its content, and the how-manieth of such it is. */
  readonly id: string;
  readonly item: Item<T>;
  /** It was there before with less: the hash of the content that it is remembered by; null: it was not there. */
  readonly lacked: string | null;
}

/** What following a list has come to in a round. */
export type Followed<T> =
  | { readonly status: "asking"; readonly wants: readonly Want[] }
  | { readonly status: "failed" }
  | {
      readonly status: "read";
      /** Oldest first; none where there was no baseline before. */
      readonly fresh: readonly Fresh<T>[];
      /** This reading is the first. */
      readonly baseline: boolean;
      readonly cursor: string;
      /** What was missed, in clean words; null: nothing. */
      readonly gap: string | null;
    };

/** The page that a round begins with. */
export function firstWant(cursor: string | null, sizes: Sizes = SIZES): Want {
  const step = walk(readMemory(cursor), sizes).next();
  const [want] = step.done === true ? [] : step.value;
  return want ?? { offset: 0, limit: sizes.small };
}

/**
 * Follows a list whose order nobody tells, by the content of its entries: what it holds now and was
 * not seen before is new, each entry once. The list may grow between two requests and from round to
 * round; it is read in pages, those that are wanted next or what has come of those that are there.
 * `over`: there will be no other page in this round, so that one that is missing is one that failed.
 * Pure: the same pages and cursor mean the same.
 */
export function follow<T>(
  answer: (want: Want) => PageAnswer<T>,
  cursor: string | null,
  over: boolean,
  sizes: Sizes = SIZES,
): Followed<T> {
  const before = readMemory(cursor);
  const steps = walk<T>(before, sizes);
  let step = steps.next();
  while (step.done !== true) {
    const pages: (readonly Item<T>[])[] = [];
    const missing: Want[] = [];
    for (const want of step.value) {
      const page = answer(want);
      if (page === "failed") return { status: "failed" };
      if (page === undefined) missing.push(want);
      else pages.push(page);
    }
    if (missing.length > 0) {
      return over ? { status: "failed" } : { status: "asking", wants: missing };
    }
    step = steps.next(pages);
  }
  return conclude(before, step.value, sizes);
}

function conclude<T>(before: Memory | null, walked: Walked<T>, sizes: Sizes): Followed<T> {
  const { view, order, end, search, reach } = walked;
  const shape = { order, end, search };
  const seen = before?.seen ?? null;
  if (search !== null) {
    // The end of the list is not found yet: until then nothing is new.
    const { floor = null, at = null } = before ?? {};
    const memory = { ...shape, seen, floor, at, lost: false };
    return read([], before, memory, null);
  }
  const earliest = view.earliest?.place ?? null;
  // Of the block that a page begins with some entries may stand on the page before.
  const cut = reach === "whole" ? null : earliest;
  if (before === null || seen === null) {
    const kept = new Known({ seen: [], floor: cut }, view.kinds(), cut).merged(sizes.keep, cut);
    return read([], before, { ...shape, ...kept, at: view.latestAt, lost: false }, null);
  }
  const sorted = view.sorted(order);
  const known = new Known(before, sorted, cut);
  const fresh = freshOf(known, sorted);
  const disordered = reach === "apart" && order !== "newest first" && order !== "oldest first";
  const missed = reach === "apart" && !disordered && fresh.some(({ lacked }) => lacked === null);
  const floor = missed ? highest(before.floor, earliest) : before.floor;
  const at = highest(before.at, view.latestAt);
  const memory = { ...shape, ...known.merged(sizes.keep, floor), at, lost: disordered };
  const gap = missed
    ? missedSince(before.at, view)
    : disordered && !before.lost
      ? "the list is in no order of time and too long to be read whole"
      : null;
  return read(fresh, before, memory, gap);
}

function read<T>(
  fresh: readonly Fresh<T>[],
  before: Memory | null,
  memory: Memory,
  gap: string | null,
): Followed<T> {
  const baseline = (before?.seen ?? null) === null;
  return { status: "read", fresh, baseline, cursor: writeMemory(memory), gap };
}

/** What is shown and was not seen, and what was seen with less; oldest first. */
function freshOf<T>(known: Known<T>, sorted: readonly Twins<T>[]): Fresh<T>[] {
  const fresh = new Map<Item<T>, Fresh<T>[]>(sorted.map(({ item }) => [item, []]));
  const serials = new Map<string, number>();
  const next = (key: string, before: number): number => {
    const serial = (serials.get(key) ?? before) + 1;
    serials.set(key, serial);
    return serial;
  };
  for (const { now, old, count } of known.gained()) {
    for (let i = 0; i < count; i += 1) {
      const nth = next(`${now.hash} ${old.hash}`, known.alike(now));
      const id = `${now.hash}:${nth}.${old.hash}`;
      fresh.get(now.item)?.push({ id, item: now.item, lacked: old.hash });
    }
  }
  for (const now of known.shown) {
    const key = now.form?.name ?? now.hash;
    for (let i = known.fresh(now); i > 0; i -= 1) {
      const id = `${now.hash}:${next(key, known.remembered(now))}`;
      fresh.get(now.item)?.push({ id, item: now.item, lacked: null });
    }
  }
  return [...fresh.values()].flat();
}

function missedSince(at: number | null, view: View<unknown>): string {
  const until = view.earliest?.at ?? null;
  if (at === null || until === null) return "more has come since than could be read";
  return `what came between ${formatTime(at)} and ${formatTime(until)} could not be read`;
}

function highest(a: number | null, b: number | null): number | null {
  return a === null ? b : b === null ? a : Math.max(a, b);
}
