import { formatProblem } from "../config/problem.ts";
import type { CaseResult, FileResult } from "../replay/run-tests.ts";
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

/** The result for people: each file in a line, each failed case in full, and the counts. */
export function testPage(files: readonly FileResult[], colours: boolean): string {
  const paint = colours ? COLOURS : PLAIN;
  const lines: string[] = [];
  for (const { file, cases, problems } of files) {
    if (problems.length > 0) continue;
    const failed = cases.filter(({ ok }) => !ok);
    const verdict = failed.length === 0 ? paint.good("ok") : paint.bad("FAIL");
    lines.push(`${verdict} ${file}: ${countOf(cases.length, "case")}`);
    for (const one of failed) lines.push("", failure(one, paint), "");
  }
  return `${[...lines, summary(files, paint)].join("\n")}\n`;
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
