import { formatTime } from "../base/clock.ts";
import { countOf } from "../base/text.ts";
import { formatProblem } from "../config/files/text-file.ts";
import type { Notice } from "../model/index.ts";
import { offsetText } from "../replay/notation.ts";
import type { Expected, TestCase } from "../replay/rule-test.ts";
import type { Seen } from "../replay/run-case.ts";
import type { CaseResult, FileResult, Row } from "../replay/run-tests.ts";
import { table } from "./report.ts";

/** Counts of all cases of several files. */
export interface TestCounts {
  readonly cases: number;
  readonly failed: number;
  /** Files that cannot be used. */
  readonly broken: number;
  readonly tookMs: number;
}

export function countTests(files: readonly FileResult[]): TestCounts {
  const cases = files.flatMap((file) => file.cases);
  return {
    cases: cases.length,
    failed: cases.filter(({ ok }) => !ok).length,
    broken: files.filter(({ problems }) => problems.length > 0).length,
    tookMs: cases.reduce((sum, { tookMs }) => sum + tookMs, 0),
  };
}

/**
 * The result for people: each file in a line, each failed case in full, and the counts. With `shownAs`
 * every notice that came is there as well.
 */
export function testPage(
  files: readonly FileResult[],
  colours: boolean,
  shownAs: ((notice: Notice) => string) | null = null,
): string {
  const paint = colours ? COLOURS : PLAIN;
  const lines: string[] = [];
  for (const { file, cases, problems } of files) {
    if (problems.length > 0) continue;
    const failed = cases.filter(({ ok }) => !ok);
    const verdict = failed.length === 0 ? paint.good("ok") : paint.bad("FAIL");
    lines.push(`${verdict} ${file}: ${countOf(cases.length, "case")}`);
    if (shownAs !== null) for (const one of cases) lines.push(...noticesOf(one, shownAs));
    for (const one of failed) lines.push("", failure(one, paint), "");
  }
  return `${[...lines, summary(files, paint)].join("\n")}\n`;
}

/** Each notice of a case whole, under the time at which it came. */
function noticesOf({ test, seen }: CaseResult, shownAs: (notice: Notice) => string): string[] {
  const came = seen.map(({ elapsed, notice }) => {
    const { rule, kind } = notice;
    const head = `  ${[offsetText(elapsed), kind, rule].filter((word) => word !== null).join(" ")}`;
    return `${head}\n${shownAs(notice).replaceAll(/^/gm, "    ")}\n`;
  });
  return [`\n${test.name}:`, ...(came.length === 0 ? ["  nothing came\n"] : came)];
}

/** What is wrong with the files that cannot be used. */
export function problemPage(files: readonly FileResult[]): string {
  return files
    .flatMap(({ problems, more }) => [
      ...problems.map(formatProblem),
      ...(more > 0 ? [`… and ${more} more`] : []),
    ])
    .map((text) => `${text}\n`)
    .join("");
}

interface Paint {
  readonly good: (text: string) => string;
  readonly bad: (text: string) => string;
}

const PLAIN: Paint = { good: (text) => text, bad: (text) => text };
const COLOURS: Paint = {
  good: (text) => `\u001b[32m${text}\u001b[0m`,
  bad: (text) => `\u001b[31m${text}\u001b[0m`,
};

function failure(one: CaseResult, paint: Paint): string {
  const { test, rows } = one;
  const { file, line, column } = test.place;
  const at = placeOfDifference(one);
  const lines = [`${file}:${line}:${column}: ${paint.bad("failed")}: ${test.name}`];
  if (rows.length > 0) {
    const cells = rows.map(({ expected, seen, same }) => [
      same ? " " : "≠",
      expected === null ? "" : expectedWords(expected),
      seen === null ? "" : seenWords(seen, test),
    ]);
    const first = rows.findIndex(({ same }) => !same);
    const marked = table(["", "expected", "seen"], cells)
      .split("\n")
      .map((text, i) => (i === first + 1 && first >= 0 ? `> ${text}` : `  ${text}`));
    lines.push(...marked);
  } else if (one.trouble === null && one.lacking.length === 0) lines.push("  nothing came");
  lines.push(`${at.file}:${at.line}:${at.column}: ${firstDifference(one) ?? ""}`);
  return lines.join("\n");
}

function summary(files: readonly FileResult[], paint: Paint): string {
  const { cases, failed, broken, tookMs } = countTests(files);
  const bad = failed + broken > 0;
  const parts = [`${cases - failed} passed`];
  if (failed > 0) parts.push(`${failed} failed`);
  if (broken > 0) parts.push(`${countOf(broken, "file")} cannot be used`);
  const words = `${countOf(cases, "case")} in ${countOf(files.length, "file")}`;
  return `${bad ? paint.bad("FAILED") : paint.good("OK")}: ${words}: ${parts.join(", ")}. ${tookMs} ms.`;
}

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
