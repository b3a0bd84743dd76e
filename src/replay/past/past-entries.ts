import { HOUR } from "../../base/duration.ts";
import type { Answers, Entry, ListItem, PastList, StreamReading } from "../../kinds/kind.ts";
import type { RawRecord, Subject, Value } from "../../model/index.ts";

/** What the service tells of the past of a list. */
export interface ListTrack {
  /** Oldest first. */
  readonly items: readonly ListItem[];
  /** From when on all entries are known, epoch milliseconds. */
  readonly since: number;
  /** What entries are made of besides, by its name: oldest first, dated as it counts. */
  readonly beside: ReadonlyMap<string, readonly (readonly [date: number, value: Value | null])[]>;
  /** Metrics of entries that are made of it. */
  readonly hourly: ReadonlySet<string>;
  /** Metrics of entries that cannot be told, and why. */
  readonly lacks: ReadonlyMap<string, string>;
  readonly today: Answers;
}

/** What was known of a pool stays in force for three points of its history, as for a daemon. */
const IN_FORCE_MS = 3 * HOUR;

/** The entries of a list in the past, as rounds would have come to them. */
export class PastEntries {
  /** The time of each entry, never before that of the one before it. */
  readonly #times: readonly number[];
  /** What the last round was given: others on the same list are given the same. */
  #last: { readonly from: string | null; readonly date: number; readonly stream: StreamReading };

  constructor(
    private readonly subject: Subject,
    private readonly list: PastList,
    readonly track: ListTrack,
  ) {
    let latest = 0;
    this.#times = track.items.map(({ at }) => {
      latest = Math.max(latest, at ?? 0);
      return latest;
    });
    this.#last = { from: null, date: 0, stream: streamOf([], null, 0) };
  }

  /** What a round at `date` reads that goes on from a cursor of before; null: it is the first. */
  read(from: string | null, date: number): StreamReading {
    if (this.#last.from === from && this.#last.date === date) return this.#last.stream;
    const after = from === null ? date : Number(from);
    const stream = streamOf(this.#between(after, date), from, date);
    this.#last = { from, date, stream };
    return stream;
  }

  /** The times at which entries came in [from, to], oldest first, each once. */
  *times(from: number, to: number): Generator<number> {
    let before = from - 1;
    for (let i = this.#after(from - 1); i < this.#times.length; i += 1) {
      const at = this.#times[i] ?? 0;
      if (at > to) return;
      if (at > before) yield at;
      before = at;
    }
  }

  /** The values of a metric of the entries of [from, to]. */
  *values(
    metric: string,
    from: number,
    to: number,
  ): Generator<readonly [date: number, value: Value | null]> {
    let before = from - 1;
    for (const at of this.times(from, to)) {
      for (const entry of this.#between(before, at)) yield [at, entry.value(metric)];
      before = at;
    }
  }

  #between(after: number, until: number): readonly Entry[] {
    const first = this.#after(after);
    const end = this.#after(until);
    if (first >= end) return [];
    const { items, today } = this.track;
    const known = this.#known(until);
    return this.list.entries(this.subject, today, {
      items: items
        .slice(first, end)
        .map((item, i) => ({ ...item, id: `${item.hash}:${first + i}` })),
      since: this.#since(known, end),
      value: (name) => known.get(name)?.[1] ?? null,
    });
  }

  /** What was known by a date beside the list, and since when. */
  #known(date: number): ReadonlyMap<string, readonly [date: number, value: Value | null]> {
    const known = new Map<string, readonly [number, Value | null]>();
    for (const [name, points] of this.track.beside) {
      const at = lastUntil(points, ([one]) => one, date);
      const point = points[at];
      if (point !== undefined && date - point[0] < IN_FORCE_MS) known.set(name, point);
    }
    return known;
  }

  #since(
    known: ReadonlyMap<string, readonly [date: number, value: Value | null]>,
    end: number,
  ): readonly RawRecord[] {
    if (known.size === 0) return [];
    const date = Math.max(...Array.from(known.values(), ([at]) => at));
    return this.track.items.slice(this.#after(date), end).map(({ value }) => value);
  }

  /** The place of the first entry that came after a date. */
  #after(date: number): number {
    return lastUntil(this.#times, (one) => one, date) + 1;
  }
}

function streamOf(entries: readonly Entry[], from: string | null, date: number): StreamReading {
  return { entries, cursor: String(date), from, gap: null };
}

/** The place of the last that is dated by then; -1: none is. */
function lastUntil<T>(all: readonly T[], dateOf: (one: T) => number, date: number): number {
  let [low, high] = [0, all.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const one = all[middle];
    if (one !== undefined && dateOf(one) <= date) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
