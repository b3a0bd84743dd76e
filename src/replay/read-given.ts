import type { Ask } from "../model/index.ts";
import { errorAtKey, type Path, type Report } from "../rules/finding.ts";
import { shown } from "../rules/quantity-error.ts";
import { readAnswers } from "./read-answers.ts";
import { readSeriesOf } from "./read-values.ts";
import { anyMap, type RawMap } from "./reading.ts";
import type { FieldSeries, Moment, SubjectGiven } from "./rule-test.ts";
import { callSubject, findSubjects, type NamedSubject, nearestSubject } from "./subjects.ts";

interface GivenContext {
  readonly subjects: readonly NamedSubject[];
  readonly everyMs: number;
}

/** All subjects, for what they have in common. */
const ALL = "*";

const SUBJECT = "a subject's name, id, key or chain, or * for all";

/** Reads `values` and `answers` of a case; every subject must be in one of them. */
export function readGiven(
  values: unknown,
  answers: unknown,
  { subjects, everyMs }: GivenContext,
  path: Path,
  tell: Report,
): readonly SubjectGiven[] {
  let failed = false;
  const report: Report = (finding) => {
    failed ||= finding.level === "error";
    tell(finding);
  };
  const series = new Map<NamedSubject, Map<string, FieldSeries>>();
  const records = new Map<NamedSubject, Map<Ask["record"], Moment[]>>();
  const valuesPath = [...path, "values"];
  for (const { one, raw, at, shared } of mentions(values, subjects, valuesPath, report)) {
    const map = anyMap(raw, at, "metrics with a series each, such as {tvl_usd: 100x5}", report);
    if (map === null) continue;
    const known = series.get(one) ?? new Map<string, FieldSeries>();
    series.set(one, known);
    // What is said of all is said of those that have such a metric.
    const own = shared ? withMetricsOf(map, one, subjects) : map;
    for (const each of readSeriesOf(own, one, everyMs, at, report)) known.set(each.field, each);
  }
  for (const { one, raw, at } of mentions(answers, subjects, [...path, "answers"], report)) {
    const known = records.get(one) ?? new Map<Ask["record"], Moment[]>();
    records.set(one, known);
    for (const [record, moments] of readAnswers(raw, one, at, report)) {
      known.set(
        record,
        [...(known.get(record) ?? []), ...moments].toSorted((a, b) => a.at - b.at),
      );
    }
  }
  // What was misread was meant to say something.
  const whole = !failed;
  return subjects.map((one) => {
    const fields = series.get(one);
    const name = callSubject(one, subjects);
    if (whole && (fields?.size ?? 0) === 0 && (records.get(one)?.size ?? 0) === 0) {
      const hint = { expected: `values or answers for it, or for ${ALL}` };
      report(errorAtKey(path, `the case says nothing of ${shown(name)}`, hint));
    }
    const { subject, kind } = one;
    const moments = records.get(one) ?? new Map<Ask["record"], Moment[]>();
    return { subject, kind, name, series: [...(fields?.values() ?? [])], records: moments };
  });
}

interface Mention {
  readonly one: NamedSubject;
  readonly raw: unknown;
  readonly at: Path;
  readonly shared: boolean;
}

/** What stands under each subject's name; what is said of all comes first and gives way. */
function mentions(
  raw: unknown,
  subjects: readonly NamedSubject[],
  path: Path,
  report: Report,
): readonly Mention[] {
  if (raw === undefined) return [];
  const map = anyMap(raw, path, `a map: ${SUBJECT}, and below it what is given`, report);
  const entries = Object.entries(map ?? {});
  const shared = entries
    .filter(([name]) => name === ALL)
    .flatMap(([, value]) =>
      subjects.map((one) => ({ one, raw: value, at: [...path, ALL], shared: true })),
    );
  const named = entries
    .filter(([name]) => name !== ALL)
    .flatMap(([name, value]) =>
      meant(name, subjects, [...path, name], report).map((one) => ({
        one,
        raw: value,
        at: [...path, name],
        shared: false,
      })),
    );
  return [...shared, ...named];
}

function meant(
  name: string,
  subjects: readonly NamedSubject[],
  at: Path,
  report: Report,
): readonly NamedSubject[] {
  const found = findSubjects(name, subjects);
  if (found.length > 0) return found;
  const near = nearestSubject(name, subjects);
  const few = subjects.slice(0, 6).map((one) => callSubject(one, subjects));
  const hint = near === null ? { expected: few.join(", ") } : { suggestion: near };
  report(errorAtKey(at, `no rule of the case watches ${shown(name)}`, hint));
  return [];
}

/** Leaves out what other kinds of subjects have and this one has not. */
function withMetricsOf(map: RawMap, { kind }: NamedSubject, all: readonly NamedSubject[]): RawMap {
  return Object.fromEntries(
    Object.entries(map).filter(
      ([name]) => kind.metrics.has(name) || !all.some((other) => other.kind.metrics.has(name)),
    ),
  );
}
