import { ChartData, drawChart } from "../base/chart.ts";
import { Decimal, parseDecimal, shift } from "../base/decimal.ts";
import { comparisonsOf, limitsOf } from "../decide/condition-tree.ts";
import type { Comparison, Limit, Rule } from "../model/index.ts";
import type { Track } from "../replay/past/backtest.ts";
import type { Firing } from "../replay/past/firings.ts";
import type { Recorded } from "../store/operator-db/recorded.ts";
import type { Replayed } from "./backtest-run.ts";
import type { RuleSummary } from "./backtest-summary.ts";
import { valueWriter } from "./backtest-values.ts";
import type { Io } from "./io.ts";

/** A metric of one subject over the time of a backtest, with the limit and when the alert fired. */
export interface Picture {
  readonly subject: string;
  readonly label: string | null;
  readonly metric: string;
  readonly data: ChartData;
  readonly limits: readonly { readonly value: Decimal; readonly text: string }[];
  readonly firings: readonly Firing[];
}

/** Of the subject that fired most, or else of the first: one picture says more than thirty. */
export function pictureOf(
  { stories }: RuleSummary,
  rule: Rule,
  replayed: Replayed,
  recorded: Recorded | null,
): Picture | null {
  const [story] = stories.toSorted((a, b) => b.firings.length - a.firings.length);
  const comparison = comparisonsOf(rule.when)[0];
  if (story === undefined || comparison === undefined) return null;
  const track = replayed.tracks.get(story.subject);
  if (track === undefined) return null;
  const { metric } = comparison;
  const data = chartData(track, metric, recorded, replayed.from, replayed.until);
  if (data === null || data.lowest === null) return null;
  const decimals = rule.decimals.get(story.subject) ?? track.past.facts.decimals(metric);
  return {
    subject: story.subject,
    label: story.label,
    metric,
    data,
    limits: linesOf(comparison, decimals),
    firings: story.firings,
  };
}

/** The lines of the chart in a terminal; none where there are no numbers. */
export function chartOf(
  summary: RuleSummary,
  rule: Rule,
  replayed: Replayed,
  recorded: Recorded | null,
  io: Pick<Io, "colours" | "columns">,
): readonly string[] {
  const picture = pictureOf(summary, rule, replayed, recorded);
  if (picture === null) return [];
  const { data, limits, firings, subject, metric } = picture;
  const write = valueWriter(rule, replayed.tracks);
  return drawChart({
    data,
    limits,
    spans: [
      {
        name: rule.event ? "events" : "firing",
        mark: "█",
        spans: firings.map(({ start, end, event }) => ({ from: start, to: event ? start : end })),
      },
    ],
    write: (value) => write(subject, metric, value.toString()),
    columns: io.columns,
    rows: 6,
    colours: io.colours,
  });
}

/** What a chart shows of a metric: from what was recorded, and from points of histories. */
function chartData(
  track: Track,
  metric: string,
  recorded: Recorded | null,
  from: number,
  to: number,
): ChartData | null {
  if (from >= to) return null;
  const data = new ChartData(from, to);
  const lengthMs = track.past.kind.bucketMs ?? 0;
  const ids = track.recordedSeries.get(metric) ?? [];
  if (recorded !== null && ids.length > 0) {
    let before: { readonly first: number; readonly last: number; readonly value: Decimal } | null =
      null;
    for (const run of runsOf(recorded, ids, from, to)) {
      const value = run.value === null ? null : parseDecimal(run.value);
      // What stays in force up to the next sample is one line.
      if (before !== null) {
        const goesOn = run.first - before.last < MOST_GAP_MS;
        data.add(before.first, goesOn ? run.first : before.last, before.value);
      }
      before = value === null ? null : { first: run.first, last: run.last + lengthMs, value };
    }
    if (before !== null) data.add(before.first, before.last, before.value);
  }
  for (const [date, value] of track.past.entries?.values(metric, from, to) ?? []) {
    if (value instanceof Decimal) data.add(date, date, value);
  }
  for (const [date, value] of track.points.get(metric) ?? []) {
    const isRecorded =
      track.recorded !== null && track.recorded.first <= date && date <= track.recorded.last;
    if (value instanceof Decimal && !isRecorded)
      data.add(date, date + (track.spacingMs ?? 0), value);
  }
  return data;
}

/** Longer gaps between samples are drawn as gaps. */
const MOST_GAP_MS = 15 * 60_000;

function* runsOf(recorded: Recorded, ids: readonly number[], from: number, to: number) {
  for (const page of recorded.runs(ids, from, to)) yield* page;
}

/** The limits of a level that are known without a past. */
function linesOf(comparison: Comparison, decimals: number | null): Picture["limits"] {
  return limitsOf(comparison).flatMap((limit) => {
    const value = amountIn(limit, decimals);
    return value === null ? [] : [{ value, text: `limit ${limit.text}` }];
  });
}

function amountIn(limit: Limit, decimals: number | null): Decimal | null {
  if (limit.kind === "value") return limit.value instanceof Decimal ? limit.value : null;
  if (limit.kind === "tokens" && decimals !== null) return shift(limit.amount, decimals);
  return null;
}
