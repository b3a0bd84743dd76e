import { sameSample, valueToText } from "../base/decimal.ts";
import type { Reading, Row } from "../kinds/kind.ts";
import type { Run, Value } from "../model/index.ts";
import { comparisonsOfRule, lookBackOf } from "./condition-tree.ts";
import {
  BucketContext,
  NOTHING_OBSERVED,
  type Observed,
  StateContext,
  type SubjectRound,
} from "./context.ts";
import { type Decided, decideAlert } from "./decide-alert.ts";
import { evaluate } from "./evaluate.ts";
import { NO_READINGS, type ReferenceReadings, TRUE } from "./evaluation-context.ts";
import { type AlertRuntime, NEVER, type Series, type SubjectRuntime } from "./runtime.ts";
import { recovers } from "./transition.ts";
import { type BucketRows, Verdict } from "./verdict.ts";
import { BucketSeries } from "./windows/buckets.ts";

/** What one round decides for one subject. Nothing has happened yet: a commit makes it so. */
export interface Decision {
  readonly round: SubjectRound;
  /** In the order of the due alerts. */
  readonly alerts: readonly Decided[];
}

/** The sample of a subject that is missing in a good answer. */
const ABSENT: Row = { date: null, value: () => null };

/** How long buckets are kept beyond the longest window, for `for`, `resolve_after` and bases. */
const SPARE_BUCKETS = 8;

const NO_BUCKETS: readonly BucketSeries[] = [];
const NO_RUNS: readonly Run[] = [];

/**
 * Decides a subject's due alerts by its readings in the round at `date`. Pure: all alerts are judged on the past
 * before this round, and the samples are returned to be stored. `references`: the round's readings of the
 * subjects that the rules compare with.
 */
export function decide(
  subject: SubjectRuntime,
  due: readonly AlertRuntime[],
  reading: Reading,
  date: number,
  references: ReferenceReadings = NO_READINGS,
): Decision {
  const round = subjectRoundOf(subject, reading, date, references);
  // A round decides a hundred thousand subjects, and nearly all have one alert.
  const [only] = due;
  if (only !== undefined && due.length === 1) {
    return { round, alerts: [decideAlert(verdictOf(only, round))] };
  }
  return { round, alerts: due.map((watched) => decideAlert(verdictOf(watched, round))) };
}

/** The reading of a subject alone, for alerts whose gates are decided in the same slice. */
export function subjectRoundOf(
  subject: SubjectRuntime,
  reading: Reading,
  now: number,
  references: ReferenceReadings,
): SubjectRound {
  const { series, alerts } = subject;
  const { bucketMs } = subject.kind;
  if (bucketMs !== null) {
    const { runs, buckets } = learnBuckets(subject, reading, now, bucketMs);
    const observed = NOTHING_OBSERVED;
    return { reading, now, series, alerts, references, row: null, observed, runs, buckets };
  }
  const row = reading.rows[0] ?? null;
  // A failed request says nothing of the subject and leaves no sample.
  const sample = row ?? (reading.absent ? ABSENT : null);
  const observed = sample === null ? NOTHING_OBSERVED : observe(series, sample, now);
  return {
    reading,
    now,
    series,
    alerts,
    references,
    row,
    observed,
    runs: NO_RUNS,
    buckets: NO_BUCKETS,
  };
}

/** The context of an alert: the round as its own rule sees it. */
export function verdictOf(watched: AlertRuntime, round: SubjectRound): Verdict {
  const { bucketMs } = watched.watched.kind;
  if (bucketMs !== null) return judgeBucketed(watched, round, bucketMs);
  const { row, observed } = round;
  return new Verdict(new StateContext(watched, round, row, row === null ? undefined : observed));
}

/** The samples of a state record, dated by the round. */
function observe(series: readonly Series[], row: Row, date: number): readonly Observed[] {
  const [only] = series;
  if (only !== undefined && series.length === 1) {
    // `push` would make room for sixteen more.
    const one = observeOne(only, 0, row, date);
    return one === null ? NOTHING_OBSERVED : [one];
  }
  const observed: Observed[] = [];
  for (let index = 0; index < series.length; index += 1) {
    const each = series[index];
    const one = each === undefined ? null : observeOne(each, index, row, date);
    if (one !== null) observed.push(one);
  }
  return observed;
}

/** Null: unknown, or this round overlaps a later one, whose sample stands. */
function observeOne(series: Series, index: number, row: Row, date: number): Observed | null {
  if (date <= series.last || row.isUnseen?.(series.metric) === true) return null;
  const read = row.value(series.metric);
  const value = row.text === undefined ? valueToText(read) : row.text(series.metric);
  const again = series.last !== NEVER && series.text === value && date <= series.third(series.last);
  const first = again ? series.first : date;
  const before = again ? series.last : null;
  return { series: series.id, first, last: date, value, before, index, read };
}

