import { type ChartData, drawChart } from "../base/chart.ts";
import { Decimal, parseDecimal, shift } from "../base/decimal.ts";
import { comparisonsOf, limitsOf } from "../decide/condition-tree.ts";
import type { Comparison, Limit, Rule } from "../model/index.ts";
import type { Firing } from "../replay/past/firings.ts";
import type { Track } from "../replay/past/tracks.ts";
import type { Recorded } from "../store/operator-db/recorded.ts";
import { Curve } from "./backtest-curves.ts";
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

/** The metrics that the pictures of these rules show. */
export function drawnMetrics(rules: readonly Rule[]): ReadonlySet<string> {
  return new Set(rules.flatMap((rule) => comparisonsOf(rule.when)[0]?.metric ?? []));
}

/**
 * The pictures of these rules, by name: each of the subject that fired most, or else of the first, since one picture says
 * more than thirty.
 */
export async function picturesOf(
  summaries: readonly RuleSummary[],
  rules: readonly Rule[],
  replayed: Replayed,
  recorded: Recorded | null,
): Promise<ReadonlyMap<string, Picture>> {
  const { tracks, curves } = replayed;
  const pictures = new Map<string, Picture>();
  for (const { support, stories } of summaries) {
    const rule = rules.find(({ name }) => name === support.name);
    const [story] = stories.toSorted((a, b) => b.firings.length - a.firings.length);
    const comparison = rule === undefined ? undefined : comparisonsOf(rule.when)[0];
    const track = story === undefined ? undefined : tracks.get(story.subject);
    if (!(rule && comparison && story && track)) continue;
    const { metric } = comparison;
    const data = curves.ended(track.past.seriesOf(metric));
    addPoints(data, track, metric);
    await addBuckets(data, track, metric, recorded);
    if (data.lowest === null) continue;
    const decimals = rule.decimals.get(story.subject) ?? track.past.facts.decimals(metric);
    pictures.set(rule.name, {
      subject: story.subject,
      label: story.label ?? track.past.facts.description.label,
      metric,
      data,
      limits: linesOf(comparison, decimals),
      firings: story.firings,
    });
  }
  return pictures;
}

/** The lines of the chart in a terminal. */
export function chartOf(
  picture: Picture,
  rule: Rule,
  replayed: Replayed,
  io: Pick<Io, "colours" | "columns">,
): readonly string[] {
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

/** What histories and lists tell of a metric. */
function addPoints(data: ChartData, track: Track, metric: string): void {
  for (const [date, value] of track.past.entries?.values(metric, data.from, data.to) ?? []) {
    if (value instanceof Decimal) data.add(date, date, value);
  }
  for (const [date, value] of track.points.get(metric) ?? []) {
    const isRecorded =
      track.recorded !== null && track.recorded.first <= date && date <= track.recorded.last;
    if (value instanceof Decimal && !isRecorded)
      data.add(date, date + (track.spacingMs ?? 0), value);
  }
}

/** What was recorded of hours and days, each with the last that was seen of it. */
async function addBuckets(
  data: ChartData,
  { past, recordedSeries }: Track,
  metric: string,
  recorded: Recorded | null,
): Promise<void> {
  const { bucketMs } = past.kind;
  const ids = recordedSeries.get(metric) ?? [];
  if (recorded === null || bucketMs === null || ids.length === 0) return;
  const curve = new Curve(data);
  for await (const page of recorded.runs(ids, data.from, data.to)) {
    for (const { first, last, value } of page) {
      curve.take(first, last + bucketMs, value === null ? null : parseDecimal(value));
    }
  }
  curve.end();
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
