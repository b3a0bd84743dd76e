import type { Mark } from "../watches/watch.ts";

/** What is remembered of a subject's records. */
export interface Progress {
  /** The newest marks that were accepted, one a record. */
  readonly marks: readonly Mark[];
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
  if (known.lagging !== 0 || known.marks.length !== marks.length) return false;
  for (let i = 0; i < marks.length; i += 1) {
    const now = marks[i];
    const then = known.marks[i];
    if (now === undefined || then === undefined || now.key !== then.key) return false;
    if (now.block !== then.block || now.time !== then.time) return false;
  }
  return true;
}

/**
 * Whether a round's records are older than those accepted before, which is what a lagging indexer
 * answers: they are dropped if block or time of any is older; equal is accepted.
 */
export function judgeLag(
  known: Progress | null,
  marks: readonly Mark[],
  date: number,
  patienceMs: number,
): { readonly verdict: LagVerdict; readonly progress: Progress } {
  const older = known !== null && marks.some((mark) => isOlder(mark, known.marks));
  if (known === null || !older) {
    return { verdict: "current", progress: accept(known, marks, date) };
  }
  const lagging = known.lagging + 1;
  if (lagging < LAGGING_ROUNDS || date - known.since < patienceMs) {
    return { verdict: "lagging", progress: { ...known, lagging } };
  }
  return { verdict: "baseline", progress: { marks, since: date, lagging: 0 } };
}

function accept(known: Progress | null, marks: readonly Mark[], date: number): Progress {
  if (known?.lagging === 0 && marks.every((mark) => isSame(mark, known.marks))) return known;
  const kept = (known?.marks ?? []).filter(({ key }) => marks.every((mark) => mark.key !== key));
  return { marks: kept.concat(marks), since: date, lagging: 0 };
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
