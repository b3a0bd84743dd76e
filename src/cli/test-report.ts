import { formatProblem } from "../config/files/text-file.ts";
import type { Expected, TestCase } from "../replay/rule-test.ts";
import type { Seen } from "../replay/run-case.ts";
import type { CaseResult, FileResult } from "../replay/run-tests.ts";
import {
  countTests,
  expectedWords,
  firstDifference,
  placeOfDifference,
  seenWords,
  subjectName,
} from "./test-page.ts";

/** The result as JUnit XML: a suite for each file, a case that could not be read as an error. */
export function junit(files: readonly FileResult[]): string {
  const { cases, failed, broken, tookMs } = countTests(files);
  const counts = attributes({
    name: "tickwatch test",
    tests: cases + broken,
    failures: failed,
    errors: broken,
    time: seconds(tookMs),
  });
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites${counts}>\n${files.map(suite).join("")}</testsuites>\n`;
}

function suite(result: FileResult): string {
  const { cases, failed, broken, tookMs } = countTests([result]);
  const head = attributes({
    name: result.file,
    tests: cases + broken,
    failures: failed,
    errors: broken,
    time: seconds(tookMs),
  });
  const unread =
    broken === 0
      ? ""
      : `    <testcase${attributes({ name: "the file", classname: result.file, time: "0" })}>\n${element(
          "error",
          { message: result.problems[0]?.message ?? "" },
          result.problems.map(formatProblem).join("\n"),
        )}    </testcase>\n`;
  const all = result.cases.map((one) => testcase(one, result.file)).join("");
  return `  <testsuite${head}>\n${unread}${all}  </testsuite>\n`;
}

function testcase(one: CaseResult, file: string): string {
  const { test, ok, tookMs, rows } = one;
  const { line } = test.place;
  const head = attributes({ name: test.name, classname: file, file, line, time: seconds(tookMs) });
  if (ok) return `    <testcase${head}/>\n`;
  const at = placeOfDifference(one);
  const message = firstDifference(one) ?? "";
  const body = [
    `${at.file}:${at.line}:${at.column}: ${message}`,
    ...rows.map(({ expected, seen, same }) => {
      const left = expected === null ? "nothing" : expectedWords(expected);
      const right = seen === null ? "nothing" : seenWords(seen, test);
      return `${same ? " " : "≠"} expected ${left}; seen ${right}`;
    }),
  ].join("\n");
  return `    <testcase${head}>\n${element("failure", { message }, body)}    </testcase>\n`;
}

function element(name: string, given: Readonly<Record<string, string>>, body: string): string {
  return `      <${name}${attributes(given)}>${escaped(body)}</${name}>\n`;
}

function attributes(given: Readonly<Record<string, string | number>>): string {
  return Object.entries(given)
    .map(([name, value]) => ` ${name}="${escaped(String(value)).replaceAll("\n", " ")}"`)
    .join("");
}

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(3);
}

/** XML has no way to write most control characters, and half a surrogate pair is no character. */
function escaped(text: string): string {
  return text
    .replaceAll(/[^\t\n\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, "\uFFFD")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}

/** The result for programs. Times are milliseconds since the start of a case, dates RFC 3339. */
export function testReport(files: readonly FileResult[]): unknown {
  const { cases, failed, broken, tookMs } = countTests(files);
  return {
    ok: failed + broken === 0,
    cases,
    failed,
    took_ms: tookMs,
    files: files.map(({ file, problems, more, cases: results }) => ({
      file,
      problems,
      more,
      cases: results.map(caseOf),
    })),
  };
}

function caseOf(result: CaseResult): unknown {
  const { test, ok, rows, tookMs } = result;
  return {
    name: test.name,
    place: test.place,
    ok,
    took_ms: tookMs,
    difference: ok ? null : { place: placeOfDifference(result), message: firstDifference(result) },
    notices: rows.map(({ expected, seen, same }) => ({
      same,
      expected: expected === null ? null : expectedOf(expected),
      seen: seen === null ? null : seenOf(seen, test),
    })),
  };
}

function expectedOf({ place, at, kind, rule, subjectText, text, headline, title, note }: Expected) {
  const when = "elapsed" in at ? { at_ms: at.elapsed } : { date: new Date(at.date).toISOString() };
  return { place, ...when, kind, rule, subject: subjectText, text, headline, title, note };
}

function seenOf(seen: Seen, test: TestCase): unknown {
  const { kind, rule, subject, at, headline, title, note } = seen.notice;
  return {
    at_ms: seen.elapsed,
    date: new Date(at).toISOString(),
    kind,
    rule,
    subject,
    name: subject === null ? null : subjectName(seen, test),
    headline,
    title,
    note,
  };
}
