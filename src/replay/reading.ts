import type { FieldSpec } from "../api/endpoints.ts";
import { readField } from "../api/fields.ts";
import { Decimal, parseDecimal } from "../base/decimal.ts";
import { isMap } from "../base/json.ts";
import { nearest } from "../base/nearest.ts";
import { kindOf } from "../base/settings.ts";
import { unknownKey } from "../config/files/shape.ts";
import { fieldsOf } from "../kinds/fields.ts";
import type { Metric } from "../kinds/kind.ts";
import {
  errorAt,
  errorAtKey,
  type Path,
  QuantityError,
  type Report,
  shown,
} from "../rules/finding.ts";
import { parseLimit } from "../rules/parse/quantity.ts";
import {
  lengthOf,
  NotationError,
  type Part,
  parseOffset,
  parseSeries,
  stepAt,
} from "./notation.ts";
import { fieldBehind, jsonOf } from "./record-json.ts";
import type { FieldSeries } from "./rule-test.ts";
import { callSubject, findSubjects, type NamedSubject, nearestSubject } from "./subjects.ts";

/** The small steps in which files of rule tests are read; each reports what it cannot use. */

export type RawMap = Readonly<Record<string, unknown>>;

/** A map whose keys are all known, or null. */
export function readMap(
  raw: unknown,
  path: Path,
  what: string,
  keys: readonly string[],
  report: Report,
): RawMap | null {
  const map = anyMap(raw, path, `${what} with keys such as ${keys.slice(0, 3).join(", ")}`, report);
  if (map === null) return null;
  for (const key of Object.keys(map)) {
    if (!keys.includes(key)) report(unknownKey(key, [...path, key], { what, keys }));
  }
  return map;
}

/** A map of any keys, or null. */
export function anyMap(raw: unknown, path: Path, expected: string, report: Report): RawMap | null {
  if (isMap(raw)) return raw;
  report(errorAt("wrong-type", path, `is ${kindOf(raw)}`, expected));
  return null;
}

/** A list; nothing is an empty one. */
export function readList(
  raw: unknown,
  path: Path,
  expected: string,
  report: Report,
): readonly unknown[] {
  if (raw === undefined) return [];
  if (Array.isArray(raw)) return raw;
  report(errorAt("wrong-type", path, `is ${raw === null ? "nothing" : kindOf(raw)}`, expected));
  return [];
}

/** Text, numbers included; null where there is none. */
export function readText(
  raw: unknown,
  path: Path,
  expected: string,
  report: Report,
): string | null {
  if (raw === undefined) return null;
  if (typeof raw === "string" && raw !== "") return raw;
  report(
    errorAt(
      "wrong-type",
      path,
      `is ${raw === null || raw === "" ? "empty" : kindOf(raw)}`,
      expected,
    ),
  );
  return null;
}

const OFFSET = "a time since the start such as 12m or 1h30m";

/** A time since the start in milliseconds; null where there is none. */
export function readOffset(raw: unknown, path: Path, report: Report): number | null {
  const text = readText(raw, path, OFFSET, report);
  if (text === null) return null;
  const ms = parseOffset(text);
  if (ms === null) {
    const hint = /^\d{1,6}$/.test(text)
      ? { expected: OFFSET, suggestion: `${text}m` }
      : { expected: OFFSET };
    report(errorAt("bad-time", path, `${shown(text)} is not a time since the start`, hint));
  }
  return ms;
}

/** A text that is one of some names, or null. */
export function nameOf(
  text: string | null,
  names: readonly string[],
  what: string,
  path: Path,
  report: Report,
): string | null {
  if (text === null || names.includes(text)) return text;
  const near = nearest(text, names);
  const hint = near === null ? { expected: names.join(", ") } : { suggestion: near };
  report(errorAt("unknown-word", path, `unknown ${what} ${shown(text)}`, hint));
  return null;
}

/** The keys of the subjects that a text means; null where it means none. */
export function readSubjects(
  text: string | null,
  all: readonly NamedSubject[],
  path: Path,
  report: Report,
): readonly string[] | null {
  if (text === null) return null;
  const found = findSubjects(text, all);
  if (found.length > 0) return found.map(({ subject }) => subject.key);
  const near = nearestSubject(text, all);
  const hint =
    near === null
      ? {
          expected: all
            .slice(0, 6)
            .map((one) => callSubject(one, all))
            .join(", "),
        }
      : { suggestion: near };
  report(errorAt("unknown-subject", path, `no rule of the case watches ${shown(text)}`, hint));
  return null;
}

