import { createLogger } from "../base/log.ts";
import { KINDS } from "../kinds/index.ts";
import type { Rule, Setup } from "../model/index.ts";
import { backtest, type WorldResult } from "../replay/past/backtest.ts";
import { needsByKey, needsOf, type RuleNeeds } from "../replay/past/needs.ts";
import type { ListTrack } from "../replay/past/past-entries.ts";
import { recordedMetrics } from "../replay/past/recorded-tracks.ts";
import { type Support, supportOf, type Untold } from "../replay/past/support.ts";
import { type Facts, type HistoryTrack, type Track, tracksOf } from "../replay/past/tracks.ts";
import type { Recorded } from "../store/operator-db/recorded.ts";
import { Curves } from "./backtest-curves.ts";
import { withKnownGates, withOpenGates } from "./backtest-gates.ts";

export interface Span {
  /** Both in epoch milliseconds, both included. */
  readonly from: number;
  readonly to: number;
}

/** What the service says of the past and of today. */
export interface Told {
  readonly histories: ReadonlyMap<string, HistoryTrack>;
  readonly facts: Facts;
  /** By the subject's key. */
  readonly lists: ReadonlyMap<string, ListTrack>;
  /** Of which subjects, by their keys, it told nothing, and why. */
  readonly untold: ReadonlyMap<string, Untold>;
  /** Why a history could not be had, each once. */
  readonly failures: readonly string[];
}

/** One set of rules on the past. */
export interface World {
  readonly supports: readonly Support[];
  readonly result: WorldResult;
}

export interface Replayed extends Span {
  readonly worlds: readonly World[];
  readonly tracks: ReadonlyMap<string, Track>;
  /** How far it came; `to` unless it was stopped. */
  readonly until: number;
  readonly rounds: number;
  /** Rounds of which the daemon did not write down in full which subjects had no answer. */
  readonly inferred: number;
  readonly tookMs: number;
  /** What was recorded of the metrics that are `drawn`. */
  readonly curves: Curves;
}

export interface ReplayParts extends Span {
  /** Each is a set of rules, as one daemon would run it. */
  readonly worlds: readonly (readonly Rule[])[];
  /** Names of those that are there as gates of others only: nothing is told of them. */
  readonly hidden?: ReadonlySet<string>;
  /** Worlds, by their place, of which no notices are composed. */
  readonly silent?: ReadonlySet<number>;
  /** By the name of a version the rule that it is a version of. */
  readonly recordedAs?: ReadonlyMap<string, string>;
  readonly setup: Setup;
  readonly recorded: Recorded | null;
  readonly told: Told;
  /** The metrics of which there are to be pictures, by name. */
  readonly drawn?: ReadonlySet<string>;
  readonly onDate: (date: number) => void;
  readonly stop: AbortSignal;
}

/** What is known of the past of all that these rules need. */
export async function pastOf(
  rules: readonly Rule[],
  parts: Pick<ReplayParts, "recorded" | "told">,
): Promise<ReadonlyMap<string, Track>> {
  return await tracksIn(
    rules.map((rule) => needsOf(rule, KINDS)),
    parts,
  );
}

async function tracksIn(
  needs: readonly RuleNeeds[],
  { recorded, told }: Pick<ReplayParts, "recorded" | "told">,
): Promise<ReadonlyMap<string, Track>> {
  return await tracksOf(
    needsByKey(needs, await recordedMetrics(recorded, needs)),
    recorded,
    told.histories,
    told.facts,
    told.lists,
  );
}

/** Replays sets of rules on what is known of the past. */
export async function replay(parts: ReplayParts): Promise<Replayed> {
  const { worlds, setup, recorded, told, from, to, onDate, stop } = parts;
  const began = performance.now();
  const isHidden = (name: string | null): boolean =>
    name !== null && parts.hidden?.has(name) === true;
  const needs = worlds.map((rules) => rules.map((rule) => needsOf(rule, KINDS)));
  const tracks = await tracksIn(needs.flat(), parts);
  const supports = needs.map((all) =>
    all.map((one) => supportOf(one, tracks, { from, to, untold: told.untold })),
  );
  const curves = new Curves(parts.drawn ?? new Set(), from, to);
  const all = needs.flat();
  const lookBackMs = all.reduce((most, one) => Math.max(most, one.lookBackMs), 0);
  const inForceMs = all.reduce((most, one) => Math.max(most, inForceOf(one, from)), 0);
  const {
    worlds: results,
    until,
    rounds,
    inferred,
  } = await backtest({
    worlds: supports.map((own) => withKnownGates(own.flatMap(({ rule }) => rule ?? []))),
    kinds: KINDS,
    from,
    to,
    tracks,
    recorded,
    // As a start fills windows: twice of what they span, and what is in force where they begin.
    lookBackMs: 2 * lookBackMs + inForceMs,
    selfNotify: setup.selfNotify,
    log: createLogger({ level: "silent", stream: { write: () => true } }),
    onDate,
    stop,
    ...(parts.drawn === undefined ? {} : { onRecorded: curves.heard }),
    ...(parts.silent === undefined ? {} : { silent: parts.silent }),
    ...(parts.recordedAs === undefined ? {} : { recordedAs: parts.recordedAs }),
  });
  const found = results.flatMap((result, i): World[] => {
    const its = supports[i];
    if (its === undefined) return [];
    const notices = result.notices.filter(({ notice }) => !isHidden(notice.rule));
    return [
      {
        supports: its.filter(({ name }) => !isHidden(name)).map((one) => withOpenGates(one, its)),
        result: { ...result, notices },
      },
    ];
  });
  const tookMs = Math.round(performance.now() - began);
  return { worlds: found, tracks, from, to, until, rounds, inferred, tookMs, curves };
}

/** Buckets may be missing, or come late. */
const SPARE_BUCKETS = 10;

/**
 * How long before a window began the values may be from that are in force then. Buckets in a row count for `for` and
 * `resolve_after`, and the first of them has its own window before it.
 */
function inForceOf({ rule, kind, references }: RuleNeeds, from: number): number {
  const bucketMs = [kind, ...references.map((one) => one.kind)].map((one) => one.bucketMs ?? 0);
  const heldMs = kind.bucketMs === null ? 0 : Math.max(rule.forMs, rule.resolveAfterMs);
  return Math.max(rule.schedule.third(from) - from, heldMs + SPARE_BUCKETS * Math.max(...bucketMs));
}
