import { type Form, Forms } from "./form.ts";
import type { Item, Order } from "./item.ts";
import type { View } from "./view.ts";

/** What is remembered of a list between two rounds. */
export interface Memory {
  /** Null: not known, or of no importance so far. */
  readonly order: Order | null;
  /** Oldest first: how long the list was. */
  readonly end: number | null;
  /** Oldest first: the end is looked for; it lies after `low` and not after `high`. */
  readonly search: { readonly low: number; readonly high: number | null } | null;
  /** The newest entries, older ones first; null: there was no baseline yet. */
  readonly seen: readonly Seen[] | null;
  /** What stands here or before was told of or is none of our business; null: nothing is. */
  readonly floor: number | null;
  /** The time of the newest entry in epoch milliseconds. */
  readonly at: number | null;
  /** It was said that the list cannot be followed. */
  readonly lost: boolean;
}

/** Entries that cannot be told apart, and how many of them there were. */
export interface Seen {
  readonly hash: string;
  readonly place: number;
  readonly count: number;
  readonly form: Form | null;
}

/** The text that `readMemory` reads. */
export function writeMemory(memory: Memory): string {
  const { order, end, search, seen, floor, at, lost } = memory;
  const list =
    seen?.map(({ hash, place, count, form }) =>
      form === null ? [hash, place, count] : [hash, place, count, form.lacks, form.name, form.rest],
    ) ?? null;
  return JSON.stringify({ order, end, search, floor, at, lost, seen: list });
}

/** What `writeMemory` wrote; null for none, and for any other text. */
export function readMemory(text: string | null): Memory | null {
  if (text === null) return null;
  let raw: unknown;
  try {
    raw = JSON.parse(text);
  } catch {
    return null;
  }
  if (!isMap(raw)) return null;
  const { order, end, search, seen, floor, at, lost } = raw;
  const list = seen === null ? null : readSeen(seen);
  if (list === undefined) return null;
  return {
    order: isOrder(order) ? order : null,
    end: numberOf(end),
    search:
      isMap(search) && typeof search.low === "number"
        ? { low: search.low, high: numberOf(search.high) }
        : null,
    seen: list,
    floor: numberOf(floor),
    at: numberOf(at),
    lost: lost === true,
  };
}

function readSeen(raw: unknown): Seen[] | undefined {
  if (!Array.isArray(raw)) return undefined;
  const items: readonly unknown[] = raw;
  const seen: Seen[] = [];
  for (const item of items) {
    const parts: readonly unknown[] = Array.isArray(item) ? item : [];
    const [hash, place, count, ...form] = parts;
    if (typeof hash !== "string" || typeof place !== "number" || typeof count !== "number") {
      return undefined;
    }
    seen.push({ hash, place, count, form: readForm(form) });
  }
  return seen;
}

/** Null for none, as it was written before there were any. */
function readForm([lacks, name, rest]: readonly unknown[]): Form | null {
  if (typeof lacks !== "number") return null;
  return {
    lacks,
    name: typeof name === "string" ? name : null,
    rest: typeof rest === "string" ? rest : null,
  };
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isOrder(value: unknown): value is Order {
  return value === "newest first" || value === "oldest first" || value === "mixed";
}

function numberOf(value: unknown): number | null {
  return typeof value === "number" ? value : null;
}

/** How often each entry of a memory was seen, and what counts as seen without being remembered. */
export class Known {
  readonly #counts: ReadonlyMap<string, number>;
  readonly #forms: Forms;
  readonly #floor: number | null;

  constructor({ seen, floor }: Pick<Memory, "seen" | "floor">) {
    this.#counts = new Map(seen?.map(({ hash, count }) => [hash, count]));
    this.#forms = new Forms(seen ?? []);
    this.#floor = floor;
  }

  /** Whether such an entry is one of those that are remembered. */
  remembers(item: Pick<Item<unknown>, "hash" | "form">): boolean {
    return this.#counts.has(item.hash) || this.#forms.others(item.form ?? null).length > 0;
  }

  /** How many of such an entry are not news: they were shown before with all that it has now. */
  count(item: Pick<Item<unknown>, "hash" | "place" | "form">): number {
    if (this.#floor !== null && item.place <= this.#floor) return Number.POSITIVE_INFINITY;
    return this.#counts.get(item.hash) ?? this.#forms.countFuller(item.form ?? null);
  }

  /** How many were shown before without something that it has now, and as what. */
  lacked({ form = null }: Pick<Item<unknown>, "form">): ReturnType<Forms["lacked"]> {
    return this.#forms.lacked(form);
  }
}

/**
 * The newest of what was seen before and is seen now: whole blocks, so that whatever stands above
 * the new floor and is not among them is news.
 */
export function merge(
  { seen, floor }: Pick<Memory, "seen" | "floor">,
  view: View<unknown>,
  keep: number,
): Pick<Memory, "seen" | "floor"> {
  const merged = new Map(seen?.map((one) => [one.hash, one]));
  const known = new Known({ seen, floor: null });
  for (const { item, count } of view.kinds()) {
    const { hash, place, form = null } = item;
    const before = merged.get(hash);
    // In another form, with nothing less, it is remembered already.
    if (before === undefined && known.count(item) >= count) continue;
    merged.set(hash, {
      hash,
      place: before?.place ?? place,
      count: Math.max(count, before?.count ?? 0),
      form: before?.form ?? form,
    });
  }
  const sorted = [...merged.values()]
    .filter(({ place }) => floor === null || place > floor)
    .toSorted((a, b) => a.place - b.place || (a.hash < b.hash ? -1 : 1));
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
    lowest = place;
    start = end;
  }
  return { seen: sorted.slice(start), floor: lowest };
}
