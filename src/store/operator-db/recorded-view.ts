import type { Run, SeriesName, SubjectFacts } from "../../model/index.ts";
import type { RecordedRound } from "./recorded-rounds.ts";

/**
 * What a daemon wrote down of the past: every sample as runs, and every round. It is read a page at a time,
 * so that memory does not grow with the history and no look holds up a daemon beside it. All dates are epoch
 * milliseconds of rounds; of bucketed kinds a run is dated by the start of its bucket and has the last value
 * that was seen of it.
 *
 * To show a metric: find its series by subject and metric in `series()`, then go through the pages of `runs`.
 * A run says that every round from `first` to `last` that read the subject saw `value` (exact text, null: no
 * data), but for the rounds whose `failures` name one of its asks.
 */
export interface Recorded {
  /** The series of these subjects, by their keys; `subject` may end in the generation of its source, as in `KEY@1`. */
  series(keys: readonly string[]): Promise<readonly SeriesName[]>;
  /** Which rule has an alert on which of these subjects, and what people call that subject. */
  watched(keys: readonly string[]): Promise<readonly RecordedAlert[]>;
  /**
   * What the samples of these subjects do not say, oldest first: it holds from its date on until the next. `subject` may
   * end in a generation, as in `series()`. Nothing from a database of before it was kept.
   */
  facts(keys: readonly string[]): Promise<readonly SubjectFacts[]>;
  /** Every rule that a round of it is kept of, by name. */
  rules(): Promise<ReadonlySet<string>>;
  /** When the oldest run of each of these series began and the newest was seen last; of those without runs nothing. */
  spans(series: readonly number[]): Promise<ReadonlyMap<number, RecordedSpan>>;
  /** The dates of the oldest and the newest round; null: there is none. */
  span(): Promise<RecordedSpan | null>;
  /**
   * The runs of these series that overlap [from, to], by their first dates and then by series, a page at a time.
   * Those that began before `from` come first; of a series that has none reaching into the span, the newest before
   * it comes all the same: it may still be in force.
   */
  runs(series: readonly number[], from: number, to: number): AsyncGenerator<readonly Run[]>;
  /** When the first news of a bucket of each of these series was kept; of those of which none was, nothing. */
  revisedSince(series: readonly number[]): Promise<ReadonlyMap<number, number>>;
  /**
   * What buckets of these series said from a round on, in the order of the rounds [from, to]: `seen` is the round,
   * `first` the start of the bucket.
   */
  revisions(series: readonly number[], from: number, to: number): AsyncGenerator<readonly Run[]>;
  /** The rounds of [from, to] in their order, a page at a time. */
  rounds(from: number, to: number): AsyncGenerator<readonly RecordedRound[]>;
  close(): void;
}

/** Both ends are included. */
export interface RecordedSpan {
  readonly first: number;
  readonly last: number;
}

export interface RecordedAlert {
  readonly rule: string;
  /** The subject's key. */
  readonly subject: string;
  readonly label: string | null;
}
