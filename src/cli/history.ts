import { formatTime, systemClock } from "../base/clock.ts";
import { valueFromText } from "../base/decimal.ts";
import { DAY } from "../base/duration.ts";
import { nearest } from "../base/nearest.ts";
import { cleanText } from "../base/text.ts";
import type { Rule, Run, SeriesName, SubjectFacts } from "../model/index.ts";
import { type FiringSpan, firingSpans } from "../replay/explain/alert-record.ts";
import { callSubject, findByPart, findSubjects, type NamedSubject } from "../replay/subjects.ts";
import type { AlertPast } from "../store/operator-db/past.ts";
import { openRecorded, type Recorded, type RecordedSpan } from "../store/operator-db/recorded.ts";
import type { Moment } from "./arguments.ts";
import {
  type History,
  type HistoryRun,
  historyCsv,
  historyJson,
  historyPage,
} from "./history-page.ts";
import { EXIT, type Io } from "./io.ts";
import { alertSubjects, ruleNamed } from "./rule-argument.ts";
import { theSubject, watchedSubjects } from "./watched-subjects.ts";
import { withOperatorDb } from "./with-operator-db.ts";

export interface HistoryOptions {
  readonly config: string;
  /** Milliseconds. */
  readonly last?: number;
  readonly from?: Moment;
  readonly to?: Moment;
  readonly rule?: string;
  readonly csv?: boolean;
  readonly json?: boolean;
}

/** `tickwatch history`: the exit code. Throws ConfigError and StoreError. */
export async function history(
  text: string,
  metric: string | undefined,
  options: HistoryOptions,
  io: Io,
): Promise<number> {
  return await withOperatorDb(options.config, io, "read", async (db, { store, setup: read }) => {
    const span = spanOf(options, io);
    if (span === null) return EXIT.usage;
    const setup = await read();
    const rule = options.rule === undefined ? null : ruleNamed(options.rule, setup, io);
    if (rule === null && options.rule !== undefined) return EXIT.usage;
    const labels = await db.silences.labels(rule?.name ?? null);
    const all = watchedSubjects(rule === null ? setup : { rules: [rule] }, labels);
    const meant = withMetric(all, metric, text);
    const subject = theSubject(text, meant, io);
    if (subject === null) return EXIT.usage;
    const recorded = await openRecorded(store);
    if (recorded === null) return EXIT.database;
    try {
      const name = callSubject(subject, meant);
      const series = seriesOf(
        subject,
        name,
        metric,
        await recorded.series([subject.subject.key]),
        io,
      );
      if (series === null) return EXIT.found;
      const found = {
        subject,
        name,
        metric: series.metric,
        ...span,
        runs: await runsOf(series.ids, subject, series.metric, setup.rules, span, recorded),
        facts: await factsOf(series.keys, span.to, db.past),
        rule: rule === null ? null : { rule, firing: await firingOf(rule, subject, span, db.past) },
      };
      if (found.runs.length === 0) {
        io.err(`tickwatch: ${emptiness(found, await recorded.span())}\n`);
        return EXIT.found;
      }
      show(found, options, io);
      return EXIT.fine;
    } finally {
      recorded.close();
    }
  });
}

/** Several kinds may watch what people call the same: those that have the metric are meant, if any has it. */
function withMetric(
  all: readonly NamedSubject[],
  metric: string | undefined,
  text: string,
): readonly NamedSubject[] {
  const having = all.filter(({ kind }) =>
    metric === undefined
      ? kind.stream === undefined
      : kind.metrics.get(metric)?.entry === undefined && kind.metrics.has(metric),
  );
  return findSubjects(text, having).length + findByPart(text, having).length > 0 ? having : all;
}

function show(found: History, { csv, json }: HistoryOptions, io: Io): void {
  if (json === true) io.out(`${JSON.stringify(historyJson(found))}\n`);
  else if (csv === true) io.out(historyCsv(found));
  else io.out(`${historyPage(found, io)}\n`);
}

/** The time that is asked for, or null, which is said. */
function spanOf(
  { last, from, to }: HistoryOptions,
  io: Io,
): { readonly from: number; readonly to: number } | null {
  const now = systemClock().now();
  const end = to?.(now) ?? now;
  if (last !== undefined && from !== undefined) {
    io.err("tickwatch: use --last or --from, not both\n");
    return null;
  }
  const start = from?.(now) ?? end - (last ?? DAY);
  if (start < end) return { from: start, to: end };
  io.err(`tickwatch: ${formatTime(start)} is not before ${formatTime(end)}\n`);
  return null;
}

