import { gains, type Item, unionOf } from "./item.ts";
import type { Memory, Seen } from "./memory.ts";
import { type Entries, type Paired, pairUp } from "./pairs.ts";
import type { Twins } from "./view.ts";

/** What a view shows of one content, as it is compared with what is remembered. */
export interface Shown<T> extends Entries {
  readonly item: Item<T>;
}

/** What of a view was there before. */
export class Known<T> {
  readonly shown: readonly Shown<T>[];
  readonly #paired: Paired<Seen, Shown<T>>;
  readonly #floor: number | null;
  readonly #seen: readonly Seen[];

  /** `cut`: the place at which the view may not show all; null: it shows all that there is. */
  constructor(
    { seen, floor }: Pick<Memory, "seen" | "floor">,
    kinds: readonly Twins<T>[],
    cut: number | null,
  ) {
    this.#seen = seen ?? [];
    this.#floor = floor;
    this.shown = kinds.map(shownOf);
    // Of a name, and of a block, everything was seen that there was.
    this.#paired = pairUp(this.#seen, this.shown, {
      ofName: () => true,
      ofBlock: ({ equal, differ }, _old, now) => now.place !== cut || differ <= equal,
    });
  }

  /** Whether anything is shown that is remembered. */
  get remembers(): boolean {
    return this.#paired.pairs.length > 0;
  }

  /** How many of what is shown are new. */
  fresh(one: Shown<T>): number {
    const left = this.#paired.nowLeft.get(one) ?? 0;
    return this.#floor !== null && one.place <= this.#floor ? 0 : left;
  }

  /** Those that are shown with something that they lacked before, and as what they are remembered. */
  *gained(): Iterable<{ readonly now: Shown<T>; readonly old: Seen; readonly count: number }> {
    for (const { old, now, count } of this.#paired.pairs) {
      if (gains(old.form, now.form)) yield { old, now, count };
    }
  }

  /** How many entries of the same name, or else of the same content, are remembered. */
  remembered({ hash, form }: Entries): number {
    const name = form?.name ?? null;
    return this.#count((one) => one.hash === hash || (name !== null && one.form?.name === name));
  }

  /** How many are remembered with the same content. */
  alike({ hash }: Entries): number {
    return this.#count((one) => one.hash === hash);
  }

  #count(holds: (one: Seen) => boolean): number {
    return this.#seen.reduce((sum, one) => (holds(one) ? sum + one.count : sum), 0);
  }

  /**
   * The newest of what was seen before and is seen now: whole blocks, so that whatever stands above
   * the new floor, which is not below `floor`, and is not among them is news.
   */
  merged(keep: number, floor: number | null): Pick<Memory, "seen" | "floor"> {
    const merged = new Map<string, Seen>();
    const put = (one: Seen): void => {
      // Those that looked alike while they had no name may have different ones.
      const key = `${one.hash} ${one.form?.name ?? ""}`;
      const known = merged.get(key);
      const count = one.count + (known?.count ?? 0);
      merged.set(key, { ...one, place: known?.place ?? one.place, count });
    };
    for (const { old, now, count } of this.#paired.pairs) {
      const hash = gains(old.form, now.form) ? now.hash : old.hash;
      put({ hash, place: old.place, count, form: formAfter(old, now) });
    }
    for (const [old, count] of this.#paired.oldLeft) put({ ...old, count });
    for (const [{ hash, place, form }, count] of this.#paired.nowLeft) {
      put({ hash, place, count, form });
    }
    return trimmed([...merged.values()], floor, keep);
  }
}

function shownOf<T>({ item, count }: Twins<T>): Shown<T> {
  return {
    item,
    hash: item.hash,
    place: item.place,
    count,
    // It is made only where it is asked for, which is seldom.
    get form() {
      return item.form ?? null;
    },
    unique: item.unique === true,
  };
}

/** All fields that an entry ever had: a field that comes and goes is not a change. */
function formAfter(old: Seen, now: Entries): Seen["form"] {
  const isKnown = old.form !== null && old.form.fields !== "";
  if (old.hash === now.hash && isKnown) return old.form;
  return unionOf(old.form, now.form);
}

function trimmed(
  all: readonly Seen[],
  floor: number | null,
  keep: number,
): Pick<Memory, "seen" | "floor"> {
  const sorted = all.toSorted((a, b) => a.place - b.place || (a.hash < b.hash ? -1 : 1));
  let left = sorted.reduce((sum, { count }) => sum + count, 0);
  let start = 0;
  let lowest = floor;
  while (start < sorted.length) {
    const place = sorted[start]?.place ?? 0;
    let end = start;
    let block = 0;
    while (sorted[end]?.place === place) {
      block += sorted[end]?.count ?? 0;
      end += 1;
    }
    if (left - block < keep) break;
    left -= block;
    lowest = Math.max(lowest ?? place, place);
    start = end;
  }
  return { seen: sorted.slice(start), floor: lowest };
}
