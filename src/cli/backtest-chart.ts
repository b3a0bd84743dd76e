import { ChartData, drawChart } from "../base/chart.ts";
import { Decimal, parseDecimal, shift } from "../base/decimal.ts";
import { comparisonsOf, limitsOf } from "../decide/condition-tree.ts";
import type { Comparison, Limit, Rule, Run } from "../model/index.ts";
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

/**
 * The pictures of these rules, by name: each of the subject that fired most, or else of the first, since one picture says
 * more than thirty. What was recorded is read once for all of them.
 */
export function picturesOf(
  summaries: readonly RuleSummary[],
  rules: readonly Rule[],
  replayed: Replayed,
  recorded: Recorded | null,
): ReadonlyMap<string, Picture> {
  const { from, until, tracks } = replayed;
  const pictures = new Map<string, Picture>();
  const curves = new Map<number, Curve[]>();
  for (const { support, stories } of from < until ? summaries : []) {
    const rule = rules.find(({ name }) => name === support.name);
    const [story] = stories.toSorted((a, b) => b.firings.length - a.firings.length);
    const comparison = rule === undefined ? undefined : comparisonsOf(rule.when)[0];
    const track = story === undefined ? undefined : tracks.get(story.subject);
    if (!(rule && comparison && story && track)) continue;
    const { metric } = comparison;
    const data = new ChartData(from, until);
    addPoints(data, track, metric);
    const curve = new Curve(data, track.past.kind.bucketMs ?? 0);
    for (const id of track.recordedSeries.get(metric) ?? []) {
      curves.set(id, [...(curves.get(id) ?? []), curve]);
    }
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
  if (recorded !== null && curves.size > 0) {
    for (const page of recorded.runs([...curves.keys()], from, until)) {
      for (const run of page) for (const curve of curves.get(run.series) ?? []) curve.take(run);
    }
  }
  for (const all of curves.values()) for (const curve of all) curve.end();
  return new Map([...pictures].filter(([, { data }]) => data.lowest !== null));
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

/** Longer gaps between samples are drawn as gaps. */
const MOST_GAP_MS = 15 * 60_000;

/** What was recorded of a metric, run by run. */
class Curve {
  #before: { readonly first: number; readonly last: number; readonly value: Decimal } | null = null;

  constructor(
    private readonly data: ChartData,
    private readonly bucketMs: number,
  ) {}

  take(run: Run): void {
    const value = run.value === null ? null : parseDecimal(run.value);
    // What stays in force up to the next sample is one line.
    this.#draw(run.first);
    this.#before =
      value === null ? null : { first: run.first, last: run.last + this.bucketMs, value };
  }

  end(): void {
    this.#draw(Number.POSITIVE_INFINITY);
    this.#before = null;
  }

  #draw(next: number): void {
    if (this.#before === null) return;
    const { first, last, value } = this.#before;
    this.data.add(first, next - last < MOST_GAP_MS ? next : last, value);
  }
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