/** The buckets of an answer that are new or have changed. */
function learnBuckets(
  subject: SubjectRuntime,
  reading: Reading,
  date: number,
  bucketMs: number,
): Pick<SubjectRound, "runs" | "buckets"> {
  const runs: Run[] = [];
  const oldest = date - longestNeed(subject) - SPARE_BUCKETS * bucketMs;
  // An older bucket shows that the series is not young.
  const before = reading.rows.findLast(({ date: start }) => start !== null && start < oldest);
  const from = before?.date ?? oldest;
  const buckets = subject.series.map((series) => {
    const old = series.buckets ?? BucketSeries.empty(bucketMs);
    const fresh: [number, Value | null][] = [];
    for (const row of reading.rows) {
      if (row.date === null || row.date < from) continue;
      const value = row.value(series.metric);
      const known = old.get(row.date);
      if (known !== undefined && sameSample(known, value)) continue;
      fresh.push([row.date, value]);
      runs.push({
        series: series.id,
        first: row.date,
        last: row.date,
        value: valueToText(value),
        seen: date,
      });
    }
    return fresh.length === 0 ? old : old.with(fresh, oldest);
  });
  return { runs, buckets };
}

/** How far back, in milliseconds, any alert on the subject may look. */
export function longestNeed(subject: SubjectRuntime): number {
  let longest = 0;
  for (const { watched } of subject.alerts) {
    const { forMs, resolveAfterMs } = watched.rule;
    let window = 0;
    for (const comparison of comparisonsOfRule(watched.rule)) {
      window = Math.max(window, lookBackOf(comparison));
    }
    // The first bucket in a row has its own window before it.
    longest = Math.max(longest, window + Math.max(forMs, resolveAfterMs));
  }
  return longest;
}

function judgeBucketed(watched: AlertRuntime, round: SubjectRound, bucketMs: number): Verdict {
  const { rule } = watched.watched;
  const { now } = round;
  const minAgeMs = rule.bucket === "complete" ? Math.max(rule.minAgeMs, bucketMs) : rule.minAgeMs;
  const newest = newestBucket(round, minAgeMs, judgedUntil(watched));
  if (newest === null || now - (newest + bucketMs) > rule.maxAgeMs) {
    return new Verdict(new StateContext(watched, round, null));
  }
  const contextAt = (start: number): BucketContext => new BucketContext(watched, round, start);
  const rows = countRows(watched, contextAt, newest, bucketMs);
  return new Verdict(contextAt(newest), { rows, ms: bucketMs });
}

/** After a clock that was set back it is too young again: an older one is no news, and ends nothing. */
function judgedUntil({ alert, judged }: AlertRuntime): number {
  return Math.max(judged ?? NEVER, alert?.firedBucket ?? NEVER);
}

/**
 * The newest bucket that is at least `min_age` old: of this answer, or of an earlier answer that had a newer one. An
 * answer without it comes from a lagging indexer and resolves nothing. None before `judged`.
 */
function newestBucket(
  { reading, now, buckets }: SubjectRound,
  minAgeMs: number,
  judged: number,
): number | null {
  for (let i = reading.rows.length - 1; i >= 0; i -= 1) {
    const start = reading.rows[i]?.date ?? null;
    if (start === null || now - start < minAgeMs) continue;
    return buckets.reduce(
      (most, one) => Math.max(most, one.newest(now, minAgeMs)?.at ?? most),
      Math.max(start, judged),
    );
  }
  return null;
}

/** For how many consecutive buckets up to the newest `when` and the recovery hold. */
function countRows(
  watched: AlertRuntime,
  contextAt: (start: number) => BucketContext,
  newest: number,
  bucketMs: number,
): BucketRows {
  const { rule } = watched.watched;
  const count = (
    needMs: number,
    oldest: number,
    holds: (context: BucketContext) => boolean,
  ): number => {
    let ms = 0;
    for (let start = newest; start >= oldest && holds(contextAt(start)); start -= bucketMs) {
      ms += bucketMs;
      if (ms >= needMs) break;
    }
    return ms;
  };
  return {
    newest,
    trueMs: count(rule.forMs, 0, (context) => evaluate(rule.when, context) === TRUE),
    recoveredMs: count(rule.resolveAfterMs, watched.alert?.firedBucket ?? newest, (context) => {
      const truth = evaluate(rule.when, context);
      const recovered = rule.resolveWhen === null ? null : evaluate(rule.resolveWhen, context);
      return truth <= TRUE && recovers(truth, { recovered, closed: context.closed });
    }),
  };
}
