import { alternatives, kindOf } from "../../base/settings.ts";
import type { OptionSpec } from "../../kinds/kind.ts";
import { errorAt, type Path, type Report, shown } from "../../rules/finding.ts";

/** A value for each option of a watch kind: what the watch says, or else the default. */
export function readOptions(
  raw: Readonly<Record<string, unknown>>,
  path: Path,
  specs: Readonly<Record<string, OptionSpec>>,
  report: Report,
): Readonly<Record<string, string>> {
  const options: Record<string, string> = {};
  for (const [name, spec] of Object.entries(specs)) {
    const value = name in raw ? raw[name] : spec.default;
    if (isOption(value, spec)) options[name] = String(value);
    else {
      options[name] = String(spec.default);
      const said = typeof value === "string" ? shown(value) : kindOf(value);
      const what = value === null ? "has no value" : `is ${said}`;
      report(errorAt("wrong-type", [...path, name], what, { expected: expectedOf(spec) }));
    }
  }
  return options;
}

function isOption(value: unknown, spec: OptionSpec): boolean {
  switch (spec.kind) {
    case "whole": {
      const number = typeof value === "string" ? Number(value) : value;
      return Number.isInteger(number) && Number(number) >= spec.min && Number(number) <= spec.max;
    }
    case "word":
      return typeof value === "string" && spec.values.includes(value);
    case "flag":
      return typeof value === "boolean";
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
  }
}
