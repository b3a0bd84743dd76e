import type { Mark } from "../kinds/kind.ts";

/**
 * A subject's watermark: the newest accepted block or time of each of its records. It is itself the mark of the first
 * record, because most subjects have no other.
 */
export interface Watermark extends Mark {
  block: number | null;
  time: number | null;
  others: readonly Mark[];
  /** The date of the last round in which a record was accepted. */
  since: number;
  /** The records that lag, since when and for how many rounds; usually none. */
  readonly lagging: ReadonlyMap<string, Lagging>;
}

/** A record that has only been older since a round: the date of that round, and the number of rounds. */
export interface Lagging {
  readonly since: number;
  readonly rounds: number;
}

/** The verdict on a round's marks. */
export interface LagVerdict {
  readonly progress: Watermark | null;
  /** The dropped records, older than before, by the keys of their asks. */
  readonly dropped: ReadonlySet<string>;
  /** Since when only older records came, once that was so long that they are accepted; null: they are not. */
  readonly rebasedSince: number | null;
}

/** After so many rounds older records are accepted: one absurd block number must not blind a subject for ever. */
const LAGGING_ROUNDS = 3;

export const NOTHING_LAGS: Watermark["lagging"] = new Map();
const NOTHING_DROPPED: LagVerdict["dropped"] = new Set();

/**
 * Accepts a round's records in place, where they are those accepted last or newer ones of the same, as nearly all
 * are. False: nothing was done, and `judgeLag` says what to do.
 */
export function moveOn(known: Watermark, marks: readonly Mark[], date: number): boolean {
  if (known.lagging.size !== 0 || known.others.length !== marks.length - 1) return false;
  let othersMoved = false;
  for (let i = 0; i < marks.length; i += 1) {
    const now = marks[i];
    const then = i === 0 ? known : known.others[i - 1];
    if (now === undefined || then === undefined || now.key !== then.key) return false;
    if (isLess(now.block, then.block) || isLess(now.time, then.time)) return false;
    if (i > 0) othersMoved ||= now.block !== then.block || now.time !== then.time;
  }
  known.block = marks[0]?.block ?? null;
  known.time = marks[0]?.time ?? null;
  if (othersMoved) known.others = marks.slice(1);
  known.since = date;
  return true;
}

/** All marks of a watermark, the first record's first. */
export function marksOf(progress: Watermark): readonly Mark[] {
  return [progress, ...progress.others];
}

/** The watermark of the records so far; null: there were none. */
export function watermarkOf(
  [first, ...others]: readonly Mark[],
  since: number,
  lagging: Watermark["lagging"] = NOTHING_LAGS,
): Watermark | null {
  if (first === undefined) return null;
  const { key, block, time } = first;
  return { key, block, time, others: others.length === 0 ? NO_MARKS : others, since, lagging };
}

/** Shared by all subjects with a single record. */
const NO_MARKS: readonly Mark[] = [];

/**
 * Finds the records of a round that are older than those accepted before, as a lagging indexer gives them. Each
 * record is dropped alone if its block or time is older; an equal one is accepted.
 */
export function judgeLag(
  known: Watermark | null,
  marks: readonly Mark[],
  date: number,
  patienceMs: number,
): LagVerdict {
  const before = known === null ? [] : marksOf(known);
  const kept = before.filter(({ key }) => marks.every((mark) => mark.key !== key));
  if (known === null || !marks.some((mark) => isOlder(mark, before))) {
    const progress = watermarkOf(kept.concat(marks), date);
    return { progress, dropped: NOTHING_DROPPED, rebasedSince: null };
  }
  const dropped = new Set<string>();
  const lagging = new Map<string, Lagging>();
  let rebasedSince: number | null = null;
  for (const mark of marks) {
    if (!isOlder(mark, before)) continue;
    const last = known.lagging.get(mark.key);
    const since = last?.since ?? known.since;
    const rounds = (last?.rounds ?? 0) + 1;
    if (rounds < LAGGING_ROUNDS || date - since < patienceMs) {
      dropped.add(mark.key);
      lagging.set(mark.key, { since, rounds });
    } else rebasedSince = Math.min(rebasedSince ?? since, since);
  }
  const next = marks.map((mark) =>
    dropped.has(mark.key) ? (before.find(({ key }) => key === mark.key) ?? mark) : mark,
  );
  const isAllOld = dropped.size === marks.length;
  const progress = watermarkOf(kept.concat(next), isAllOld ? known.since : date, lagging);
  return { progress, dropped, rebasedSince };
}

/** The same where no date may be later than `now`. */
export function rewoundWatermark(progress: Watermark, now: number): Watermark {
  const lagging = [...progress.lagging].map(([key, { since, rounds }]) => {
    return [key, { since: Math.min(since, now), rounds }] as const;
  });
  return { ...progress, since: Math.min(progress.since, now), lagging: new Map(lagging) };
}

function isOlder(mark: Mark, known: readonly Mark[]): boolean {
  const before = known.find(({ key }) => key === mark.key);
  if (before === undefined) return false;
  return isLess(mark.block, before.block) || isLess(mark.time, before.time);
}

function isLess(a: number | null, b: number | null): boolean {
  return a !== null && b !== null && a < b;
}
