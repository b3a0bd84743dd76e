import type { Alert, Run, Value } from "../model.ts";
import type { Reading, Row } from "../watches/watch.ts";
import { newAlert, remember, tell, withLabel } from "./alert.ts";
import { BucketSeries } from "./buckets.ts";
import { descriptionOf } from "./description.ts";
import { evaluate, TRUE } from "./evaluate.ts";
import type { AlertEvent } from "./event.ts";
import { findEvidence, otherEvidence } from "./evidence.ts";
import { BucketScene, EmptyScene, type JudgedScene, StateScene } from "./scene.ts";
import { changesOf } from "./terms.ts";
import { type BucketRows, recovers, transition } from "./transition.ts";
import {
  type Series,
  sameSample,
  valueToText,
  type WatchedAlert,
  type WatchedSubject,
} from "./watched.ts";

/** What one round means for one subject: nothing has happened yet, a commit makes it so. */
export interface Decision {
  /** The samples to store. */
  readonly runs: readonly Run[];
  /** State kinds: what each series observed, for the memory. */
  readonly observed: readonly Observed[];
  /** Bucketed kinds: the series as they are now, in the order of the subject's. */
  readonly buckets: readonly BucketSeries[];
  /** In the order of the alerts that were due. */
  readonly alerts: readonly Decided[];
}

export interface Observed {
  /** The series' place in the subject's. */
  readonly index: number;
  readonly run: Run;
  readonly value: Value | null;
}

export interface Decided {
  readonly alert: Alert;
  /** Whether the store has another alert than this. */
  readonly changed: boolean;
  /** What it was judged on, for what is told when a rule starts. */
  readonly scene: JudgedScene;
  readonly events: readonly AlertEvent[];
}

/** The sample of a subject that a good answer did not hold. */
const ABSENT: Row = { date: null, value: () => null };

/** How far back buckets are kept beyond the longest window: for `for`, `resolve_after`, bases. */
const SPARE_BUCKETS = 8;

/**
 * Decides a subject's due alerts on what was read of it in the round at `date`. Pure: all alerts
 * are judged on the past before this round, and the samples come back to be stored.
 */
export function decide(
  subject: WatchedSubject,
  due: readonly WatchedAlert[],
  reading: Reading,
  date: number,
): Decision {
  const bucketMs = subject.kind.bucketMs;
  if (bucketMs === null) {
    const row = reading.rows[0] ?? null;
    // A request that failed says nothing of the subject and leaves no sample.
    const sample = row ?? (reading.absent ? ABSENT : null);
    const observed = sample === null ? [] : observe(subject.series, sample, date);
    const alerts = due.map((watched) => {
      const scene =
        row === null
          ? new EmptyScene(watched, reading, date)
          : new StateScene(watched, reading, subject.series, row, date);
      return decideAlert(watched, scene, reading, date, null);
    });
    return { runs: observed.map(({ run }) => run), observed, buckets: [], alerts };
  }
  const learned = learnBuckets(subject, reading, date, bucketMs);
  const alerts = due.map((watched) =>
    decideBucketed(watched, subject.series, learned.buckets, reading, date, bucketMs),
  );
  return { runs: learned.runs, observed: [], buckets: learned.buckets, alerts };
}

/** The samples of a state record, dated by the round. */
function observe(series: readonly Series[], row: Row, date: number): Observed[] {
  const observed: Observed[] = [];
  for (const [index, one] of series.entries()) {
    const { newest } = one;
    // An overlapping round may come late: what a later one saw stands.
    if (newest !== null && date <= newest.last) continue;
    const value = row.value(one.metric);
    const goesOn =
      newest !== null && sameSample(newest.value, value) && date <= one.third(newest.last);
    const first = goesOn ? newest.first : date;
    const run = { series: one.id, first, last: date, value: valueToText(value) };
    observed.push({ index, run, value });
  }
  return observed;
}

/** The buckets of an answer that are new or say something else than before. */
function learnBuckets(
  subject: WatchedSubject,
  reading: Reading,
  date: number,
  bucketMs: number,
): { runs: Run[]; buckets: BucketSeries[] } {
  const runs: Run[] = [];
  const oldest = date - longestNeed(subject) - SPARE_BUCKETS * bucketMs;
  const buckets = subject.series.map((series) => {
    const old = series.buckets ?? BucketSeries.empty(bucketMs);
    const fresh: [number, Value | null][] = [];
    for (const row of reading.rows) {
      if (row.date === null || row.date < oldest) continue;
      const value = row.value(series.metric);
      const known = old.get(row.date);
      if (known !== undefined && sameSample(known, value)) continue;
      fresh.push([row.date, value]);
      runs.push({
        series: series.id,
        first: row.date,
        last: row.date,
        value: valueToText(value),
      });
    }
    return fresh.length === 0 ? old : old.with(fresh, oldest);
  });
  return { runs, buckets };
}