const EXPECTED = "steps such as 1 2 3, 5x10, 100+10x5, _, absent or fail";

/** What a case says of a subject's metrics, each turned into the field of the record behind it. */
export function readSeriesOf(
  raw: RawMap,
  subject: NamedSubject,
  everyMs: number,
  path: Path,
  report: Report,
): readonly FieldSeries[] {
  return Object.entries(raw).flatMap(([name, value]) => {
    const one = readSeries(name, value, subject, everyMs, [...path, name], report);
    return one === null ? [] : [one];
  });
}

function readSeries(
  name: string,
  raw: unknown,
  subject: NamedSubject,
  everyMs: number,
  path: Path,
  report: Report,
): FieldSeries | null {
  const { kind } = subject;
  const metric = kind.metrics.get(name);
  if (metric === undefined) {
    const near = nearest(name, kind.metrics.keys());
    const hint = { suggestion: near };
    report(errorAtKey("unknown-metric", path, `${kind.kind} has no metric ${shown(name)}`, hint));
    return null;
  }
  const field = fieldBehind(metric, subject);
  const spec = field === null ? undefined : fieldsOf(kind.records[0] ?? "v4_pool")[field];
  if (field === null || spec === undefined) {
    const message = `${name} is derived from the record, which must be given under answers`;
    // What histories of pools ask for depends on the pool.
    const asked = kind.asks(subject.subject, 0, null).map(({ record }) => record);
    const records = kind.records.length > 0 ? kind.records : asked;
    const expected = `answers with the fields of ${records.join(" and ")}`;
    report(errorAtKey("bad-series", path, message, expected));
    return null;
  }
  const parts = readParts(raw, metric, field, spec, path, report);
  return parts === null ? null : { field, everyMs, parts, json: (text) => jsonOf(text, spec) };
}

function readParts(
  raw: unknown,
  metric: Metric,
  field: string,
  spec: FieldSpec,
  path: Path,
  report: Report,
): readonly Part[] | null {
  const words = (Array.isArray(raw) ? raw : [raw]).map((word: unknown) =>
    word === null ? "_" : word,
  );
  if (!words.every((word) => typeof word === "string" || typeof word === "boolean")) {
    report(errorAt("bad-series", path, `${metric.name} is not a series`, EXPECTED));
    return null;
  }
  try {
    const parts = parseSeries(words.join(" ")).map((part) => withPlainValue(part, metric));
    const first = parts.find((part) => !isReadable(part, field, spec));
    if (first === undefined) return parts;
    const { step } = first;
    throw new NotationError(
      `${shown(step.kind === "value" ? step.text : "")} cannot be read as ${metric.quantity}: it would be no data, which _ says`,
    );
  } catch (error) {
    if (!(error instanceof NotationError) && !(error instanceof QuantityError)) throw error;
    report(errorAt("bad-series", path, `${metric.name} ${error.message}`, EXPECTED));
    return null;
  }
}

/** A value with a unit, such as `5gwei`, becomes the number in the metric's own. */
function withPlainValue(part: Part, metric: Metric): Part {
  const { step } = part;
  if (
    step.kind !== "value" ||
    parseDecimal(step.text) !== null ||
    NOT_NUMBERS.has(metric.quantity)
  ) {
    return part;
  }
  const limit = parseLimit(step.text, metric);
  if (limit.kind !== "value" || !(limit.value instanceof Decimal)) {
    throw new QuantityError(
      "bad-series",
      `${shown(step.text)} depends on decimals; give raw units`,
    );
  }
  return { ...part, step: { kind: "value", text: limit.value.toString() } };
}

const NOT_NUMBERS: ReadonlySet<string> = new Set(["text", "address", "boolean"]);

/** Both ends of a ramp must be values that such a field can have. */
function isReadable(part: Part, field: string, spec: FieldSpec): boolean {
  return [stepAt([part], 0), stepAt([part], lengthOf([part]) - 1)].every(
    (step) =>
      step.kind !== "value" ||
      readField({ [field]: jsonOf(step.text, spec) }, field, spec) !== null,
  );
}
