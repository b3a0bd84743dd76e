import type { Rule } from "../../model/index.ts";
import type { Recorded, RecordedRound } from "../../store/operator-db/recorded.ts";
import type { Moment } from "./past.ts";
import { entriesOf, type Tracks } from "./tracks.ts";

/** What is replayed. */
export interface PastSpan {
  /** The rules of each daemon that is replayed on the same past. */
  readonly worlds: readonly (readonly Rule[])[];
  /** Both are included. */
  readonly from: number;
  readonly to: number;
  readonly tracks: Tracks;
  readonly recorded: Recorded | null;
}

/**
 * The moments of a span in their order: the rounds of the daemon, the dates of points, and the rounds in which there
 * is something new in a list.
 */
export async function* momentsOf(options: PastSpan): AsyncGenerator<Moment> {
  const { tracks, recorded, from, to } = options;
  const looks = looksOf(options);
  let look = 0;
  const isRecorded = [...tracks.values()].some((track) => track.recorded !== null);
  const rounds = recorded === null || !isRecorded ? null : flat(recorded.rounds(from, to));
  const spacings = [...tracks.values()].map(({ spacingMs }) => spacingMs ?? 0);
  const step = spacings.filter((ms) => ms > 0).reduce((least, ms) => Math.min(least, ms), NEVER);
  let point = step === NEVER ? NEVER : Math.ceil(from / step) * step;
  let round = (await rounds?.next()) ?? END;
  for (;;) {
    const date = Math.min(
      round.done === true ? NEVER : round.value.date,
      point,
      looks[look] ?? NEVER,
    );
    if (date > to) return;
    const isRound = round.done !== true && round.value.date === date;
    yield { date, round: isRound && round.done !== true ? round.value : null };
    if (isRound) round = (await rounds?.next()) ?? END;
    if (point === date) point += step;
    if (looks[look] === date) look += 1;
  }
}

/**
 * When the rules on lists first look, and when they look and find something new, by their schedules: other rounds
 * tell them nothing. Oldest first.
 */
function looksOf({ worlds, tracks, from, to }: PastSpan): readonly number[] {
  const looks = new Set<number>();
  for (const { schedule, subjects } of worlds.flat()) {
    for (const { key } of subjects) {
      const entries = entriesOf(tracks, key);
      if (entries === null) continue;
      looks.add(schedule.next(from - 1));
      for (const at of entries.times(from, to)) looks.add(schedule.next(at - 1));
    }
  }
  return [...looks].toSorted((a, b) => a - b);
}

const NEVER = Number.POSITIVE_INFINITY;
const END: IteratorResult<RecordedRound, undefined> = { done: true, value: undefined };

async function* flat<T>(pages: AsyncIterable<readonly T[]>): AsyncGenerator<T, undefined> {
  for await (const page of pages) yield* page;
}
