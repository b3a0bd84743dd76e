import { setImmediate as breathe } from "node:timers/promises";
import { valueToText } from "../../base/decimal.ts";
import type { Log } from "../../base/log.ts";
import type { Before } from "../../commit/slices.ts";
import { referencesOf } from "../../decide/condition-tree.ts";
import type { WatchKind } from "../../kinds/kind.ts";
import type { AddressedNotice, Rule, Run } from "../../model/index.ts";
import type { Memory } from "../../poll/memory.ts";
import type { DecidedWork } from "../../poll/plan.ts";
import type { Recorded } from "../../store/operator-db/recorded.ts";
import { Feed, type FeedSource, type Heard, type Place } from "./feed.ts";
import { Stories } from "./firings.ts";
import { momentsOf, type PastSpan } from "./moments.ts";
import { isInferred, Past } from "./past.ts";
import type { PastSubject } from "./past-subject.ts";
import { type PastRound, Replay } from "./replay.ts";
import { entriesOf, type Track, type Tracks } from "./tracks.ts";

export interface BacktestOptions extends PastSpan {
  /** Worlds, by their place, of which no notices are composed. */
  readonly silent?: ReadonlySet<number>;
  /** By the name of a rule the one, by name, of which it is a version: it has the rounds that were recorded of that. */
  readonly recordedAs?: ReadonlyMap<string, string>;
  readonly kinds: ReadonlyMap<string, WatchKind>;
  /** How far before `from` windows may look. */
  readonly lookBackMs: number;
  readonly selfNotify: readonly string[];
  readonly log: Log;
  /** Called before each round, with the memory that it is decided on. */
  readonly beforeRound?: (date: number, memory: Memory) => void;
  /** Called after each round, with the memory as it was before. */
  readonly onDecided?: (date: number, decided: readonly DecidedWork[]) => void;
  /** Hears of what a daemon recorded, buckets left out, in the order in which it saw it. */
  readonly onRecorded?: Heard;
  /** Hears how far it has come. */
  readonly onDate?: (date: number) => void;
  readonly stop: AbortSignal;
}

/** What came of one of the worlds. */
export interface WorldResult {
  readonly stories: Stories;
  readonly notices: readonly AddressedNotice[];
}

export interface BacktestResult {
  readonly worlds: readonly WorldResult[];
  /** How far it came: `to`, unless it was stopped. */
  readonly until: number;
  /** Moments at which something was decided. */
  readonly rounds: number;
  /** Those of them of which the daemon did not write down in full which subjects had no answer. */
  readonly inferred: number;
}

/** A turn of the event loop after so long (real milliseconds): for Ctrl-C and for progress. */
const TURN_MS = 40;

/** Replays worlds of rules over one past, which is read once for all of them. */
export async function backtest(options: BacktestOptions): Promise<BacktestResult> {
  const { worlds, from, to, tracks, recorded, stop, onDate = () => {} } = options;
  const places = placesOf(tracks);
  const feed = await feedOf(options, places);
  const before = new Map<Place, Run[]>();
  await feed.advance(from - 1, (place, run) => {
    // Copies: V8 would see that runs last, and put all that are read later among what is old.
    const kept = { ...run };
    const runs = before.get(place);
    if (runs === undefined) before.set(place, [kept]);
    else runs.push(kept);
  });
  const onLists = worlds
    .flat()
    .filter(({ subjects }) => subjects.some(({ key }) => entriesOf(tracks, key) !== null));
  const compared = onLists.flatMap((rule) =>
    referencesOf(rule).flatMap(({ subject, across }) => [subject, ...(across?.members ?? [])]),
  );
  const past = new Past(
    tracks,
    (await recorded?.rules()) ?? new Set(),
    new Set(compared.map(({ key }) => key)),
    options.recordedAs,
  );
  const replays: { replay: Replay; result: WorldResult }[] = [];
  for (const [i, rules] of worlds.entries()) {
    const isSilent = options.silent?.has(i) === true;
    replays.push(await open(rules, options, places, before, isSilent));
  }
  before.clear();
  let rounds = 0;
  let inferred = 0;
  let until = from;
  let turn = performance.now();
  for await (const moment of momentsOf(options)) {
    const { date } = moment;
    await feed.advance(date);
    let round: PastRound | null = null;
    for (const { replay } of replays) {
      const due = past.due(replay.memory.rules, moment);
      if (due.length === 0) continue;
      round ??= past.round(moment);
      options.beforeRound?.(date, replay.memory);
      const told = replay.round(due, round);
      if (told !== null) await told;
    }
    if (round !== null) {
      rounds += 1;
      if (isInferred(moment)) inferred += 1;
    }
    until = date;
    if ((rounds & 63) === 0 && performance.now() - turn > TURN_MS) {
      onDate(date);
      await breathe();
      turn = performance.now();
      if (stop.aborted) {
        return { worlds: replays.map(({ result }) => result), until, rounds, inferred };
      }
    }
  }
  return { worlds: replays.map(({ result }) => result), until: to, rounds, inferred };
}

