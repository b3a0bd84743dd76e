import { isMap } from "../base/json.ts";
import { nearest } from "../base/nearest.ts";
import { kindOf } from "../base/settings.ts";
import { unknownKey } from "../config/files/shape.ts";
import { errorAt, type Path, type Report, shown } from "../rules/finding.ts";
import { parseOffset } from "./notation.ts";
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
  report(errorAt("wrong-type", path, `is ${kindOf(raw)}`, { expected }));
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
  report(errorAt("wrong-type", path, `is ${raw === null ? "nothing" : kindOf(raw)}`, { expected }));
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
    errorAt("wrong-type", path, `is ${raw === null || raw === "" ? "empty" : kindOf(raw)}`, {
      expected,
    }),
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
