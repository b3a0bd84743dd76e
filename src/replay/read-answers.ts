import { nearest } from "../base/nearest.ts";
import { fieldsOf } from "../kinds/fields.ts";
import { type Ask, RECORDS } from "../model/index.ts";
import { errorAt, errorAtKey, type Path, type Report } from "../rules/finding.ts";
import { shown } from "../rules/quantity-error.ts";
import { anyMap, readOffset } from "./reading.ts";
import { recordJson } from "./record-json.ts";
import type { Moment } from "./rule-test.ts";
import type { NamedSubject } from "./subjects.ts";

/** How endpoints fare can be given like any record. */
const NAMES: readonly Ask["record"][] = [...RECORDS, "endpoint"];

const EXPECTED = "records by name with their fields, such as {v4_pool: {current_tick: 10}}";
const RECORD = "a map of fields, a list of entries, absent or fail";

/** What a case answers for one subject: one map for all times, or a list of `at` and what changes. */
export function readAnswers(
  raw: unknown,
  subject: NamedSubject,
  path: Path,
  report: Report,
): ReadonlyMap<Ask["record"], readonly Moment[]> {
  const found = new Map<Ask["record"], Moment[]>();
  const items: readonly unknown[] = Array.isArray(raw) ? raw : [raw];
  for (const [i, item] of items.entries()) {
    const at = Array.isArray(raw) ? [...path, i] : path;
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
    ? errorAt(path, `${name} is a field of ${own}`, { expected: `${own}: {${name}: …}` })
    : errorAtKey(path, `${shown(name)} is no record`, hint);
}
