import type { Mark } from "../watches/watch.ts";

/**
 * What is remembered of a subject's records: the newest marks that were accepted, one a record. It is
 * the first of them itself, since most subjects have no other.
 */
export interface Progress extends Mark {
  readonly others: readonly Mark[];
  /** The date of the last round whose records were accepted; who keeps this moves it on. */
  since: number;
  /** Rounds since then in which a record was older. */
  readonly lagging: number;
}

/** `baseline`: older ones have come for so long that the newest is the truth from now on. */
export type LagVerdict = "current" | "lagging" | "baseline";

/** One absurd block number must not blind a subject for ever: so many rounds are waited. */
const LAGGING_ROUNDS = 3;

/** Whether a round's records are the very ones that were accepted last, as those of most are. */
export function isUnchanged(known: Progress, marks: readonly Mark[]): boolean {
  if (known.lagging !== 0 || known.others.length !== marks.length - 1) return false;
  for (let i = 0; i < marks.length; i += 1) {
    const now = marks[i];
    const then = i === 0 ? known : known.others[i - 1];
    if (now === undefined || then === undefined || now.key !== then.key) return false;
    if (now.block !== then.block || now.time !== then.time) return false;
  }
  return true;
}

/** All marks of a progress, the first one first. */
export function marksOf(progress: Progress): readonly Mark[] {
  return [progress, ...progress.others];
}

/** What is remembered of records that have come so far; null of none. */
export function progressOf(
  [first, ...others]: readonly Mark[],
  since: number,
  lagging: number,
): Progress | null {
  if (first === undefined) return null;
  const { key, block, time } = first;
  return { key, block, time, others: others.length === 0 ? NO_MARKS : others, since, lagging };
}

/** One for all that have a single record. */
const NO_MARKS: readonly Mark[] = [];

/**
 * Whether a round's records are older than those accepted before, which is what a lagging indexer
 * answers: they are dropped if block or time of any is older; equal is accepted.
 */
export function judgeLag(
  known: Progress | null,
  marks: readonly Mark[],
  date: number,
  patienceMs: number,
): { readonly verdict: LagVerdict; readonly progress: Progress | null } {
  const older = known !== null && marks.some((mark) => isOlder(mark, marksOf(known)));
  if (known === null || !older) {
    return { verdict: "current", progress: accept(known, marks, date) };
  }
  const lagging = known.lagging + 1;
  if (lagging < LAGGING_ROUNDS || date - known.since < patienceMs) {
    return { verdict: "lagging", progress: { ...known, lagging } };
  }
  return { verdict: "baseline", progress: progressOf(marks, date, 0) };
}

function accept(known: Progress | null, marks: readonly Mark[], date: number): Progress | null {
  const before = known === null ? [] : marksOf(known);
  if (known?.lagging === 0 && marks.every((mark) => isSame(mark, before))) return known;
  const kept = before.filter(({ key }) => marks.every((mark) => mark.key !== key));
  return progressOf(kept.concat(marks), date, 0);
}

function isSame({ key, block, time }: Mark, known: readonly Mark[]): boolean {
  return known.some((one) => one.key === key && one.block === block && one.time === time);
}

function isOlder(mark: Mark, known: readonly Mark[]): boolean {
  const before = known.find(({ key }) => key === mark.key);
  if (before === undefined) return false;
  return isLess(mark.block, before.block) || isLess(mark.time, before.time);
}

function isLess(a: number | null, b: number | null): boolean {
  return a !== null && b !== null && a < b;
}
