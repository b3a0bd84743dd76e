import { formatProblem } from "../config/files/problem.ts";
import type { Notice } from "../model/index.ts";
import type { CaseResult, FileResult } from "../replay/run-tests.ts";
import { offsetText } from "../replay/times.ts";
import { countOf } from "./report.ts";
import { table } from "./table.ts";
import { expectedWords, firstDifference, placeOfDifference, seenWords } from "./test-rows.ts";

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
