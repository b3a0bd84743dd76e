import { ChartData, drawChart } from "../base/chart.ts";
import { formatMoment, formatTime } from "../base/clock.ts";
import { compare, Decimal, decimalFromInteger, shift } from "../base/decimal.ts";
import { MINUTE } from "../base/duration.ts";
import { formatValue, type Written } from "../base/format.ts";
import { countOf } from "../base/text.ts";
import {
  comparisonsOf,
  comparisonText,
  conditionText,
  limitsOf,
} from "../decide/condition-tree.ts";
import type { Rule, SubjectFacts, Value } from "../model/index.ts";
import type { FiringSpan } from "../replay/explain/alert-record.ts";
import type { NamedSubject } from "../replay/subjects.ts";
import { writtenAs } from "../rules/describe/metric-words.ts";
import type { Io } from "./io.ts";
import { iso, table } from "./report.ts";

/** One value as it was observed from one round to another; null: no data. */
export interface HistoryRun {
  readonly first: number;
  readonly last: number;
  /** Until when it is drawn: up to the next one, unless more than three intervals are between them. */
  readonly until: number;
  readonly text: string | null;
  readonly value: Value | null;
}

/** What is shown of one metric of one subject. */
export interface History {
  readonly subject: NamedSubject;
  readonly name: string;
  readonly metric: string;
  readonly from: number;
  readonly to: number;
  readonly runs: readonly HistoryRun[];
  readonly facts: SubjectFacts | null;
  readonly rule: { readonly rule: Rule; readonly firing: readonly FiringSpan[] } | null;
}

/** Longer symbols are cut beside a chart. */
const LONGEST_UNIT = 20;
/** So many of the newest values are listed under the chart. */
const MOST_LISTED = 12;

/** `--csv`: one line for each value that stayed, with exact text. */
export function historyCsv({ runs }: History): string {
  const lines = runs.map(({ first, last, text }) =>
    [iso(first), iso(last), cell(text ?? "")].join(","),
  );
  return ["first,last,value", ...lines, ""].join("\n");
}

