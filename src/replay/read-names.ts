import { nearest } from "../base/nearest.ts";
import { errorAt, type Path, type Report } from "../rules/finding.ts";
import { shown } from "../rules/quantity-error.ts";
import { callSubject, findSubjects, type NamedSubject, nearestSubject } from "./subjects.ts";

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
  report(errorAt(path, `${shown(text)} is no ${what}`, hint));
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
  report(errorAt(path, `no rule of the case watches ${shown(text)}`, hint));
  return null;
}
