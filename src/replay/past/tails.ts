import { longestNeed } from "../../decide/decide.ts";
import type { Run } from "../../model/index.ts";
import type { Memory } from "../../poll/memory.ts";

/** A picture of a value shows so many intervals, where no window says how far back it looks. */
const INTERVALS = 24;

/**
 * The newest runs of one series, oldest first, as far back as a notice may show them: three lists, since as many
 * objects would be copied to and fro while they are of use.
 */
interface Tail {
  readonly spanMs: number;
  readonly firsts: number[];
  readonly lasts: number[];
  readonly values: (string | null)[];
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
      for (const { id } of subject.series) {
        this.#tails.set(id, { spanMs, firsts: [], lasts: [], values: [], most: SPARE });
      }
    }
  }

  /** Takes a run of a series: a new one, the newest one that goes on, or a bucket that says something else now. */
  note(run: Run): void {
    const tail = this.#tails.get(run.series);
    if (tail === undefined) return;
    const { firsts, lasts, values, spanMs } = tail;
    let end = firsts.length;
    while (end > 0 && (firsts[end - 1] ?? 0) > run.first) end -= 1;
    if (end > 0 && firsts[end - 1] === run.first) {
      lasts[end - 1] = run.last;
      values[end - 1] = run.value;
      return;
    }
    if (end === firsts.length) {
      firsts.push(run.first);
      lasts.push(run.last);
      values.push(run.value);
    } else {
      firsts.splice(end, 0, run.first);
      lasts.splice(end, 0, run.last);
      values.splice(end, 0, run.value);
    }
    if (firsts.length < tail.most) return;
    const start = Math.max(0, firstAfter(lasts, run.first - spanMs) - 1);
    // In place, since lists that grow anew are copied on and on.
    firsts.splice(0, start);
    lasts.splice(0, start);
    values.splice(0, start);
    tail.most = 2 * firsts.length + SPARE;
  }

  window(series: readonly number[], from: number): Promise<ReadonlyMap<number, readonly Run[]>> {
    const found = new Map<number, readonly Run[]>();
    for (const id of series) {
      const tail = this.#tails.get(id);
      if (tail === undefined || tail.firsts.length === 0) continue;
      found.set(id, runsFrom(tail, id, Math.max(0, firstAfter(tail.lasts, from) - 1)));
    }
    return Promise.resolve(found);
  }
}

function runsFrom({ firsts, lasts, values }: Tail, series: number, start: number): readonly Run[] {
  const runs: Run[] = [];
  for (let i = start; i < firsts.length; i += 1) {
    const [first = 0, last = 0, value = null] = [firsts[i], lasts[i], values[i]];
    runs.push({ series, first, last, value });
  }
  return runs;
}

/** The place of the first run that was in force at a date or later; that behind the last one if none was. */
function firstAfter(lasts: readonly number[], date: number): number {
  let [low, high] = [0, lasts.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((lasts[middle] ?? date) < date) low = middle + 1;
    else high = middle;
  }
  return low;
}