function cell(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** `--json`. */
export function historyJson({
  subject,
  name,
  metric,
  from,
  to,
  runs,
  facts,
  rule,
}: History): unknown {
  return {
    subject: subject.subject.key,
    name,
    metric,
    unit: facts?.units[metric] ?? null,
    decimals: facts?.decimals[metric] ?? null,
    from: iso(from),
    to: iso(to),
    samples: runs.map(({ first, last, text }) => ({
      first: iso(first),
      last: iso(last),
      value: text,
    })),
    ...(rule === null
      ? {}
      : {
          rule: rule.rule.name,
          when: conditionText(rule.rule.when),
          firing: rule.firing.map((span) => ({ from: iso(span.from), to: iso(span.to) })),
        }),
  };
}

export function historyPage(found: History, io: Io): string {
  const { name, metric, from, to, runs, rule } = found;
  const label = found.subject.kind.metrics.get(metric)?.label ?? metric;
  const write = writer(found);
  const chart = chartLines(found, io, write);
  const time = timeWriter(runs);
  return [
    `${label} of ${name} (${metric}), ${formatTime(from)} to ${formatTime(to)}`,
    ...chart,
    "",
    ...summary(found, write.long, time),
    ...(rule === null ? [] : firingLines(rule, time)),
    "",
    ...valueTable(found, write.long, time),
  ].join("\n");
}

/** To the second where some round was not at a full minute. */
function timeWriter(runs: readonly HistoryRun[]): (at: number) => string {
  return runs.some(({ first, last }) => (first % MINUTE) + (last % MINUTE) > 0)
    ? formatMoment
    : formatTime;
}

interface Writer {
  readonly short: (value: Value) => string;
  readonly long: (value: Value) => string;
}

function writer({ subject, metric, facts, name }: History): Writer {
  const spec = subject.kind.metrics.get(metric);
  if (spec === undefined) return { short: String, long: String };
  const decimals = facts?.decimals[metric] ?? null;
  const unit = facts?.units[metric] ?? "";
  const description = { label: name, chain: "", link: null, range: null, unit: () => unit };
  const as: Written = writtenAs(spec, decimals, description, LONGEST_UNIT);
  return {
    short: (value) => formatValue(value, { ...as, unit: "" }).slice(0, 30),
    long: (value) => formatValue(value, as, "full"),
  };
}

/** A number that stands for a value in a chart; null: it cannot be drawn. */
function drawable(value: Value): Decimal | null {
  if (value instanceof Decimal) return value;
  return typeof value === "boolean" ? decimalFromInteger(value ? 1 : 0) : null;
}

function chartLines(found: History, io: Io, { short, long }: Writer): readonly string[] {
  const { from, to, runs, rule, facts, metric } = found;
  const data = new ChartData(from, to);
  const missing: { from: number; to: number }[] = [];
  let isText = false;
  let isBoolean = false;
  for (const { first, last, until, value } of runs) {
    if (value === null) missing.push({ from: first, to: Math.max(last, until) });
    else {
      const drawn = drawable(value);
      isText ||= drawn === null;
      isBoolean ||= typeof value === "boolean";
      if (drawn !== null) data.add(first, Math.max(last, until), drawn);
    }
  }
  if (isText) return [];
  const decimals = facts?.decimals[metric] ?? null;
  const { lowest, highest } = data;
  const differ = lowest !== null && highest !== null && compare(lowest, highest) !== 0;
  const write = differ && short(lowest) === short(highest) ? long : short;
  return drawChart({
    data,
    limits: rule === null ? [] : limitLines(rule.rule, metric, decimals),
    spans: [
      { name: "firing", mark: "█", spans: rule?.firing ?? [] },
      { name: "no data", mark: "░", spans: missing },
    ],
    write: (value) => write(isBoolean ? compare(value, Decimal.ZERO) > 0 : value),
    columns: io.columns,
    colours: io.colours,
    ...(isBoolean ? { rows: 3 } : {}),
  });
}

/** The limits of the metric that are numbers whatever the market does. */
function limitLines(
  { when }: Rule,
  metric: string,
  decimals: number | null,
): { readonly value: Decimal; readonly text: string }[] {
  return comparisonsOf(when).flatMap((comparison) => {
    if (comparison.metric !== metric) return [];
    return limitsOf(comparison).flatMap((limit) => {
      const text = `${metric} ${comparisonText(comparison)}`;
      if (limit.kind === "tokens") {
        return decimals === null ? [] : [{ value: shift(limit.amount, decimals), text }];
      }
      if (limit.kind !== "value") return [];
      const value = drawable(limit.value);
      return value === null || typeof limit.value === "boolean" ? [] : [{ value, text }];
    });
  });
}

function summary(
  { runs, to, subject }: History,
  write: (value: Value) => string,
  time: (at: number) => string,
): string[] {
  const seen = subject.kind.bucketMs === null ? "seen" : "of";
  const known = runs.filter((run): run is HistoryRun & { value: Value } => run.value !== null);
  const newest = runs.at(-1);
  if (newest === undefined) return [];
  const numbers = known.filter(
    (run): run is HistoryRun & { value: Decimal } => run.value instanceof Decimal,
  );
  const [first] = numbers;
  let [low, high] = [first, first];
  for (const run of numbers) {
    if (low === undefined || compare(run.value, low.value) < 0) low = run;
    if (high === undefined || compare(run.value, high.value) > 0) high = run;
  }
  const lines = [
    `newest  ${newest.value === null ? "no data" : write(newest.value)}, ${seen} ${time(Math.min(newest.last, to))}`,
  ];
  if (low !== undefined && high !== undefined && low !== high) {
    lines.push(`lowest  ${write(low.value)} at ${time(low.first)}`);
    lines.push(`highest ${write(high.value)} at ${time(high.first)}`);
  }
  return lines;
}

function firingLines(
  { rule, firing }: NonNullable<History["rule"]>,
  time: (at: number) => string,
): string[] {
  const head = `rule    ${rule.name}: ${conditionText(rule.when)}`;
  if (firing.length === 0) return [head, "        it did not fire in this time"];
  const shown = firing.slice(-MOST_LISTED);
  const more = firing.length - shown.length;
  return [
    head,
    ...(more > 0 ? [`        fired ${countOf(more, "more time")} before`] : []),
    ...shown.map(
      ({ from, to }) =>
        `        fired ${time(from)}, ${to === null ? "still firing" : `resolved ${time(to)}`}`,
    ),
  ];
}

function valueTable(
  { runs, subject }: History,
  write: (value: Value) => string,
  time: (at: number) => string,
): string[] {
  const bucketMs = subject.kind.bucketMs ?? 0;
  const shown = runs.slice(-MOST_LISTED);
  const rows = shown.map(({ first, last, value }) => [
    time(first),
    time(last + bucketMs),
    value === null ? "no data" : write(value),
  ]);
  const more = runs.length - shown.length;
  return [
    table(["from", "to", "value"], rows),
    ...(more > 0 ? [`${countOf(more, "value")} before these; --csv and --json print all`] : []),
  ];
}
