import { calledBy } from "../../decide/event.ts";
import type { Answers } from "../../kinds/kind.ts";
import type { SubjectFacts as Noted, RawRecord, Value } from "../../model/index.ts";
import type { Recorded } from "../../store/operator-db/recorded.ts";
import type { Ranges } from "./histories.ts";
import type { Need } from "./needs.ts";
import type { Known } from "./past.ts";
import { type ListTrack, PastEntries } from "./past-entries.ts";
import { PastSubject, type SubjectFacts } from "./past-subject.ts";
import { type RecordedTrack, recordedTracks } from "./recorded-tracks.ts";

/** The past of one subject, as the replay is given it. */
export interface Track extends Known {
  /** The recorded series of each metric, by their numbers in the store; none: it was not recorded. */
  readonly recordedSeries: ReadonlyMap<string, readonly number[]>;
  /** Points of a history by metric, oldest first: dated as they count, in force until the next. */
  readonly points: ReadonlyMap<string, readonly (readonly [date: number, value: Value | null])[]>;
}

/** By the subject's key. */
export type Tracks = ReadonlyMap<string, Track>;

/** The list that a subject follows; null: it follows none, or nothing is known of its past. */
export function entriesOf(tracks: Tracks, key: string): PastEntries | null {
  return tracks.get(key)?.past.entries ?? null;
}

/** What the service's histories tell of one subject. */
export interface HistoryTrack {
  readonly spacingMs: number;
  /** By metric, oldest first. */
  readonly points: ReadonlyMap<string, readonly (readonly [date: number, value: Value | null])[]>;
  readonly ranges?: Ranges;
}

/** What the service says of subjects today, by their keys: names, units, decimals. */
export type Facts = ReadonlyMap<string, SubjectFacts>;

const NOT_RECORDED: RecordedTrack = {
  span: null,
  series: new Map(),
  readers: new Set(),
  label: null,
  facts: [],
};

/** The past of all subjects of which anything is known, by their keys. */
export async function tracksOf(
  needs: ReadonlyMap<string, Need>,
  recorded: Recorded | null,
  histories: ReadonlyMap<string, HistoryTrack>,
  facts: Facts,
  lists: ReadonlyMap<string, ListTrack> = new Map(),
): Promise<Tracks> {
  const own =
    recorded === null ? new Map<string, RecordedTrack>() : await recordedTracks(needs, recorded);
  const tracks = new Map<string, Track>();
  for (const [key, { subject, kind, members }] of needs) {
    const list = lists.get(key);
    const entries =
      list === undefined || kind.pastList === undefined
        ? null
        : new PastEntries(subject, kind.pastList, list);
    const kept = own.get(key) ?? NOT_RECORDED;
    const { series, readers, label, facts: noted } = kept;
    // Single entries are not recorded.
    const span = kind.pastList === undefined ? kept.span : null;
    const history = histories.get(key);
    if (span === null && history === undefined && entries === null) continue;
    const past = new PastSubject(subject, kind, members, entries);
    const known = facts.get(key) ?? past.facts;
    const description = calledBy(label, known.description);
    // Where the price is in the range today says nothing of the past.
    const today = { ...known, description: { ...description, range: null } };
    past.know(
      noted.length > 0
        ? noted.map((one) => factsFrom(one, today))
        : [today, ...rangedFacts(today, history?.ranges ?? [])],
    );
    tracks.set(key, {
      past,
      members,
      recorded: span,
      readers,
      spacingMs: history?.spacingMs ?? null,
      recordedSeries: span === null ? new Map() : series,
      points: history?.points ?? new Map(),
    });
  }
  return tracks;
}

/** The same with the range of each date. */
function rangedFacts(today: SubjectFacts, ranges: Ranges): readonly SubjectFacts[] {
  return ranges.map(([at, range]) => ({
    ...today,
    at,
    description: { ...today.description, range },
  }));
}

/**
 * What today's answers say of a subject beside its values; `own`: the points of its history, where those are its
 * own records.
 */
export function factsToday(
  { subject, kind }: Need,
  today: Answers,
  now: number,
  own: readonly RawRecord[] = [],
): SubjectFacts {
  const keys = new Set(
    kind.bucketMs === null ? [] : kind.asks(subject, now, null).map(({ key }) => key),
  );
  const answers: Answers = (ask) =>
    keys.has(ask.key) ? { status: "ok", records: own } : today(ask);
  const reading = kind.read(subject, answers, now, null);
  const description = reading.describe();
  return { at: 0, closed: false, description, decimals: (name) => reading.decimals(name) };
}

/** What a daemon noted of a subject, and what else is known of it today. */
function factsFrom(noted: Noted, today: SubjectFacts): SubjectFacts {
  const { at, decimals, units, closed, label, link = null, range = null, rangeDecimals } = noted;
  // Before it was written down what a subject was called, nothing else of it was either.
  const said =
    label === undefined
      ? today.description
      : {
          ...today.description,
          label,
          link,
          range,
          ...(rangeDecimals === undefined ? {} : { rangeDecimals }),
        };
  return {
    at,
    closed,
    decimals: (metric) => decimals[metric] ?? today.decimals(metric),
    description: {
      ...said,
      unit: (metric) => units[metric] ?? today.description.unit(metric),
    },
  };
}
