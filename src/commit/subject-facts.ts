import { countsRaw } from "../base/quantity.ts";
import type { SubjectFacts } from "../model/index.ts";
import type { DecidedWork } from "../poll/plan.ts";

/** So many subjects of a slice are written about: a start with many goes on in its next rounds. */
const MOST_AT_ONCE = 200;

/**
 * What the samples of subjects do not say and whoever reads them later needs to know, once for each run of the
 * daemon and again when a position closes or opens. Whoever commits it calls `noteFacts` then.
 */
export function factsOf(decided: readonly DecidedWork[], at: number): SubjectFacts[] {
  const facts: SubjectFacts[] = [];
  for (const one of decided) {
    if (!isNews(one)) continue;
    const its = factsIn(one, at);
    if (its !== null) facts.push(its);
    if (facts.length === MOST_AT_ONCE) break;
  }
  return facts;
}

/** These facts of the works are in the store. */
export function noteFacts(decided: readonly DecidedWork[], facts: readonly SubjectFacts[]): void {
  const written = new Set(facts.map(({ subject }) => subject));
  for (const { work, reading } of decided) {
    const { subject } = work;
    if (!written.has(subject.storeKey)) continue;
    // Decimals that are asked for apart may come with a later round.
    const lacks =
      subject.wantsFacts &&
      subject.series.some(
        ({ metric, quantity }) => countsRaw(quantity) && reading.decimals(metric) === null,
      );
    subject.notedClosed = lacks ? null : reading.closed;
  }
}

function isNews({ work: { subject }, reading }: DecidedWork): boolean {
  if (subject.notedClosed === reading.closed) return false;
  return reading.rows.length > 0 && subject.series.length > 0;
}

/** Null: the record cannot be described, which is no reason not to commit what was decided on it. */
function factsIn({ work: { subject }, reading }: DecidedWork, at: number): SubjectFacts | null {
  const decimals: Record<string, number> = {};
  const units: Record<string, string> = {};
  try {
    const description = reading.describe();
    for (const { metric } of subject.series) {
      const its = reading.decimals(metric);
      if (its !== null) decimals[metric] = its;
      const follows = description.unit(metric);
      if (follows !== "") units[metric] = follows;
    }
  } catch {
    return null;
  }
  return { subject: subject.storeKey, at, decimals, units, closed: reading.closed };
}
