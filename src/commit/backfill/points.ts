import { valueFromText, valueToText } from "../../base/decimal.ts";
import { longestNeed } from "../../decide/decide.ts";
import type { Answers } from "../../kinds/kind.ts";
import { NO_CHANGE, type Run } from "../../model/index.ts";
import {
  type BackfilledSpan,
  type BackfillState,
  backfillKey,
  backfillsToText,
  spansOf,
  withBackfill,
} from "../../poll/backfill-state.ts";
import type { Memory, SubjectMemory } from "../../poll/memory.ts";
import type { SeriesMemory } from "../../poll/series-memory.ts";
import type { Store } from "../../store/store.ts";
import type { Committer } from "../committer.ts";
import type { SeriesHistory } from "./histories.ts";

interface Taking {
  readonly committer: Committer;
  /** Samples of our own are dated from then on, whether they are there already or under way. */
  readonly opened: number;
  readonly now: number;
  /** Under which name the subject's samples were kept when its past was asked for. */
  readonly storeKey: string;
}

/** What one series is given. */
interface Taken {
  readonly series: SeriesMemory;
  /** Newest first, which the store takes fastest. */
  readonly added: readonly Run[];
  /** All that its windows need, oldest first. */
  readonly runs: readonly Run[];
}

/**
 * Puts the points of histories before a subject's own samples, in the store and in its windows, and
 * writes down that this was done, also where there were none. It waits for its turn among the
 * decisions, so that nothing is decided on half of a past. Rejects with StoreError.
 */
export async function backfillSubject(
  subject: SubjectMemory,
  histories: readonly SeriesHistory[],
  answers: Answers,
  { committer, opened, now, storeKey }: Taking,
): Promise<void> {
  await committer.take(
    async (store) => {
      const taken: Taken[] = [];
      let backfills = subject.backfills ?? [];
      if (subject.storeKey !== storeKey) return { taken, backfills, change: NO_CHANGE };
      for (const history of histories) {
        const one = await takeOne(subject, history, answers, store, opened, now);
        taken.push(one);
        const { series, needMs, spacingMs } = history;
        const span = spanOf(one.added, spacingMs);
        const backfill: BackfillState = { metric: series.metric, at: now, needMs, span };
        backfills = withBackfill(backfills, backfill, now - needOf(subject, now));
      }
      const marks = [{ subject: backfillKey(subject.storeKey), value: backfillsToText(backfills) }];
      const runs = taken.flatMap(({ added }) => added);
      return { taken, backfills, change: { ...NO_CHANGE, runs, marks } };
    },
    ({ taken, backfills }) => {
      subject.backfills = backfills;
      for (const { series, runs, added } of taken) {
        series.backfilled = spansOf(backfills, series.metric);
        const [newest] = added;
        if (newest === undefined) continue;
        if (newest.first > series.first) series.end();
        for (const window of series.windows) window.clear();
        fill(series, runs);
      }
    },
  );
}

/** Whether the stored samples of a series reach back as far as its windows do. */
export async function isCovered(
  subject: SubjectMemory,
  { series, needMs }: SeriesHistory,
  store: Store,
  now: number,
): Promise<boolean> {
  const stored = await store.window([series.id], now - needMs);
  return gapBefore(stored.get(series.id) ?? [], now - needMs, subject, series) === null;
}

async function takeOne(
  subject: SubjectMemory,
  history: SeriesHistory,
  answers: Answers,
  store: Store,
  opened: number,
  now: number,
): Promise<Taken> {
  const { series, needMs } = history;
  const stored = await store.window([series.id], now - needOf(subject, now));
  const own = stored.get(series.id) ?? [];
  const points = history.points(answers);
  const { bucketMs } = subject.kind;
  const fits =
    bucketMs === null
      ? between(gapBefore(own, now - needMs, subject, series), opened)
      : (date: number): boolean => series.buckets?.get(date) === undefined;
  const added = points
    .filter(([date]) => fits(date))
    .map(([date, value]): Run => {
      return { series: series.id, first: date, last: date, value: valueToText(value) };
    });
  // A date is one point's alone, and never that of a sample of our own.
  const runs = [...own, ...added].toSorted((a, b) => a.first - b.first);
  return { series, added: added.toReversed(), runs };
}

interface Gap {
  /** The end of our own samples before it, and the beginning of those after it; null: none. */
  readonly after: number | null;
  readonly before: number | null;
}

/** The part of a window before our own samples; null: they reach as far back as it does. */
function gapBefore(
  own: readonly Run[],
  from: number,
  { kind }: SubjectMemory,
  series: SeriesMemory,
): Gap | null {
  const until = (date: number): number =>
    kind.bucketMs === null
      ? (series.pointUntil(date) ?? series.third(date))
      : date + 3 * kind.bucketMs;
  const index = own.findIndex(({ last }) => last >= from);
  const earlier = index < 0 ? own.at(-1) : own[index - 1];
  const oldest = own[index];
  if (oldest === undefined) return { after: earlier?.last ?? null, before: null };
  if (oldest.first <= from) return null;
  if (earlier !== undefined && until(earlier.last) >= oldest.first) return null;
  return { after: earlier?.last ?? null, before: oldest.first };
}

function between(gap: Gap | null, opened: number): (date: number) => boolean {
  if (gap === null) return () => false;
  const after = gap.after ?? Number.NEGATIVE_INFINITY;
  const before = gap.before ?? opened;
  return (date) => after < date && date < before;
}

function spanOf(added: readonly Run[], spacingMs: number): BackfilledSpan | null {
  const last = added[0]?.last;
  const first = added.at(-1)?.first;
  return first === undefined || last === undefined ? null : { first, last, spacingMs };
}

/** So many series are read from the store at once. */
const SLICE = 500;

/**
 * Fills the windows and buckets of the memory from the stored samples, in slices; `fresh` are series
 * of which the store has none yet.
 */
export async function fillWindows(
  memory: Pick<Memory, "subjects">,
  store: Pick<Store, "window">,
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
function needOf(subject: SubjectMemory, now: number): number {
  const force = subject.alerts.reduce(
    (most, { watched }) => Math.max(most, watched.rule.schedule.third(now) - now),
    0,
  );
  return 2 * longestNeed(subject) + force + 8 * (subject.kind.bucketMs ?? 0);
}

/** Gives a series that has forgotten everything its runs, oldest first. */
function fill(series: SeriesMemory, runs: readonly Run[]): void {
  if (series.buckets !== null) {
    const entries = runs.map(
      (run) => [run.first, valueFromText(run.value, series.quantity)] as const,
    );
    series.buckets = series.buckets.with(entries, Number.NEGATIVE_INFINITY);
    return;
  }
  for (const run of runs) {
    const value = valueFromText(run.value, series.quantity);
    const spacingMs = series.spacingAt(run.last) ?? 0;
    for (const window of series.windows) {
      // What a day ended with says nothing of an hour.
      if (spacingMs <= window.spanMs) window.load(run.first, run.last, value);
    }
  }
}
