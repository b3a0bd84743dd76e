import type { Problem } from "../config/files/text-file.ts";
import { compareNotices, type Row } from "./compare.ts";
import type { Lacking } from "./given.ts";
import { type LoadOptions, loadTests } from "./load-tests.ts";
import type { TestCase } from "./rule-test.ts";
import { type RunParts, runCase, type Seen } from "./run-case.ts";

/** What came of one case. */
export interface CaseResult {
  readonly test: TestCase;
  readonly ok: boolean;
  readonly rows: readonly Row[];
  /** Every notice that came, with those that no case needs to expect. */
  readonly seen: readonly Seen[];
  /** What the rules asked for and the case does not give. */
  readonly lacking: readonly (Lacking & { readonly elapsed: number })[];
  /** The program failed, not the rule; null: it did not. */
  readonly trouble: string | null;
  /** Real milliseconds. */
  readonly tookMs: number;
}

export interface FileResult {
  readonly file: string;
  readonly problems: readonly Problem[];
  /** How many there are beside those. */
  readonly more: number;
  /** Every file that it was made of. */
  readonly files: readonly string[];
  readonly cases: readonly CaseResult[];
}

/** Reads a file of rule tests and runs its cases, one after the other. Never rejects for a case. */
export async function runTests(path: string, options: LoadOptions & RunParts): Promise<FileResult> {
  const { file, problems, more, files, cases } = await loadTests(path, options);
  const results: CaseResult[] = [];
  for (const test of cases) results.push(await resultOf(test, options));
  return { file, problems, more, files, cases: results };
}

async function resultOf(test: TestCase, parts: RunParts): Promise<CaseResult> {
  if (test.fault !== null) {
    const { message } = test.fault;
    return { test, ok: false, rows: [], seen: [], lacking: [], trouble: message, tookMs: 0 };
  }
  const began = performance.now();
  const took = (): number => Math.round(performance.now() - began);
  try {
    const { seen, lacking } = await runCase(test, parts);
    const { expected } = test;
    // That a rule begins to watch is in every case, and of interest in few.
    const starts = expected.some(({ kind }) => kind === "started");
    const counted = starts ? seen : seen.filter(({ notice }) => notice.kind !== "started");
    const rows = compareNotices(expected, counted, test.start);
    const ok = lacking.length === 0 && rows.every(({ same }) => same);
    return { test, ok, rows, seen, lacking, trouble: null, tookMs: took() };
  } catch (error) {
    const trouble = error instanceof Error ? error.message : String(error);
    return { test, ok: false, rows: [], seen: [], lacking: [], trouble, tookMs: took() };
  }
}
