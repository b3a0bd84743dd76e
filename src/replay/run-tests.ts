import type { Problem } from "../config/files/text-file.ts";
import type { Lacking } from "./given.ts";
import { type LoadOptions, loadTests } from "./load-tests.ts";
import type { Expected, TestCase } from "./rule-test.ts";
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

/** One line of what was expected beside what was seen; one of both at least. */
export interface Row {
  readonly expected: Expected | null;
  readonly seen: Seen | null;
  readonly same: boolean;
}

/**
 * Each expected notice beside the one that it means, in the order of their times. A case is as it
 * should be when all rows are the same.
 */
function compareNotices(
  expected: readonly Expected[],
  seen: readonly Seen[],
  start: number,
): readonly Row[] {
  const pairs = matched(expected, seen);
  const rows: Row[] = [...pairs].map(([one, of]) => ({ expected: one, seen: of, same: true }));
  const missing = expected.filter((one) => !pairs.has(one));
  const found = new Set(pairs.values());
  const others = seen.filter((one) => !found.has(one));
  for (const one of missing) {
    const index = likeliest(one, others, start);
    const [other] = index < 0 ? [] : others.splice(index, 1);
    rows.push({ expected: one, seen: other ?? null, same: false });
  }
  for (const one of others) rows.push({ expected: null, seen: one, same: false });
  const at = ({ expected: one, seen: of, same }: Row): number => {
    const wanted = one === null || same ? Infinity : elapsedOf(one, start);
    return Math.min(wanted, of?.elapsed ?? Infinity);
  };
  return rows.toSorted((a, b) => at(a) - at(b));
}

/** When a notice is expected, in milliseconds since the start where the clocks were never set. */
function elapsedOf({ at }: Expected, start: number): number {
  return "elapsed" in at ? at.elapsed : at.date - start;
}

/** Pairs as many as fit: a general expectation gives way to one that only fits there. */
function matched(
  expected: readonly Expected[],
  seen: readonly Seen[],
): ReadonlyMap<Expected, Seen> {
  const holder = new Map<Seen, Expected>();
  const place = (one: Expected, tried: Set<Seen>): boolean => {
    for (const candidate of seen) {
      if (tried.has(candidate) || !fits(one, candidate)) continue;
      tried.add(candidate);
      const before = holder.get(candidate);
      if (before === undefined || place(before, tried)) {
        holder.set(candidate, one);
        return true;
      }
    }
    return false;
  };
  for (const one of expected) place(one, new Set());
  return new Map([...holder].map(([of, one]) => [one, of]));
}

function fits(one: Expected, { elapsed, notice }: Seen): boolean {
  const { at, kind, rule, subjects, text, title, note, headline } = one;
  const inTime = "elapsed" in at ? at.elapsed === elapsed : at.date === notice.at;
  return (
    inTime &&
    kind === notice.kind &&
    (rule === null || rule === notice.rule) &&
    (subjects === null || (notice.subject !== null && subjects.includes(notice.subject))) &&
    (headline === null || headline === notice.headline) &&
    (text === null || notice.headline.includes(text)) &&
    (title === null || (notice.title ?? "").includes(title)) &&
    (note === null || (notice.note ?? "").includes(note))
  );
}

/** Which of the others was probably meant: of the same kind and rule, the nearest in time. */
function likeliest(one: Expected, others: readonly Seen[], start: number): number {
  let best = -1;
  let least = Number.POSITIVE_INFINITY;
  for (const [i, { elapsed, notice }] of others.entries()) {
    const distance = Math.abs(elapsed - elapsedOf(one, start));
    const alike = notice.kind === one.kind && (one.rule === null || notice.rule === one.rule);
    if ((alike || distance === 0) && distance < least) {
      best = i;
      least = distance;
    }
  }
  return best;
}
