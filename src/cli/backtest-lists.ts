import type { ListItem, PastList } from "../kinds/kind.ts";
import { isLast, lackOf, type Order, orderOf, SIZES, type Sizes } from "../kinds/streams/item.ts";
import { View } from "../kinds/streams/view.ts";
import type { Ask, RawRecord, Subject } from "../model/index.ts";

/** So many pages of one list are read in one go: of the busiest pools that is two weeks. */
export const MOST_PAGES = 300;

/** The answer to one ask; null: there is none. */
type Fetch = (ask: Ask) => Promise<readonly RawRecord[] | null>;

/** A list as far as it was read, the newest entry first. */
export interface ReadList {
  readonly items: readonly ListItem[];
  /** From when on all entries are known, epoch milliseconds; 0: it was read whole. */
  readonly since: number;
}

/** How a list is read: pages, and by how much they overlap. */
type ListSizes = Pick<Sizes, "big" | "lap">;

/**
 * Reads a list from now back to `from`, in whatever order the service has it, on from what was kept of it. What fails,
 * or is stopped, ends it where it came to; null: nothing is known of it, as of a list in no order of time that could
 * not be read whole.
 */
export async function readList(
  subject: Subject,
  list: PastList,
  from: number,
  kept: ReadList | null,
  fetch: Fetch,
  sizes: ListSizes = SIZES,
  onReach: (at: number) => void = () => {},
): Promise<ReadList | null> {
  const reader = new ListReader(
    async (offset, limit) => {
      const records = await fetch(list.page(subject, offset, limit));
      return records === null ? null : list.items({ status: "ok", records });
    },
    from,
    kept,
    sizes,
    onReach,
  );
  const read = await reader.read();
  if (read !== "moved") return read;
  // What was kept no longer fits the list.
  return await readList(subject, list, from, null, fetch, sizes, onReach);
}

type Page = readonly ListItem[];

/** What reading page after page came to. */
interface Walked {
  readonly items: Page;
  readonly end: "whole" | "enough" | "failed" | "moved";
}

class ListReader {
  #pages = 0;
  readonly #known: ReadonlySet<string>;

  constructor(
    private readonly ask: (offset: number, limit: number) => Promise<Page | null>,
    private readonly from: number,
    private readonly kept: ReadList | null,
    private readonly sizes: ListSizes,
    private readonly onReach: (at: number) => void,
  ) {
    this.#known = new Set(kept?.items.map(({ hash }) => hash));
  }

  async read(): Promise<ReadList | "moved" | null> {
    const { kept } = this;
    const { big, lap } = this.sizes;
    const shown = await this.#raw(0, big);
    if (shown === null) return kept;
    const head = turned(shown, "newest first");
    if (isLast(head.length, big)) return whole(head);
    // The newest first, from now back to what is known.
    if (kept !== null && slopeOf(shown) < 0 && this.#isKnown(head)) {
      return await this.#onFromKept(head, kept, this.#page);
    }
    const second = await this.#page(big - lap, big);
    if (second === null) return kept;
    // Both may begin, or end, in one block: only all that they show tells which of them is newer.
    const order = orderOf(head, second);
    const { items: both } = order === "oldest first" ? joined(second, head) : joined(head, second);
    if (isLast(second.length, big)) return whole(both);
    const next = 2 * (big - lap);
    switch (order) {
      case "mixed": {
        const all = await this.#walk(both, next, this.#page, () => false);
        return all.end === "whole" ? whole(all.items) : kept;
      }
      case "oldest first": {
        const end = await this.#endAfter(big - lap);
        if (end === null) return kept;
        const pageBack = async (position: number, limit: number): Promise<Page | null> => {
          const offset = Math.max(0, end - position - limit);
          const size = Math.min(limit, end - position);
          return size <= 0 ? [] : await this.#page(offset, size, "oldest first");
        };
        return await this.#back([], 0, pageBack);
      }
      default:
        return await this.#back(both, next, this.#page);
    }
  }

