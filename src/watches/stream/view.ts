import type { Item, Order } from "./item.ts";
import { Shown, sortByLack } from "./shown.ts";

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
  readonly #kinds = new Map<string, Twins<T>>();
  /** How many of each content each page shows. */
  readonly #pages: ReadonlyMap<string, number>[] = [];
  /** Neighbours whose block is higher, or lower, than that of the one before. */
  #rising = 0;
  #falling = 0;

  add(page: readonly Item<T>[]): void {
    const counts = new Map<string, number>();
    let before: number | null = null;
    for (const item of page) {
      const { hash } = item;
      counts.set(hash, item.unique === true ? 1 : (counts.get(hash) ?? 0) + 1);
      if (!this.#kinds.has(hash)) this.#kinds.set(hash, { item, count: 0 });
      if (before !== null && item.place > before) this.#rising += 1;
      if (before !== null && item.place < before) this.#falling += 1;
      before = item.place;
    }
    const times = repetitions(counts);
    for (const [hash, shown] of counts) counts.set(hash, shown / times);
    this.#pages.push(counts);
    for (const [hash, count] of counts) {
      const known = this.#kinds.get(hash);
      if (known !== undefined && known.count < count) this.#kinds.set(hash, { ...known, count });
    }
  }

  /**
   * Takes entries that several pages show, some of them without some of their fields, for one each: the
   * fullest stays. What one page shows are different ones.
   */
  fold(): void {
    const kinds = [...this.#kinds.values()];
    const [first] = kinds;
    if (kinds.every(({ item }) => item.form?.lacks === first?.item.form?.lacks)) return;
    const shown = new Shown(this.#pages);
    for (const { item, count } of sortByLack(kinds)) {
      const left = shown.take(item, count);
      if (left === 0) this.#kinds.delete(item.hash);
      else if (left < count) this.#kinds.set(item.hash, { item, count: left });
    }
  }

  /** Each content once, in the order in which it was first shown. */
  kinds(): readonly Twins<T>[] {
    return [...this.#kinds.values()];
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

/** How often a page shows all that it shows: 1 unless it is repeated as a whole. */
function repetitions(counts: ReadonlyMap<string, number>): number {
  if (counts.size < FEWEST_REPEATED) return 1;
  let divisor = 0;
  for (const count of counts.values()) {
    let [a, b] = [divisor, count];
    while (b > 0) [a, b] = [b, a % b];
    if (a === 1) return 1;
    divisor = a;
  }
  return divisor;
}
