import { alternatives, kindOf } from "../../base/settings.ts";
import type { OptionSpec, TargetSpec } from "../../kinds/kind.ts";
import { errorAt, type Path, type Report, shown } from "../../rules/finding.ts";

type Options = Readonly<Record<string, string>>;

/** A value for each option of a watch kind: what the watch says, or else the default. */
export function readOptions(
  raw: Readonly<Record<string, unknown>>,
  path: Path,
  { options: specs = {}, trouble }: Pick<TargetSpec, "options" | "trouble">,
  report: Report,
): Options {
  const options: Record<string, string> = {};
  let failed = false;
  for (const [name, spec] of Object.entries(specs)) {
    const standard = defaultOf(spec);
    const value = name in raw ? raw[name] : standard;
    const text = optionText(value, spec);
    options[name] = text ?? optionText(standard, spec) ?? "";
    if (text !== null) continue;
    failed = true;
    const expected = expectedOf(spec);
    if (name in raw) {
      const said = typeof value === "string" ? shown(value) : kindOf(value);
      const what = value === null ? "has no value" : `is ${said}`;
      report(errorAt("wrong-type", [...path, name], what, expected));
    } else report(errorAt("missing-key", [...path, name], "is missing", expected));
  }
  const found = failed ? null : (trouble?.(options) ?? null);
  if (found !== null) {
    const { path: where, message, expected } = found;
    report(errorAt("bad-call", [...path, ...where], message, expected));
  }
  return options;
}

function defaultOf(spec: OptionSpec): unknown {
  return spec.kind === "list" ? [] : spec.default;
}

/** The option as text; null for what it cannot be. */
function optionText(value: unknown, spec: OptionSpec): string | null {
  switch (spec.kind) {
    case "whole": {
      const number = typeof value === "string" ? Number(value) : value;
      const isGood =
        Number.isInteger(number) && Number(number) >= spec.min && Number(number) <= spec.max;
      return isGood ? String(value) : null;
    }
    case "word":
      return typeof value === "string" && spec.values.includes(value) ? value : null;
    case "flag":
      return typeof value === "boolean" ? String(value) : null;
    case "text":
      return typeof value === "string" ? value : null;
    case "list": {
      const items: readonly unknown[] | null = Array.isArray(value) ? value : null;
      const isGood = items?.every((item) => ["string", "number", "boolean"].includes(typeof item));
      return items === null || isGood !== true ? null : JSON.stringify(items.map(String));
    }
  }
}

function expectedOf(spec: OptionSpec): string {
  switch (spec.kind) {
    case "whole":
      return `a whole number from ${spec.min} to ${spec.max}`;
    case "word":
      return alternatives(spec.values);
    case "flag":
      return "true or false";
    default:
      return spec.expected;
  }
}
