import { formatTime } from "../base/times.ts";
import type { Row } from "../replay/compare.ts";
import type { Expected, TestCase } from "../replay/rule-test.ts";
import type { Seen } from "../replay/run-case.ts";
import type { CaseResult } from "../replay/run-tests.ts";
import { offsetText } from "../replay/times.ts";

/** What differs first in a case, in one line; null: nothing. */
export function firstDifference({ test, rows, lacking, trouble }: CaseResult): string | null {
  if (trouble !== null) return `the case could not be run: ${trouble}`;
  const [missing] = lacking;
  if (missing !== undefined) {
    const { subject, record, elapsed } = missing;
    return `at ${offsetText(elapsed)} the rules ask for ${record} of ${subject}, which the case does not give; add it under answers`;
  }
  const row = rows.find(({ same }) => !same);
  return row === undefined ? null : differenceOf(row, test);
}

/** Where the first difference stands: at the notice that was expected, or else at the case. */
export function placeOfDifference({ test, rows, lacking, trouble }: CaseResult): TestCase["place"] {
  const row = rows.find(({ same }) => !same);
  if (test.fault !== null) return test.fault.place;
  const plain = trouble === null && lacking.length === 0;
  return (plain ? row?.expected?.place : undefined) ?? test.place;
}

function differenceOf({ expected, seen }: Row, test: TestCase): string {
  if (expected === null)
    return seen === null ? "nothing" : `not expected: ${seenWords(seen, test)}`;
  if (seen === null) return `did not come: ${expectedWords(expected)}`;
  const { notice } = seen;
  const pairs: [what: string, wanted: string | null, is: string, same: boolean][] = [
    ["kind", expected.kind, notice.kind, expected.kind === notice.kind],
    ["time", timeOf(expected), timeSeen(seen, expected), sameTime(expected, seen)],
    ["rule", expected.rule, notice.rule ?? "none", expected.rule === notice.rule],
    [
      "subject",
      expected.subjectText,
      subjectName(seen, test),
      expected.subjects?.includes(notice.subject ?? "") ?? true,
    ],
    ["headline", expected.headline, notice.headline, expected.headline === notice.headline],
    ["text", expected.text, notice.headline, notice.headline.includes(expected.text ?? "")],
    [
      "title",
      expected.title,
      notice.title ?? "none",
      (notice.title ?? "").includes(expected.title ?? ""),
    ],
    [
      "note",
      expected.note,
      notice.note ?? "none",
      (notice.note ?? "").includes(expected.note ?? ""),
    ],
  ];
  const [what, wanted, is] = pairs.find(([, wish, , same]) => wish !== null && !same) ?? [];
  return what === undefined
    ? `came once, expected once more: ${expectedWords(expected)}`
    : `${what}: expected ${wanted}, seen ${is}`;
}

function sameTime({ at }: Expected, { elapsed, notice }: Seen): boolean {
  return "elapsed" in at ? at.elapsed === elapsed : at.date === notice.at;
}

function timeOf({ at }: Expected): string {
  return "elapsed" in at ? offsetText(at.elapsed) : formatTime(at.date);
}

function timeSeen({ elapsed, notice }: Seen, { at }: Expected): string {
  return "elapsed" in at ? offsetText(elapsed) : formatTime(notice.at);
}

/** `12m resolved my-range Treasury "in range"`. */
export function expectedWords(one: Expected): string {
  const texts = [one.headline, one.text, one.title, one.note].filter((text) => text !== null);
  const words = [timeOf(one), one.kind, one.rule, one.subjectText];
  return [...words.filter((word) => word !== null), ...texts.map((text) => `"${text}"`)].join(" ");
}

/** `13m resolved my-range Treasury "🟢 Back in range: …"`. */
export function seenWords(seen: Seen, test: TestCase): string {
  const { kind, rule, headline, subject } = seen.notice;
  const words = [
    offsetText(seen.elapsed),
    kind,
    rule,
    subject === null ? null : subjectName(seen, test),
  ];
  return `${words.filter((word) => word !== null).join(" ")} "${headline}"`;
}

/** What the case calls the subject of a notice; `all` for one over all subjects. */
export function subjectName({ notice }: Seen, { given }: TestCase): string {
  const { subject } = notice;
  if (subject === null) return "none";
  const known = given.find((one) => one.subject.key === subject);
  return known?.name ?? (subject.startsWith("across:") ? "all" : subject);
}
