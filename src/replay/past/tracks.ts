import { calledBy } from "../../decide/event.ts";
import type { Answers } from "../../kinds/kind.ts";
import type { SubjectFacts as Noted, Value } from "../../model/index.ts";
import type { Recorded } from "../../store/operator-db/recorded.ts";
import type { Track } from "./backtest.ts";
import type { Need } from "./needs.ts";
import { type ListTrack, PastEntries } from "./past-entries.ts";
import { PastSubject, type SubjectFacts } from "./past-subject.ts";
import { type RecordedTrack, recordedTracks } from "./recorded-tracks.ts";

/** What the service's histories tell of one subject. */
export interface HistoryTrack {
  readonly spacingMs: number;
  /** By metric, oldest first. */
  readonly points: ReadonlyMap<string, readonly (readonly [date: number, value: Value | null])[]>;
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
export function tracksOf(
  needs: ReadonlyMap<string, Need>,
  recorded: Recorded | null,
  histories: ReadonlyMap<string, HistoryTrack>,
  facts: Facts,
  lists: ReadonlyMap<string, ListTrack> = new Map(),
): ReadonlyMap<string, Track> {
  const own =
    recorded === null ? new Map<string, RecordedTrack>() : recordedTracks(needs, recorded);
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
    const today = { ...known, description };
    past.know(noted.length === 0 ? [today] : noted.map((one) => factsFrom(one, today)));
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

/** What today's answers say of a subject beside its values. */
export function factsToday({ subject, kind }: Need, today: Answers, now: number): SubjectFacts {
  const reading = kind.read(subject, today, now, null);
  const description = reading.describe();
  return { at: 0, closed: false, description, decimals: (name) => reading.decimals(name) };
}

/** What a daemon noted of a subject, and what else is known of it today. */
function factsFrom({ at, decimals, units, closed }: Noted, today: SubjectFacts): SubjectFacts {
  return {
    at,
    closed,
    decimals: (metric) => decimals[metric] ?? today.decimals(metric),
    description: {
      ...today.description,
      unit: (metric) => units[metric] ?? today.description.unit(metric),
    },
  };
}
