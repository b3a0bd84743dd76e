import { type Form, type Item, lackOf, type Order } from "./item.ts";
import { type Entries, isClose, pairUp } from "./pairs.ts";

/** Entries that cannot be told apart, one of them, and how many there are. */
export interface Twins<T> {
  readonly item: Item<T>;
  readonly count: number;
}

/** So many contents, each as often as the others, are not there twice by chance. */
const FEWEST_REPEATED = 10;

/**
 * What the pages of one round show of a list. They overlap, and the list may move between two
 * requests, so that an entry which two pages show is the same one; but what one page shows twice is
 * there twice, unless all of the page is repeated: then the service repeats itself.
 */
export class View<T> {
  readonly #kinds: Kind<T>[] = [];
  /** Places of which some page shows all. */
  readonly #inside = new Set<number>();
  /** Neighbours whose block is higher, or lower, than that of the one before. */
  #rising = 0;
  #falling = 0;

  add(page: readonly Item<T>[]): void {
    let before: number | null = null;
    for (const { place } of page) {
      if (before !== null && place > before) this.#rising += 1;
      if (before !== null && place < before) this.#falling += 1;
      before = place;
    }
    for (const place of placesInside(page)) this.#inside.add(place);
    const shown = kindsOf(page);
    if (this.#kinds.length === 0) {
      for (const one of shown) this.#kinds.push(one);
      return;
    }
    const isOpen = ({ place }: Entries): boolean => !this.#inside.has(place);
    const { pairs, nowLeft } = pairUp(this.#kinds, shown, {
      ofName: (likeness, old, now) => !(isOpen(old) || isOpen(now)) || isClose(likeness),
      ofBlock: (likeness, _old, now) => !isOpen(now) || isClose(likeness),
    });
    for (const { old, now, count } of pairs) this.#refine(old, now, count);
    const known = new Map(this.#kinds.map((one) => [one.hash, one]));
    for (const [now, count] of nowLeft) {
      const same = known.get(now.hash);
      if (same === undefined) this.#kinds.push(new Kind(now.item, count));
      else same.count += count;
    }
  }

  /** What several pages show is there once, in the fullest form. */
  #refine(old: Kind<T>, { item, hash }: Kind<T>, count: number): void {
    if (old.hash === hash || lackOf(item.form) >= lackOf(old.form)) return;
    const left = old.count - count;
    if (left === 0) {
      old.item = item;
      return;
    }
    old.count = left;
    this.#kinds.splice(this.#kinds.indexOf(old) + 1, 0, new Kind(item, count));
  }

  /** Each content once, in the order in which it was first shown. */
  kinds(): readonly Twins<T>[] {
    return this.#kinds;
  }

  /** The earliest entry; undefined: there is none. */
  get earliest(): Item<T> | undefined {
    return this.kinds().reduce<Item<T> | undefined>(
      (least, { item }) => (least === undefined || item.place < least.place ? item : least),
      undefined,
    );
  }

  /** The latest time that any entry tells, epoch milliseconds. */
  get latestAt(): number | null {
    return this.kinds().reduce<number | null>(
      (most, { item }) => (item.at !== null && (most === null || item.at > most) ? item.at : most),
      null,
    );
  }

  /**
   * The same, oldest first. Within a block it goes by the pages: what
   * they show later is older if they show older blocks later. Where they show one block only, it
   * goes by the order of the list.
   */
  sorted(order: Order | null): readonly Twins<T>[] {
    const rising =
      this.#rising === this.#falling ? order === "oldest first" : this.#rising > this.#falling;
    const turned = rising ? this.kinds() : this.kinds().toReversed();
    return turned.toSorted((a, b) => a.item.place - b.item.place);
  }
}

class Kind<T> implements Entries, Twins<T> {
  constructor(
    public item: Item<T>,
    public count: number,
  ) {}

  get hash(): string {
    return this.item.hash;
  }

  get place(): number {
    return this.item.place;
  }

  get form(): Form | null {
    return this.item.form ?? null;
  }

  get unique(): boolean {
    return this.item.unique === true;
  }
}

/** What a page shows, each content once, in its order. */
function kindsOf<T>(page: readonly Item<T>[]): Kind<T>[] {
  const kinds = new Map<string, Kind<T>>();
  for (const item of page) {
    const key = (item.unique === true ? item.form?.name : null) ?? item.hash;
    const known = kinds.get(key);
    if (known === undefined) kinds.set(key, new Kind(item, 1));
    else if (item.unique !== true) known.count += 1;
    else if (lackOf(item.form) < lackOf(known.form)) kinds.set(key, new Kind(item, 1));
  }
  const times = repetitions([...kinds.values()].map(({ count }) => count));
  for (const one of kinds.values()) one.count /= times;
  return [...kinds.values()];
}

/** The places between the ends of a page: at its ends it may be cut off. */
function placesInside(page: readonly Item<unknown>[]): readonly number[] {
  const places = new Set(page.map(({ place }) => place));
  return [...places].toSorted((a, b) => a - b).slice(1, -1);
}

/** How often a page shows all that it shows: 1 unless it is repeated as a whole. */
function repetitions(counts: readonly number[]): number {
  if (counts.length < FEWEST_REPEATED) return 1;
  let divisor = 0;
  for (const count of counts) {
    let [a, b] = [divisor, count];
    while (b > 0) [a, b] = [b, a % b];
    if (a === 1) return 1;
    divisor = a;
  }
  return divisor;
}