  /** From the newest back until it is enough, or until what was kept is reached. */
  async #back(
    begun: Page,
    next: number,
    pageAt: ListReader["ask"],
  ): Promise<ReadList | "moved" | null> {
    const { kept } = this;
    const isEnough = (items: Page): boolean => this.#isKnown(items) || this.#isBefore(items);
    const near: Walked = isEnough(begun)
      ? { items: begun, end: "enough" }
      : await this.#walk(begun, next, pageAt, isEnough);
    if (near.end === "whole") return whole(near.items);
    if (kept !== null && this.#isKnown(near.items)) {
      return await this.#onFromKept(near.items, kept, pageAt);
    }
    // What was kept is worth more than what came since, unless that reaches back far enough.
    if (near.end !== "enough" && kept !== null) return kept;
    return this.#partly(near);
  }

  /** What is new, before all that was kept, and what is older than that. */
  async #onFromKept(
    news: Page,
    kept: ReadList,
    pageAt: ListReader["ask"],
  ): Promise<ReadList | "moved"> {
    // Nothing that is older than all of the news can be among it.
    const oldest = news.reduce(
      (least, { place }) => Math.min(least, place),
      Number.POSITIVE_INFINITY,
    );
    const end = kept.items.findIndex(({ place }) => place < oldest);
    const near = end < 0 ? kept.items : kept.items.slice(0, end);
    const all = [...joined(news, near).items, ...kept.items.slice(near.length)];
    if (kept.since <= this.from) return { items: sorted(all), since: kept.since };
    const far = await this.#walk(all, all.length - this.sizes.lap, pageAt, (items) =>
      this.#isBefore(items),
    );
    if (far.end === "moved") return "moved";
    if (far.end === "whole") return whole(far.items);
    const { items, since } = this.#partly(far);
    return { items, since: Math.min(since, kept.since) };
  }

  /** Reads page after page from a position on until it is enough; each begins with what the last one ended with. */
  async #walk(
    begun: Page,
    position: number,
    pageAt: ListReader["ask"],
    isEnough: (items: Page) => boolean,
  ): Promise<Walked> {
    const { big, lap } = this.sizes;
    const items = [...begun];
    for (let next = position; ; next += big - lap) {
      const page = await pageAt(next, big);
      if (page === null) return { items, end: "failed" };
      const near = joined(items.slice(-2 * big), page);
      if (items.length > 0 && page.length > 0 && near.isApart) return { items, end: "moved" };
      items.splice(-2 * big, 2 * big, ...near.items);
      this.onReach(oldestOf(page));
      if (isLast(page.length, big)) return { items, end: "whole" };
      if (isEnough(items)) return { items, end: "enough" };
    }
  }

  /** Oldest first: how long the list is, by longer and longer strides and then by halves. */
  async #endAfter(full: number): Promise<number | null> {
    const { big } = this.sizes;
    let [low, high]: [number, number | null] = [full, null];
    for (;;) {
      const offset: number = high === null ? 4 * low : Math.floor((low + high) / 2);
      const page = await this.#page(offset, big);
      if (page === null) return null;
      if (page.length === 0) high = offset;
      else if (isLast(page.length, big)) return offset + page.length;
      else low = offset;
      // It has grown meanwhile; all that there was when it was first asked for lies before this.
      if (high !== null && high <= low + big) return low + big;
    }
  }

  /** A page, the newest entry first, of a list of this order. */
  readonly #page = async (
    offset: number,
    limit: number,
    order: Order = "newest first",
  ): Promise<Page | null> => {
    const page = await this.#raw(offset, limit);
    return page === null ? null : turned(page, order);
  };

  async #raw(offset: number, limit: number): Promise<Page | null> {
    this.#pages += 1;
    return this.#pages > MOST_PAGES ? null : await this.ask(offset, limit);
  }

  /**
   * Whether these reach into what was kept. Of the block that they end in some entries may not have been read: one
   * that equals a kept one may be another, which only a block that is there whole can tell.
   */
  #isKnown(items: Page): boolean {
    const near = items.slice(-2 * this.sizes.big);
    const cut = near.reduce((least, { place }) => Math.min(least, place), Number.POSITIVE_INFINITY);
    return near.some(({ hash, place }) => place > cut && this.#known.has(hash));
  }

  #isBefore(items: Page): boolean {
    return oldestOf(items.slice(-this.sizes.big)) < this.from;
  }

  #partly({ items, end }: Walked): ReadList {
    // Of the block that it ends with some entries may not have been read.
    const since = end === "enough" ? this.from : oldestOf(items.slice(-this.sizes.big)) + 1;
    return { items: sorted(items), since };
  }
}

function whole(items: Page): ReadList {
  return { items: sorted(items), since: 0 };
}

function oldestOf(items: Page): number {
  return items.reduce((least, { at }) => Math.min(least, at ?? least), Number.POSITIVE_INFINITY);
}

/**
 * What was shown before and a page behind it: what both show is there once, in the fuller of its forms, and what one of
 * them shows twice twice. `isApart`: they have nothing in common.
 */
function joined(shown: Page, page: Page): { readonly items: Page; readonly isApart: boolean } {
  const view = viewOf(shown);
  const before = itemsOf(view).length;
  view.add(page);
  const items = itemsOf(view);
  return { items, isApart: items.length === before + itemsOf(viewOf(page)).length };
}

function viewOf(page: Page): View<RawRecord> {
  const view = new View<RawRecord>();
  view.add(page);
  return view;
}

function itemsOf(view: View<RawRecord>): Page {
  return view.kinds().flatMap(({ item, count }) => Array.from({ length: count }, () => item));
}

/** Each once, the newest first, by their blocks; entries of one block stay in the order that they have. */
function sorted(items: Page): Page {
  return once(items).toSorted((a, b) => b.place - a.place);
}

/** What has a name of its own is there once however often it is shown, in the fullest form, as for a daemon. */
function once(items: Page): Page {
  const fullest = new Map<string, ListItem>();
  for (const item of items) {
    const name = ownName(item);
    if (name === null) continue;
    const known = fullest.get(name);
    if (known === undefined || lackOf(item.form) < lackOf(known.form)) fullest.set(name, item);
  }
  return items.filter((item) => {
    const name = ownName(item);
    return name === null || fullest.get(name) === item;
  });
}

/** Null: only its content tells it from others. */
function ownName({ unique, form }: ListItem): string | null {
  return unique === true ? (form?.name ?? null) : null;
}

/** A page the newest entry first; where it shows one block only, the order of the list tells. */
function turned(page: Page, order: Order): Page {
  const slope = slopeOf(page);
  return slope > 0 || (slope === 0 && order === "oldest first") ? page.toReversed() : page;
}

/** Above 0: more entries stand behind an older one than behind a newer one. */
function slopeOf(page: Page): number {
  let slope = 0;
  let before: number | null = null;
  for (const { place } of page) {
    if (before !== null) slope += Math.sign(place - before);
    before = place;
  }
  return slope;
}
