import { longestNeed } from "../../decide/decide.ts";
import { valueFromText } from "../../decide/watched.ts";
import type { Run } from "../../model/index.ts";
import type { Memory, SeriesMemory, SubjectMemory } from "../../poll/memory.ts";
import type { Store } from "../../store/store.ts";

/** So many series are read from the store at once. */
const SLICE = 500;

/**
 * Fills the windows and buckets of the memory from the stored samples, in slices; `fresh` are series
 * of which the store has none yet.
 */
export async function fillWindows(
  memory: Memory,
  store: Store,
  now: number,
  fresh: ReadonlySet<number>,
): Promise<void> {
  const wanted: { series: SeriesMemory; from: number }[] = [];
  for (const subject of memory.subjects.values()) {
    for (const series of subject.series) {
      if (fresh.has(series.id)) continue;
      if (series.windows.length === 0 && series.buckets === null) continue;
      wanted.push({ series, from: now - needOf(subject, now) });
    }
  }
  for (let start = 0; start < wanted.length; start += SLICE) {
    const slice = wanted.slice(start, start + SLICE);
    const from = slice.reduce((least, one) => Math.min(least, one.from), now);
    // The slices are read one after the other so that none holds the loop for long.
    const runs = await store.window(
      slice.map(({ series }) => series.id),
      from,
    );
    for (const { series } of slice) fill(series, runs.get(series.id) ?? []);
  }
}

/**
 * Twice the window, and what may still be in force where it begins: a value that was seen once needs
 * the one before it to be confirmed.
 */
export function needOf(subject: SubjectMemory, now: number): number {
  const force = subject.alerts.reduce(
    (most, { watched }) => Math.max(most, watched.rule.schedule.third(now) - now),
    0,
  );
  return 2 * longestNeed(subject) + force + 8 * (subject.kind.bucketMs ?? 0);
}

/** Gives a series that has forgotten everything its runs, oldest first. */
export function fill(series: SeriesMemory, runs: readonly Run[]): void {
  if (series.buckets !== null) {
    const entries = runs.map(
      (run) => [run.first, valueFromText(run.value, series.quantity)] as const,
    );
    series.buckets = series.buckets.with(entries, Number.NEGATIVE_INFINITY);
    return;
  }
  for (const run of runs) {
    const value = valueFromText(run.value, series.quantity);
    for (const window of series.windows) {
      window.load(run.first, run.last, value);
    }
  }
}