/** The series of a metric, one for each source that the subject has had; null: there is none, which is said. */
function seriesOf(
  { kind }: NamedSubject,
  name: string,
  given: string | undefined,
  recorded: readonly SeriesName[],
  io: Io,
): {
  readonly metric: string;
  readonly ids: readonly number[];
  readonly keys: readonly string[];
} | null {
  const metrics = [...new Set(recorded.map(({ metric }) => metric))];
  const called = cleanText(name, 80);
  if (metrics.length === 0) {
    const why =
      kind.stream === undefined ? "no round has asked for it yet" : "each entry is told once";
    io.err(`tickwatch: nothing is recorded of ${called}: ${why}\n`);
    return null;
  }
  const [only] = metrics;
  const metric = given ?? (metrics.length === 1 ? only : undefined);
  if (metric === undefined) {
    io.err(`tickwatch: say which metric of ${called}: ${metrics.join(", ")}\n`);
    return null;
  }
  const series = recorded.filter((one) => one.metric === metric);
  if (series.length > 0) {
    return { metric, ids: series.map(({ id }) => id), keys: series.map((one) => one.subject) };
  }
  const said = cleanText(metric, 80);
  const near = nearest(metric, [...kind.metrics.keys()]);
  io.err(
    kind.metrics.has(metric) || near === null
      ? `tickwatch: ${said} of ${called} is not recorded, as no rule compares it; recorded: ${metrics.join(", ")}\n`
      : `tickwatch: ${kind.kind} has no metric ${said}; did you mean ${near}?\n`,
  );
  return null;
}

/** The runs that reach into the span, oldest first. */
async function runsOf(
  ids: readonly number[],
  { subject, kind }: NamedSubject,
  metric: string,
  rules: readonly Rule[],
  { from, to }: { readonly from: number; readonly to: number },
  recorded: Recorded,
): Promise<HistoryRun[]> {
  const runs: Run[] = [];
  for await (const page of recorded.runs(ids, from, to)) runs.push(...page);
  runs.sort((a, b) => a.first - b.first);
  const force = forceOf(subject.key, kind.bucketMs, rules);
  const quantity = kind.metrics.get(metric)?.quantity ?? "text";
  const found = runs.map(({ first, last, value }, i): HistoryRun => {
    const next = runs[i + 1]?.first ?? Number.POSITIVE_INFINITY;
    const until = next <= force(last) ? next : (kind.bucketMs ?? 0) + last;
    return { first, last, until, text: value, value: valueFromText(value, quantity) };
  });
  return found.filter(({ last, until }) => Math.max(last, until) >= from);
}

/** Until when a value that was observed at a date may be in force, by the rule that looks most often. */
function forceOf(
  key: string,
  bucketMs: number | null,
  rules: readonly Rule[],
): (last: number) => number {
  if (bucketMs !== null) return (last) => last + 3 * bucketMs;
  const schedules = rules.filter(
    ({ subjects, across }) => across !== null || subjects.some((one) => one.key === key),
  );
  return (last) =>
    schedules.reduce(
      (least, { schedule }) => Math.min(least, schedule.third(last)),
      last + 3 * DAY,
    );
}

async function factsOf(
  keys: readonly string[],
  at: number,
  past: AlertPast,
): Promise<SubjectFacts | null> {
  for (const key of keys.toReversed()) {
    const facts = await past.facts(key, at);
    if (facts !== null) return facts;
  }
  return null;
}

async function firingOf(
  rule: Rule,
  { subject }: NamedSubject,
  { from, to }: { readonly from: number; readonly to: number },
  past: AlertPast,
): Promise<FiringSpan[]> {
  // Of a rule over several subjects there is one alert, on all of them.
  const [all] = rule.across === null ? [] : alertSubjects(rule, new Map());
  const key = all?.subject.key ?? subject.key;
  return firingSpans(await past.changes(rule.name, key, from, to));
}

function emptiness({ metric, name, from, to }: History, span: RecordedSpan | null): string {
  const what = `${metric} of ${cleanText(name, 80)} has no sample from ${formatTime(from)} to ${formatTime(to)}`;
  return span === null
    ? `${what}: no round is recorded`
    : `${what}; rounds are recorded from ${formatTime(span.first)} to ${formatTime(span.last)}`;
}
