import { longestNeed } from "../../decide/decide.ts";
import type { Run } from "../../model/index.ts";
import type { Memory } from "../../poll/memory.ts";

/** A picture of a value shows so many intervals, where no window says how far back it looks. */
const INTERVALS = 24;

/** The newest runs of one series, as far back as a notice may show them. */
interface Tail {
  readonly spanMs: number;
  runs: Run[];
  /** With so many runs it is time to let go of those that are too old. */
  most: number;
}

/** So many runs may be too old before they are let go of; where more are kept, as many as those. */
const SPARE = 32;

/**
 * What notices show of the time before them, in place of a store: of each series the runs that the longest
 * window of its subject spans, or 24 intervals. It keeps no more than that, however long the replay.
 */
export class Tails {
  readonly #tails = new Map<number, Tail>();

  constructor(memory: Memory, now: number) {
    for (const subject of memory.subjects.values()) {
      const { bucketMs } = subject.kind;
      const intervals = subject.alerts.map(({ watched }) =>
        bucketMs === null ? (watched.rule.schedule.third(now) - now) / 3 : bucketMs,
      );
      const pictureMs = INTERVALS * Math.max(0, ...intervals);
      const spanMs = Math.max(longestNeed(subject), pictureMs);
      for (const { id } of subject.series) this.#tails.set(id, { spanMs, runs: [], most: SPARE });
    }
  }

  /** Takes a run of a series: a new one, the newest one that goes on, or a bucket that says something else now. */
  note(run: Run): void {
    const tail = this.#tails.get(run.series);
    if (tail === undefined) return;
    const { runs, spanMs } = tail;
    let end = runs.length;
    while (end > 0 && (runs[end - 1]?.first ?? 0) > run.first) end -= 1;
    if (end > 0 && runs[end - 1]?.first === run.first) {
      runs[end - 1] = run;
      return;
    }
    if (end === runs.length) runs.push(run);
    else runs.splice(end, 0, run);
    if (runs.length < tail.most) return;
    tail.runs = runs.slice(Math.max(0, firstAfter(runs, run.first - spanMs) - 1));
    tail.most = 2 * tail.runs.length + SPARE;
  }

  window(series: readonly number[], from: number): Promise<ReadonlyMap<number, readonly Run[]>> {
    const found = new Map<number, readonly Run[]>();
    for (const id of series) {
      const runs = this.#tails.get(id)?.runs ?? [];
      if (runs.length === 0) continue;
      found.set(id, runs.slice(Math.max(0, firstAfter(runs, from) - 1)));
    }
    return Promise.resolve(found);
  }
}

/** The place of the first run that was in force at a date or later; that behind the last one if none was. */
function firstAfter(runs: readonly Run[], date: number): number {
  let [low, high] = [0, runs.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((runs[middle]?.last ?? date) < date) low = middle + 1;
    else high = middle;
  }
  return low;
}
