import { combined } from "../../decide/across.ts";
import { comparisonsOf, comparisonsOfRule, lookBackOf } from "../../decide/condition-tree.ts";
import type { Answers, History } from "../../kinds/kind.ts";
import type { Ask, Value } from "../../model/index.ts";
import type { SubjectMemory } from "../../poll/memory.ts";
import type { SeriesMemory } from "../../poll/series-memory.ts";

type Point = readonly [date: number, value: Value | null];

/** Where the past of one series can be asked for. */
export interface SeriesHistory {
  readonly series: SeriesMemory;
  readonly needMs: number;
  readonly spacingMs: number;
  readonly asks: readonly Ask[];
  /** Oldest first; null is no data. */
  points(answers: Answers): readonly Point[];
}

/** How far back, in milliseconds, any alert on the subject looks at one metric. */
function needOfMetric(subject: SubjectMemory, metric: string): number {
  let longest = 0;
  for (const { watched } of subject.alerts) {
    const { rule } = watched;
    let window = 0;
    for (const one of comparisonsOfRule(rule)) {
      if (one.metric === metric) window = Math.max(window, lookBackOf(one));
    }
    // The first bucket of a row looks back over a window of its own.
    const rows = subject.kind.bucketMs === null ? 0 : Math.max(rule.forMs, rule.resolveAfterMs);
    if (window > 0) longest = Math.max(longest, window + rows);
  }
  return longest;
}

/**
 * The history of a series as far back as its windows need it; of a series over several subjects those
 * of all of them. `later`: a round has to show first what to ask; null: there is none, or no need.
 */
export function historyOf(
  subject: SubjectMemory,
  series: SeriesMemory,
  now: number,
): SeriesHistory | "later" | null {
  const needMs = needOfMetric(subject, series.metric);
  if (needMs === 0) return null;
  const across = subject.alerts.find(({ watched }) => watched.rule.across !== null)?.watched;
  const members = across === undefined ? [subject] : across.members;
  const histories: History[] = [];
  for (const { kind, subject: one, followed } of members) {
    const history = kind.history?.(one, series.metric, now - needMs, now, followed) ?? null;
    if (history === null || history === "later") return history;
    histories.push(history);
  }
  const [first] = histories;
  // What a day ended with says nothing of an hour.
  if (first === undefined || first.spacingMs > needMs) return null;
  const how = across?.rule.across ?? null;
  return {
    series,
    needMs,
    spacingMs: first.spacingMs,
    asks: histories.map(({ ask }) => ask),
    points: (answers) => {
      const lists = histories.map((history): readonly Point[] => {
        const answer = answers(history.ask);
        return answer === undefined ? [] : history.points(answer, series.metric);
      });
      return how === null ? (lists[0] ?? []) : together(how, lists);
    },
  };
}

/** The points of the dates that all have. */
function together(
  how: Parameters<typeof combined>[0],
  lists: readonly (readonly Point[])[],
): readonly Point[] {
  const [first = [], ...others] = lists;
  const maps = others.map((list) => new Map(list));
  return first.flatMap(([date, value]): Point[] => {
    const all = [value, ...maps.map((one) => one.get(date))];
    const known = all.filter((one) => one !== undefined);
    return known.length === all.length ? [[date, combined(how, known)]] : [];
  });
}

/** Whether what an alert does not know of the past may be in a history that is still to come. */
export function isBackfilling(
  subject: SubjectMemory,
  when: Parameters<typeof comparisonsOf>[0],
): boolean {
  const open = subject.series.filter(({ backfilling }) => backfilling);
  if (open.length === 0) return false;
  return comparisonsOf(when).some(
    (one) => lookBackOf(one) > 0 && open.some(({ metric }) => metric === one.metric),
  );
}
