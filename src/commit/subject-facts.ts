import { countsRaw } from "../base/quantity.ts";
import type { SubjectFacts } from "../model/index.ts";
import type { DecidedWork } from "../poll/plan.ts";

/** So many subjects of a slice are written about as new: a start with many goes on in its next rounds. */
const MOST_AT_ONCE = 200;

/**
 * What the samples of subjects do not say and whoever reads them later needs to know, once for each run of the
 * daemon, again when a position closes or opens, and as it is when something is told of an alert. Whoever
 * commits it calls `noteFacts` then.
 */
export function factsOf(decided: readonly DecidedWork[], at: number): SubjectFacts[] {
  const facts: SubjectFacts[] = [];
  let fresh = 0;
  for (const one of decided) {
    const isTold = isDescribed(one) && one.decision.alerts.some(({ events }) => events.length > 0);
    if (!isTold && (fresh === MOST_AT_ONCE || !isNews(one))) continue;
    if (!isTold) fresh += 1;
    const its = factsIn(one, at);
    if (its !== null) facts.push(its);
  }
  return facts;
}

/** These facts of the works are in the store. */
export function noteFacts(decided: readonly DecidedWork[], facts: readonly SubjectFacts[]): void {
  const written = new Set(facts.map(({ subject }) => subject));
  for (const { work, reading } of decided) {
    const { subject } = work;
    if (!written.has(subject.storeKey)) continue;
    // Decimals that are asked for apart may come with a later round, and so does a pool that was not answered.
    const lacks =
      reading.unanswered !== null ||
      (subject.wantsFacts &&
        subject.series.some(
          ({ metric, quantity }) => countsRaw(quantity) && reading.decimals(metric) === null,
        )) ||
      subject.series.some(({ metric }) => reading.rows[0]?.isUnseen?.(metric) === true);
    subject.notedClosed = lacks ? null : reading.closed;
  }
}

function isNews(work: DecidedWork): boolean {
  const { subject } = work.work;
  return subject.notedClosed !== work.reading.closed && isDescribed(work);
}

function isDescribed({ work: { subject }, reading }: DecidedWork): boolean {
  return reading.rows.length > 0 && subject.series.length > 0;
}

/** Null: the record cannot be described, which is no reason not to commit what was decided on it. */
function factsIn({ work: { subject }, reading }: DecidedWork, at: number): SubjectFacts | null {
  const decimals: Record<string, number> = {};
  const units: Record<string, string> = {};
  try {
    const description = reading.describe();
    const { label, link, range, rangeDecimals } = description;
    for (const { metric } of subject.series) {
      const its = reading.decimals(metric);
      if (its !== null) decimals[metric] = its;
      const follows = description.unit(metric);
      if (follows !== "") units[metric] = follows;
    }
    const { closed } = reading;
    const said = { label, link, range, ...(rangeDecimals === undefined ? {} : { rangeDecimals }) };
    return { subject: subject.storeKey, at, decimals, units, closed, ...said };
  } catch {
    return null;
  }
}
