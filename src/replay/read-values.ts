import type { FieldSpec } from "../api/endpoints.ts";
import { readField } from "../api/fields.ts";
import { Decimal, parseDecimal } from "../base/decimal.ts";
import { nearest } from "../base/nearest.ts";
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
import { lengthOf, NotationError, type Part, parseSeries, stepAt } from "./notation.ts";
import type { RawMap } from "./reading.ts";
import { fieldBehind, jsonOf } from "./record-json.ts";
import type { FieldSeries } from "./rule-test.ts";
import type { NamedSubject } from "./subjects.ts";

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
    report(errorAtKey("bad-series", path, message, { expected }));
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
    report(errorAt("bad-series", path, `${metric.name} is not a series`, { expected: EXPECTED }));
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
    report(errorAt("bad-series", path, `${metric.name} ${error.message}`, { expected: EXPECTED }));
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
