import type { FieldSpec, Fields } from "../api/endpoints.ts";
import { compare, decimalFromNumber, parseDecimal } from "../base/decimal.ts";
import { nearest } from "../base/nearest.ts";
import type { RawRecord } from "../model/index.ts";
import { errorAtKey, type Path, type Report } from "../rules/finding.ts";

/** What stands for null where a value is expected. */
const NULL = "_";

/**
 * The text of a value as JSON has it in such a field: a number where the contract says number and a
 * double holds it exactly, else a string. `true` and `false` are booleans where it says boolean.
 */
export function jsonOf(text: string, spec: FieldSpec | undefined): unknown {
  if (spec?.type === "boolean" && (text === "true" || text === "false")) return text === "true";
  if (spec?.type !== "number") return text;
  const exact = parseDecimal(text);
  const double = exact === null ? null : decimalFromNumber(Number(text));
  return exact !== null && double !== null && compare(exact, double) === 0 ? Number(text) : text;
}

/**
 * A record as a file gives it, with its values as JSON has them. Names that the contract does not know
 * are reported: the service sends no such field.
 */
export function recordJson(
  raw: Readonly<Record<string, unknown>>,
  fields: Fields,
  path: Path,
  report: Report,
): RawRecord {
  const entries = Object.entries(raw).map(([name, value]) => {
    const spec = fields[name];
    const at = [...path, name];
    if (spec === undefined) report(unknownField(name, fields, at));
    return [name, valueJson(value, spec, at, report)] as const;
  });
  return Object.fromEntries(entries);
}

function valueJson(
  value: unknown,
  spec: FieldSpec | undefined,
  path: Path,
  report: Report,
): unknown {
  if (value === NULL || value === null) return null;
  if (typeof value === "string") return jsonOf(value, spec);
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value;
    return items.map((item, i) => nested(item, spec, [...path, i], report));
  }
  return nested(value, spec, path, report);
}

function nested(value: unknown, spec: FieldSpec | undefined, path: Path, report: Report): unknown {
  if (typeof value !== "object" || value === null) return value;
  const fields = spec?.fields;
  const map = Object.fromEntries(Object.entries(value));
  return fields === undefined ? map : recordJson(map, fields, path, report);
}

function unknownField(name: string, fields: Fields, path: Path) {
  const near = nearest(name, Object.keys(fields));
  const hint = near === null ? { expected: Object.keys(fields).join(", ") } : { suggestion: near };
  return errorAtKey(path, `"${name}" is no field of this record`, hint);
}
