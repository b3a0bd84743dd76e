import { type Item, isLast, type Order, orderOf, type Sizes, type Want } from "./item.ts";
import { Known } from "./known.ts";
import type { Memory } from "./memory.ts";
import { View } from "./view.ts";

/** A round has five waves; the last one is left for what entries need besides. */
const MOST_WAVES = 4;
/** While the end of a list is looked for, each page lies so much further than the one before. */
const STRIDE = 4;
/** So many of the newest entries may be absurd or undone without anybody taking alarm. */
const DOUBTFUL = 5;
/** This part of a small page must be known before nothing new is expected behind it. */
const KNOWN_PART = 5;

/** What the pages of one round have shown. */
export interface Walked<T> {
  readonly view: View<T>;
  readonly order: Order | null;
  readonly end: number | null;
  readonly search: Memory["search"];
  /** All of the list was read, or all that came after what was known. */
  readonly reach: "whole" | "joined" | "apart";
}

type Pages<T> = readonly (readonly Item<T>[])[];
type Step<T, R> = Generator<readonly Want[], R, Pages<T>>;
/** Yields the pages that it wants next and is sent them. */
export type Walk<T> = Step<T, Walked<T>>;

/**
 * Reads a list from where it was left, in the fewest pages. The first step always yields one page,
 * the same for the same memory.
 */
export function walk<T>(before: Memory | null, sizes: Sizes): Walk<T> {
  return new Walker<T>(before, sizes).run();
}

class Walker<T> {
  #view = new View<T>();
  #waves = 0;
  /** There was a baseline, so that what is not known is news. */
  readonly #begun: boolean;
  readonly #seen: number;
  /** The list has not gone back while it shows something from here or later. */
  readonly #newest: number | null;

  constructor(
    private readonly before: Memory | null,
    private readonly sizes: Sizes,
  ) {
    const seen = before?.seen ?? null;
    this.#begun = seen !== null;
    this.#seen = seen?.length ?? 0;
    this.#newest = seen?.at(-DOUBTFUL)?.place ?? seen?.[0]?.place ?? null;
  }

  *run(): Walk<T> {
    const { small, big, lap } = this.sizes;
    const { order = null, end = null, search = null } = this.before ?? {};
    if (search !== null) return yield* this.findEnd(search.low, search.high);
    if (order === "oldest first" && end !== null) {
      const offset = Math.max(0, end - lap);
      const tail = yield* this.page(offset, big);
      if (tail === null) return this.apart(order, { end });
      if (offset === 0 && isLast(tail.length, big)) return this.whole(order, tail.length);
      if (this.goesOn(tail)) return yield* this.readOn(offset, tail);
      // The list is shorter than it was, or sorted otherwise: it is looked at anew.
      this.#view = new View();
    }
    const head = yield* this.page(0, small);
    if (head === null) return this.apart(order, { end });
    if (isLast(head.length, small)) return this.whole(null, null);
    if (order === "newest first" && this.isCurrent(head)) return yield* this.readBack(small);
    const rest = yield* this.page(small - lap, big);
    if (rest === null) return this.apart(order, { end });
    const found = orderOf(head, rest) ?? order;
    if (isLast(rest.length, big)) return this.whole(found, small - lap + rest.length);
    if (found === "newest first") return yield* this.readBack(small - lap + big);
    if (found !== "oldest first") return yield* this.readAll(found, small - lap + big);
    // What was known is at the front: all that follows is news.
    const follows = this.#begun && (this.#seen === 0 || this.remembers());
    return follows ? yield* this.readOn(small - lap, rest) : yield* this.findEnd(small - lap, null);
  }