/** How far back, in milliseconds, any alert on the subject may look. */
export function longestNeed(subject: WatchedSubject): number {
  let longest = 0;
  for (const { watched } of subject.alerts) {
    const { forMs, resolveAfterMs } = watched.rule;
    let window = 0;
    for (const change of changesOf(watched.rule)) {
      if (change.span.kind !== "since_last") window = Math.max(window, change.span.ms);
    }
    // The first bucket of a row looks back over a window of its own.
    longest = Math.max(longest, window + Math.max(forMs, resolveAfterMs));
  }
  return longest;
}

function decideBucketed(
  watched: WatchedAlert,
  series: readonly Series[],
  buckets: readonly BucketSeries[],
  reading: Reading,
  date: number,
  bucketMs: number,
): Decided {
  const { rule } = watched.watched;
  const newest = newestBucket(reading.rows, date, rule.minAgeMs);
  if (newest === null || date - (newest + bucketMs) > rule.maxAgeMs) {
    return decideAlert(watched, new EmptyScene(watched, reading, date), reading, date, null);
  }
  const sceneAt = (start: number): BucketScene =>
    new BucketScene(watched, reading, series, buckets, start);
  const rows = countRows(watched, sceneAt, newest, bucketMs);
  return decideAlert(watched, sceneAt(newest), reading, date, { rows, ms: bucketMs });
}

/** The newest bucket of the answer that is old enough to mean something. */
function newestBucket(rows: readonly Row[], date: number, minAgeMs: number): number | null {
  for (let i = rows.length - 1; i >= 0; i -= 1) {
    const start = rows[i]?.date ?? null;
    if (start !== null && date - start >= minAgeMs) return start;
  }
  return null;
}

/** For how many consecutive buckets, the newest included, `when` and the recovery hold. */
function countRows(
  watched: WatchedAlert,
  sceneAt: (start: number) => BucketScene,
  newest: number,
  bucketMs: number,
): BucketRows {
  const { rule } = watched.watched;
  const count = (
    needMs: number,
    oldest: number,
    holds: (scene: BucketScene) => boolean,
  ): number => {
    let ms = 0;
    for (let start = newest; start >= oldest && holds(sceneAt(start)); start -= bucketMs) {
      ms += bucketMs;
      if (ms >= needMs) break;
    }
    return ms;
  };
  return {
    newest,
    trueMs: count(rule.forMs, 0, (scene) => evaluate(rule.when, scene) === TRUE),
    recoveredMs: count(rule.resolveAfterMs, watched.alert?.firedBucket ?? newest, (scene) => {
      const truth = evaluate(rule.when, scene);
      const recovered = rule.resolveWhen === null ? null : evaluate(rule.resolveWhen, scene);
      return truth <= TRUE && recovers(truth, { recovered, closed: scene.closed });
    }),
  };
}

function decideAlert(
  watched: WatchedAlert,
  scene: JudgedScene,
  reading: Reading,
  date: number,
  bucket: { rows: BucketRows; ms: number } | null,
): Decided {
  const { rule, state } = watched.watched;
  const old = watched.alert ?? newAlert(watched, date);
  const { alert, happened } = transition(rule, old, {
    date,
    previousRound: state.lastRound,
    unanswered: reading.unanswered !== null,
    truth: evaluate(rule.when, scene),
    recovered: rule.resolveWhen === null ? null : evaluate(rule.resolveWhen, scene),
    closed: reading.closed,
    buckets: bucket?.rows ?? null,
  });
  const labelled = remember(withLabel(alert, watched, reading), watched.watched.lastMetrics, scene);
  if (happened.length === 0) {
    return { alert: labelled, changed: labelled !== watched.alert, scene, events: [] };
  }
  const evidence = findEvidence(rule.when, scene);
  const description = descriptionOf(reading);
  const next = {
    ...tell(labelled, happened, rule.notify, valueToText(evidence?.value ?? null)),
    label: description?.label ?? labelled.label,
  };
  const events = happened.map(
    (kind): AlertEvent => ({
      kind,
      rule,
      subject: watched.subject,
      at: date,
      before: old,
      after: next,
      evidence,
      also: otherEvidence(rule.when, scene, evidence),
      bucket: bucket === null ? null : { start: bucket.rows.newest, ms: bucket.ms },
      description,
      decimals: (metric) => scene.decimals(metric),
      closed: reading.closed,
      trouble: reading.trouble,
    }),
  );
  return { alert: next, changed: true, scene, events };
}