async function open(
  rules: readonly Rule[],
  { kinds, from, selfNotify, log, tracks, onDecided }: BacktestOptions,
  places: Places,
  before: ReadonlyMap<Place, readonly Run[]>,
  silent: boolean,
): Promise<{ replay: Replay; result: WorldResult }> {
  const notices: AddressedNotice[] = [];
  const stories = new Stories(silent);
  const replay = new Replay({
    rules,
    kinds,
    start: from,
    selfNotify,
    log,
    silent,
    onDecided: (date, decided) => {
      stories.decided(date, decided);
      onDecided?.(date, decided);
    },
    onNotices: (told) => {
      for (const one of told) notices.push(one);
      stories.told(told);
    },
  });
  for (const rule of replay.memory.rules) {
    const [alert] = rule.alerts;
    // What was recorded of all of them together stands for what each of them was.
    if (rule.rule.across !== null && alert !== undefined && tracks.has(alert.owner.key)) {
      replay.readTogether(rule);
    }
  }
  const runs = new Map<number, readonly Run[]>();
  for (const subject of replay.memory.subjects.values()) {
    for (const series of subject.series) {
      const place = places.get(subject.key)?.get(series.metric);
      const own = (place === undefined ? undefined : before.get(place)) ?? [];
      runs.set(
        series.id,
        own.map((run) => ({ ...run, series: series.id, last: Math.min(run.last, from - 1) })),
      );
      const spacingMs = tracks.get(subject.key)?.spacingMs ?? null;
      const [first] = own;
      if (spacingMs !== null && first !== undefined) {
        series.backfilled = [{ first: first.first, last: from - 1, spacingMs }];
      }
    }
  }
  const lookUp: Before = {
    window: (ids) => Promise.resolve(new Map(ids.map((id) => [id, runs.get(id) ?? []]))),
  };
  await replay.begin(lookUp);
  return { replay, result: { stories, notices } };
}

/** By the subject's key and the metric. */
type Places = ReadonlyMap<string, ReadonlyMap<string, Place>>;

function placesOf(tracks: Tracks): Places {
  return new Map(
    Array.from(tracks, ([key, { past, recordedSeries, points }]) => {
      const metrics = new Set([...recordedSeries.keys(), ...points.keys()]);
      return [key, new Map(Array.from(metrics, (one) => [one, placeOf(past, one)]))];
    }),
  );
}

function placeOf(subject: PastSubject, metric: string): Place {
  return { subject, series: subject.seriesOf(metric) };
}

async function feedOf(options: BacktestOptions, places: Places): Promise<Feed> {
  const { tracks, recorded, from, to, lookBackMs } = options;
  const states = new Map<number, Place>();
  const buckets = new Map<number, Place>();
  const points: { readonly run: Run; readonly from: number }[] = [];
  const ofPoints: Place[] = [];
  for (const [key, track] of tracks) {
    const isBucketed = track.past.kind.bucketMs !== null;
    for (const [metric, place] of places.get(key) ?? []) {
      for (const id of track.recordedSeries.get(metric) ?? []) {
        (isBucketed ? buckets : states).set(id, place);
      }
      for (const run of pointRuns(track, metric, ofPoints.length)) {
        points.push({ run, from: endOf(run, place) });
      }
      ofPoints.push(place);
    }
  }
  const told = points.toSorted((a, b) => a.from - b.from).map(({ run }) => run);
  const sources: FeedSource[] = [
    { pages: [told].values(), places: new Map(ofPoints.entries()), from: endOf },
  ];
  if (recorded === null) return new Feed(sources);
  const begin = from - lookBackMs;
  if (states.size > 0) {
    const pages = recorded.runs([...states.keys()], begin, to);
    const { onRecorded: heard } = options;
    sources.push({ pages, places: states, from: ({ first }) => first, heard });
  }
  if (buckets.size > 0) {
    const ids = [...buckets.keys()];
    // Days and hours are known at other times than they begin.
    for (const ms of new Set(Array.from(buckets.values(), lengthOf))) {
      const alike = new Map([...buckets].filter(([, place]) => lengthOf(place) === ms));
      sources.push(await endedBuckets(recorded, alike, begin, to));
    }
    const pages = recorded.revisions(ids, begin, to);
    sources.push({ pages, places: buckets, from: ({ seen, first }) => seen ?? first });
  }
  return new Feed(sources);
}

/** A bucket is known once it has ended, and what is no bucket at once. */
function endOf({ first }: Run, place: Place): number {
  return first + lengthOf(place);
}

function lengthOf({ subject }: Place): number {
  return subject.kind.bucketMs ?? 0;
}

/** The points of a metric outside of what was recorded of its subject, as runs of one spacing each. */
function pointRuns(
  { points, recorded, spacingMs, past }: Track,
  metric: string,
  series: number,
): readonly Run[] {
  const own = points.get(metric) ?? [];
  const { bucketMs } = past.kind;
  return own.flatMap(([date, value]) => {
    const isRecorded = recorded !== null && recorded.first <= date && date <= recorded.last;
    if (isRecorded || spacingMs === null) return [];
    const run = { series, first: date, last: date, value: valueToText(value) };
    if (bucketMs !== null) return [run];
    const until = date + spacingMs - 1;
    const isBefore = recorded !== null && date < recorded.first;
    const last = isBefore ? Math.min(until, recorded.first - 1) : until;
    return [{ ...run, last }];
  });
}

/** Buckets of before their news was kept, by the last that was seen of them: known once they have ended. */
async function endedBuckets(
  recorded: Recorded,
  places: ReadonlyMap<number, Place>,
  from: number,
  to: number,
): Promise<FeedSource> {
  const ids = [...places.keys()];
  const since = await recorded.revisedSince(ids);
  return {
    pages: recorded.runs(ids, from, to),
    places,
    from: (run, place) => {
      const ended = endOf(run, place);
      return ended <= (since.get(run.series) ?? Number.POSITIVE_INFINITY) ? ended : null;
    },
  };
}