  /** Newest first: from page to page until what is known is reached. */
  private *readBack(from: number): Walk<T> {
    const { small, big, lap } = this.sizes;
    const order = "newest first";
    if (!this.#begun) return this.apart(order, {});
    let covered = from;
    let count = 1;
    while (!this.isJoined()) {
      // The first page that catches up begins at the front: it shows what has come meanwhile.
      const first = covered === small ? 0 : covered - lap;
      const wants = Array.from({ length: count }, (_, i) => first + i * (big - lap));
      const pages = yield* this.pages(wants.map((offset) => ({ offset, limit: big })));
      if (pages === null) return this.apart(order, {});
      if (pages.some((page) => isLast(page.length, big))) return this.whole(order, null);
      covered = (wants.at(-1) ?? first) + big;
      count = covered === big ? 2 : count * 2;
    }
    return this.joined(order, null);
  }

  /** Oldest first: from a page that is known on to the end, or as far as the time allows. */
  private *readOn(from: number, page: readonly Item<T>[]): Walk<T> {
    const { big, lap } = this.sizes;
    let offset = from;
    let last = page;
    while (!isLast(last.length, big)) {
      const next = yield* this.page(offset + big - lap, big);
      if (next === null) break;
      offset += big - lap;
      last = next;
    }
    return this.joined("oldest first", offset + last.length);
  }

  /** In no order, or in one that cannot be told: all of it is read. */
  private *readAll(order: Order | null, from: number): Walk<T> {
    const { big, lap } = this.sizes;
    let covered = from;
    let count = 2;
    for (;;) {
      const wants = Array.from({ length: count }, (_, i) => ({
        offset: covered - lap + i * (big - lap),
        limit: big,
      }));
      const pages = yield* this.pages(wants);
      if (pages === null) return this.apart(order, {});
      if (pages.some((one) => isLast(one.length, big))) return this.whole(order, null);
      covered = (wants.at(-1)?.offset ?? 0) + big;
      count *= 2;
    }
  }

  /**
   * Oldest first: looks for the end, which lies after the full page at `low`, by longer and longer
   * strides and then by halves. What it has found out by the end of a round is gone on from.
   */
  private *findEnd(low: number, high: number | null): Walk<T> {
    const { big, lap } = this.sizes;
    let [least, most] = [low, high];
    for (;;) {
      const offset = this.probe(least, most);
      const page = yield* this.page(offset, big);
      if (page === null) {
        this.#view = new View();
        return this.apart("oldest first", { search: { low: least, high: most } });
      }
      if (page.length === 0) {
        most = offset;
        if (offset === 0) return this.whole(null, null);
        continue;
      }
      if (!isLast(page.length, big)) {
        // It may have grown beyond what was the end.
        if (most !== null && most <= offset + big) return yield* this.endAt(offset, page);
        least = offset;
        continue;
      }
      if (page.length >= lap || offset === 0) return yield* this.endAt(offset, page);
      // So few of the newest would not tell what is news in the next round.
      most = offset + page.length;
      const before = Math.max(0, most - Math.floor(big / 2));
      least = Math.max(0, before - big);
      const wider = yield* this.page(before, big);
      if (wider !== null) return yield* this.endAt(before, wider);
    }
  }

  /** The end was found, or all but: what was read on the way to it does not count. */
  private *endAt(offset: number, page: readonly Item<T>[]): Walk<T> {
    this.#view = new View();
    this.#view.add(page);
    const walked = yield* this.readOn(offset, page);
    return { ...walked, reach: this.remembers() ? "joined" : "apart" };
  }

  /** Where to look for the end next. */
  private probe(low: number, high: number | null): number {
    const { big, lap } = this.sizes;
    if (high === null) return STRIDE * (low + big);
    if (high <= low + big - lap) return Math.max(0, high - big + lap);
    if (high <= low + 2 * (big - lap)) return low + big - lap;
    return Math.floor((low + high) / 2);
  }

  private *page(offset: number, limit: number): Step<T, readonly Item<T>[] | null> {
    const pages = yield* this.pages([{ offset, limit }]);
    return pages?.[0] ?? null;
  }

  /** Null: there is no time left for them in this round. */
  private *pages(wants: readonly Want[]): Step<T, Pages<T> | null> {
    if (this.#waves >= MOST_WAVES) return null;
    this.#waves += 1;
    const pages = yield wants;
    for (const page of pages) this.#view.add(page);
    return pages;
  }

  /** Whether the page at the end of what was known shows it again. */
  private goesOn(tail: readonly Item<T>[]): boolean {
    return this.isCurrent(tail) && (this.#seen === 0 || this.remembers());
  }

  /** Whether a page shows anything as new as the newest known: an old answer does not. */
  private isCurrent(page: readonly Item<T>[]): boolean {
    const newest = this.#newest;
    return newest === null || page.some(({ place }) => place >= newest);
  }

  private known(): Known<T> {
    const { seen = null, floor = null } = this.before ?? {};
    return new Known({ seen, floor }, this.#view.kinds(), this.#view.earliest?.place ?? null);
  }

  private remembers(): boolean {
    return this.known().remembers;
  }

  /** Whether what is shown reaches back to what is known, so that nothing new lies behind it. */
  private isJoined(): boolean {
    // The block that a page ends in may go on behind it.
    const cut = this.#view.earliest?.place ?? 0;
    const before = this.known();
    let known = 0;
    let [oldestKnown, oldestNew] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    for (const one of before.shown) {
      const old = one.count - before.fresh(one);
      known += old;
      if (old > 0 && one.place > cut) oldestKnown = Math.min(oldestKnown, one.place);
      if (old < one.count) oldestNew = Math.min(oldestNew, one.place);
    }
    if (oldestNew === Number.POSITIVE_INFINITY) return true;
    return known >= this.sizes.small / KNOWN_PART && oldestKnown < oldestNew;
  }

  private whole(order: Order | null, length: number | null): Walked<T> {
    const end = order === "oldest first" ? length : null;
    return { view: this.#view, order, end, search: null, reach: "whole" };
  }

  private joined(order: Order, end: number | null): Walked<T> {
    return { view: this.#view, order, end, search: null, reach: "joined" };
  }

  private apart(
    order: Order | null,
    { end = null, search = null }: Partial<Pick<Walked<T>, "end" | "search">>,
  ): Walked<T> {
    const before = this.known();
    const known = before.shown.some((one) => before.fresh(one) < one.count);
    const reach = known && order === "newest first" ? "joined" : "apart";
    return { view: this.#view, order, end, search, reach };
  }
}
