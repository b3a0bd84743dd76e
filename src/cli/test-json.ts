import type { Expected, TestCase } from "../replay/rule-test.ts";
import type { Seen } from "../replay/run-case.ts";
import type { CaseResult, FileResult } from "../replay/run-tests.ts";
import { countTests } from "./test-page.ts";
import { firstDifference, placeOfDifference, subjectName } from "./test-rows.ts";

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
