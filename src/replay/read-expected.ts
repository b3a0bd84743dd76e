import { NOTICE_KINDS, type Place } from "../model/index.ts";
import { errorAt, type Path, type Report, shown } from "../rules/finding.ts";
import { parseDate, parseOffset } from "./notation.ts";
import { nameOf, readList, readMap, readSubjects, readText } from "./reading.ts";
import type { Expected } from "./rule-test.ts";
import type { NamedSubject } from "./subjects.ts";

/** What a case can be told: reports come at the times of a daemon. */
export const EXPECTED_KINDS = NOTICE_KINDS.filter((kind) => kind !== "report");

export const NOTICE_KEYS = [
  "at",
  "kind",
  "rule",
  "subject",
  "text",
  "headline",
  "title",
  "note",
] as const;
const EXPECTED = "notices such as {at: 12m, kind: fired}";
const AT = "a time since the start such as 12m, or a date such as 2026-01-01T00:12:00Z";

interface ExpectContext {
  readonly subjects: readonly NamedSubject[];
  readonly rules: readonly string[];
  readonly place: (path: Path) => Place;
}

/** Reads the notices that must come, in the order of the file. */
export function readExpected(
  raw: unknown,
  path: Path,
  context: ExpectContext,
  report: Report,
): readonly Expected[] {
  if (raw === undefined) {
    report(errorAt("missing-key", path, "is missing", `${EXPECTED}; [] if none must come`));
  }
  return readList(raw, path, EXPECTED, report).flatMap((item, i) => {
    const one = readOne(item, [...path, i], context, report);
    return one === null ? [] : [one];
  });
}

function readOne(
  raw: unknown,
  path: Path,
  { subjects, rules, place }: ExpectContext,
  report: Report,
): Expected | null {
  const map = readMap(raw, path, "a notice", NOTICE_KEYS, report);
  if (map === null) return null;
  const text = (key: (typeof NOTICE_KEYS)[number], expected: string): string | null =>
    readText(map[key], [...path, key], expected, report);
  for (const key of ["at", "kind"] as const) {
    if (map[key] === undefined) {
      report(errorAt("missing-key", [...path, key], "is missing", key === "at" ? AT : KINDS));
    }
  }
  const at = readTime(text("at", AT), [...path, "at"], report);
  const kind = nameOf(
    text("kind", KINDS),
    EXPECTED_KINDS,
    "kind of notice",
    [...path, "kind"],
    report,
  );
  const rule = nameOf(
    text("rule", "a rule of the case"),
    rules,
    "rule of the case",
    [...path, "rule"],
    report,
  );
  const subjectText = text("subject", "a subject of the case");
  if (at === null || kind === null) return null;
  return {
    place: place(path),
    at,
    kind,
    rule,
    subjects: readSubjects(subjectText, subjects, [...path, "subject"], report),
    subjectText,
    text: text("text", "a part of the headline"),
    title: text("title", "a part of the title"),
    note: text("note", "a part of the note"),
    headline: text("headline", "the whole headline"),
  };
}

const KINDS = NOTICE_KINDS.join(", ");

function readTime(text: string | null, path: Path, report: Report): Expected["at"] | null {
  if (text === null) return null;
  const elapsed = parseOffset(text);
  if (elapsed !== null) return { elapsed };
  const date = parseDate(text);
  if (date !== null) return { date };
  report(errorAt("bad-time", path, `${shown(text)} is not a time`, AT));
  return null;
}
