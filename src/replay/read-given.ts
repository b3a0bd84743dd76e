import { nearest } from "../base/nearest.ts";
import { fieldsOf } from "../kinds/fields.ts";
import { type Ask, RECORDS } from "../model/index.ts";
import { errorAt, errorAtKey, itemsAt, type Path, type Report, shown } from "../rules/finding.ts";
import { anyMap, type RawMap, readOffset, readSeriesOf } from "./reading.ts";
import { recordJson } from "./record-json.ts";
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
      const expected = `values or answers for it, or for ${ALL}`;
      report(
        errorAtKey("nothing-given", path, `the case gives no value for ${shown(name)}`, expected),
      );
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
  report(errorAtKey("unknown-subject", at, `no rule of the case watches ${shown(name)}`, hint));
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

/** How endpoints fare can be given like any record. */
const NAMES: readonly Ask["record"][] = [...RECORDS, "endpoint"];

const EXPECTED = "records by name with their fields, such as {v4_pool: {current_tick: 10}}";
const RECORD = "a map of fields, a list of entries, absent or fail";

/** What a case answers for one subject: one map for all times, or a list of `at` and what changes. */
function readAnswers(
  raw: unknown,
  subject: NamedSubject,
  path: Path,
  report: Report,
): ReadonlyMap<Ask["record"], readonly Moment[]> {
  const found = new Map<Ask["record"], Moment[]>();
  for (const { item, at } of itemsAt(raw, path)) {
    const map = anyMap(item, at, EXPECTED, report);
    if (map === null) continue;
    const time = readOffset(map.at, [...at, "at"], report) ?? 0;
    for (const [name, value] of Object.entries(map)) {
      if (name === "at") continue;
      const record = NAMES.find((one) => one === name);
      if (record === undefined) {
        report(unknownRecord(name, subject, [...at, name]));
        continue;
      }
      const change = readChange(value, record, [...at, name], report);
      if (change === null) continue;
      const known = found.get(record);
      if (known === undefined) found.set(record, [{ at: time, change }]);
      else known.push({ at: time, change });
    }
  }
  return found;
}

function readChange(
  raw: unknown,
  record: Ask["record"],
  path: Path,
  report: Report,
): Moment["change"] | null {
  if (raw === "absent") return { kind: "absent" };
  if (raw === "fail") return { kind: "failed" };
  const fields = fieldsOf(record);
  if (!Array.isArray(raw)) {
    const map = anyMap(raw, path, RECORD, report);
    return map === null ? null : { kind: "fields", fields: recordJson(map, fields, path, report) };
  }
  const items: readonly unknown[] = raw;
  const entries = items.flatMap((item, i) => {
    const map = anyMap(item, [...path, i], "a map of fields", report);
    return map === null ? [] : [recordJson(map, fields, [...path, i], report)];
  });
  return { kind: "entries", entries };
}

function unknownRecord(name: string, { kind }: NamedSubject, path: Path) {
  const near = nearest(name, NAMES);
  const hint = near === null ? { expected: kind.records.join(", ") } : { suggestion: near };
  // A field at the place of a record is the usual slip.
  const [own] = kind.records;
  return own !== undefined && name in fieldsOf(own)
    ? errorAt("unknown-field", path, `${name} is a field of ${own}`, `${own}: {${name}: …}`)
    : errorAtKey("unknown-field", path, `unknown record ${shown(name)}`, hint);
}
