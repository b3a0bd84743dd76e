import { longestNeed } from "../../decide/decide.ts";
import type { Run } from "../../model/index.ts";
import type { Memory } from "../../poll/memory.ts";

/** A picture of a value shows so many intervals, where no window says how far back it looks. */
const INTERVALS = 24;

/** The newest runs of one series, as far back as a notice may show them. */
interface Tail {
  readonly spanMs: number;
  runs: Run[];
}

/** So many runs that are too old are let go of at once. */
const SPARE = 512;

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
      for (const { id } of subject.series) this.#tails.set(id, { spanMs, runs: [] });
    }
  }

  /** Takes a run of a series: a new one, or the newest one that goes on. */
  note(run: Run): void {
    const tail = this.#tails.get(run.series);
    if (tail === undefined) return;
    const { runs, spanMs } = tail;
    if (runs.at(-1)?.first === run.first) {
      runs[runs.length - 1] = run;
      return;
    }
    runs.push(run);
    if (runs.length < 2 * SPARE || (runs[SPARE]?.last ?? run.first) >= run.first - spanMs) return;
    tail.runs = runs.slice(runs.findIndex(({ last }) => last >= run.first - spanMs) - 1);
  }

  window(series: readonly number[], from: number): Promise<ReadonlyMap<number, readonly Run[]>> {
    const found = new Map<number, readonly Run[]>();
    for (const id of series) {
      const runs = this.#tails.get(id)?.runs ?? [];
      if (runs.length === 0) continue;
      const index = runs.findIndex(({ last }) => last >= from);
      found.set(id, index < 0 ? runs.slice(-1) : runs.slice(Math.max(0, index - 1)));
    }
    return Promise.resolve(found);
  }
}
