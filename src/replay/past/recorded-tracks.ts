import { DAY } from "../../base/duration.ts";
import type { SeriesName, SubjectFacts } from "../../model/index.ts";
import { keyOf, type Recorded, type RecordedSpan } from "../../store/operator-db/recorded.ts";
import type { Need, RuleNeeds } from "./needs.ts";
import { PRICE_OF_RANGE } from "./past-subject.ts";

/** What a daemon recorded of one subject. */
export interface RecordedTrack {
  /** From when to when all that is needed was recorded; null: something never was. */
  readonly span: RecordedSpan | null;
  /** By metric, the needed ones that were recorded. */
  readonly series: ReadonlyMap<string, readonly number[]>;
  /** The rules, by name, whose rounds asked for it. */
  readonly readers: ReadonlySet<string>;
  readonly label: string | null;
  /** What the samples do not say, oldest first. */
  readonly facts: readonly SubjectFacts[];
}

/** Whether a daemon recorded a metric of a subject that one of these rules has alerts on. */
export async function recordedMetrics(
  recorded: Recorded | null,
  needs: readonly RuleNeeds[],
): Promise<(key: string, metric: string) => boolean> {
  if (recorded === null) return () => false;
  const keys = new Set(needs.flatMap(({ own }) => own.map(({ key }) => key)));
  const names = seriesByName(await recorded.series([...keys]));
  return (key, metric) => names.has(`${key}\n${metric}`);
}

/** Finds in what a daemon recorded what rules need, by the subject's key. */
export async function recordedTracks(
  needs: ReadonlyMap<string, Need>,
  recorded: Recorded,
): Promise<ReadonlyMap<string, RecordedTrack>> {
  const span = await recorded.span();
  const keys = [...needs.keys()];
  const all = await recorded.series(keys);
  const series = seriesByName(all);
  const sampled = new Map<string, number[]>();
  for (const { id, subject } of all) {
    const key = keyOf(subject);
    sampled.set(key, [...(sampled.get(key) ?? []), id]);
  }
  const spans = await recorded.spans([...sampled.values()].flat());
  const spansOf = (ids: readonly number[] = []): readonly RecordedSpan[] =>
    ids.flatMap((id) => spans.get(id) ?? []);
  const readers = new Map<string, Set<string>>();
  const labels = new Map<string, string>();
  for (const { rule, subject, label } of await recorded.watched(keys)) {
    readers.set(subject, (readers.get(subject) ?? new Set()).add(rule));
    if (label !== null) labels.set(subject, label);
  }
  const facts = new Map<string, SubjectFacts[]>();
  for (const one of await recorded.facts(keys)) {
    const key = keyOf(one.subject);
    facts.set(key, [...(facts.get(key) ?? []), one]);
  }
  const known = await recorded.rules();
  const tracks = new Map<string, RecordedTrack>();
  for (const [key, { metrics, rules }] of needs) {
    const found = new Map<string, readonly number[]>();
    for (const metric of metrics) {
      const ids = series.get(`${key}\n${metric}`);
      if (ids !== undefined) found.set(metric, ids);
    }
    const isMute = readers.has(key) && spansOf(sampled.get(key)).length === 0;
    const its = [...metrics].map((metric) => spansOf(found.get(metric)));
    const recordedSpan = span === null ? null : spanOf(its, span, isMute);
    // Not needed, but what is told of a position is told with where the price was.
    const ticks = series.get(`${key}\n${PRICE_OF_RANGE}`);
    if (ticks !== undefined) found.set(PRICE_OF_RANGE, ticks);
    const own = [...rules].filter((rule) => known.has(rule));
    tracks.set(key, {
      series: found,
      span: recordedSpan,
      readers: new Set([...(readers.get(key) ?? []), ...own]),
      label: labels.get(key) ?? null,
      facts: facts.get(key) ?? [],
    });
  }
  return tracks;
}

/** A subject may have had several sources, each with series of its own: `KEY`, `KEY@1`, `KEY~2`. */
function seriesByName(all: readonly SeriesName[]): ReadonlyMap<string, readonly number[]> {
  const byName = new Map<string, number[]>();
  for (const { id, subject, metric } of all) {
    const name = `${keyOf(subject)}\n${metric}`;
    const others = byName.get(name);
    if (others === undefined) byName.set(name, [id]);
    else others.push(id);
  }
  return byName;
}

/**
 * From when to when there are samples of all metrics, of each of which its series' spans are given, within the rounds
 * that are kept. `isMute`: rounds asked for it, and none of them had an answer.
 */
function spanOf(
  metrics: readonly (readonly RecordedSpan[])[],
  rounds: RecordedSpan,
  isMute: boolean,
): RecordedSpan | null {
  let { first, last } = rounds;
  let earliest = first;
  let latest = Number.NEGATIVE_INFINITY;
  for (const spans of metrics) {
    if (spans.length === 0 && !isMute) return null;
    earliest = Math.max(earliest, Math.min(last, ...spans.map((one) => one.first)));
    latest = Math.max(latest, first, ...spans.map((one) => one.last));
  }
  // What was watched from the first round to the last one may have had no answer in some of them.
  if (earliest > first + DAY) first = earliest;
  if (latest < last - DAY) last = latest;
  return first <= last ? { first, last } : null;
}
