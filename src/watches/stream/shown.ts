import type { Item } from "./item.ts";

type Content = Pick<Item<unknown>, "hash" | "form" | "content" | "unique">;

/** Entries that were counted, and how many of them there are. */
interface Counted {
  readonly item: Content;
  readonly count: number;
}

/** Finds, among the entries of overlapping pages, those that were counted in another form. */
export class Shown {
  readonly #pages: readonly ReadonlyMap<string, number>[];
  readonly #names = new Map<string, Counted[]>();
  readonly #rests = new Map<string, Counted[]>();

  /** `pages`: how many of each content each page shows. */
  constructor(pages: readonly ReadonlyMap<string, number>[]) {
    this.#pages = pages;
  }

  /**
   * Counts entries of one content, of which a page shows `count` at most: how many of them no page
   * shows in one of the forms that were counted before.
   */
  take(item: Content, count: number): number {
    const name = item.form?.name ?? null;
    const rest = item.form?.rest ?? null;
    const near = name !== null ? this.#names.get(name) : this.#rests.get(rest ?? "");
    const others = (near ?? []).filter((one) => mayBeOne(item, one.item));
    const left = others.length === 0 ? count : this.#left(item, others);
    if (left > 0) {
      add(this.#names, name, { item, count: left });
      add(this.#rests, rest, { item, count: left });
    }
    return left;
  }

  /** What one page shows beside each other is all there, and no page need show all of it. */
  #left(item: Content, others: readonly Counted[]): number {
    let most = 0;
    for (const page of this.#pages) {
      let together = page.get(item.hash) ?? 0;
      if (together === 0) continue;
      for (const other of others) together += page.get(other.item.hash) ?? 0;
      most = Math.max(most, item.unique === true ? 1 : together);
    }
    return Math.max(0, most - others.reduce((sum, other) => sum + other.count, 0));
  }
}

/** Those that lack the fewest fields first. */
export function sortByLack<T extends { readonly item: Content }>(kinds: readonly T[]): T[] {
  return kinds.toSorted((a, b) => lackOf(a.item) - lackOf(b.item));
}

function lackOf({ form }: Content): number {
  let count = 0;
  for (let bits = form?.lacks ?? 0; bits > 0; bits = Math.floor(bits / 2)) count += bits % 2;
  return count;
}

/** Whether two entries lack different fields, are named alike, and are alike in all that both have. */
function mayBeOne(a: Content, b: Content): boolean {
  if (a.form?.lacks === b.form?.lacks) return false;
  return a.content?.every((text, i) => isAlike(text, b.content?.[i] ?? null)) === true;
}

function isAlike(one: string | null, other: string | null): boolean {
  return one === null || other === null || one === other;
}

function add(map: Map<string, Counted[]>, key: string | null, one: Counted): void {
  if (key === null) return;
  const known = map.get(key);
  if (known === undefined) map.set(key, [one]);
  else known.push(one);
}
