import { formatTime } from "../../base/clock.ts";
import { formatDuration } from "../../base/duration.ts";
import type { Schedule } from "../../base/schedule.ts";
import type { Rule, Subject } from "../../model/index.ts";
import type { RuleNeeds } from "./needs.ts";
import type { Track } from "./tracks.ts";

/** From when to when, epoch milliseconds and both included, the past of a rule has a point only so often. */
interface Pace {
  readonly from: number;
  readonly to: number;
  readonly spacingMs: number;
}

/**
 * A rule as a daemon would run it that can look no more often than there are points: where its schedule is
 * finer than that it waits for the next point, and a value is in force for three of them.
 */
function paced(rule: Rule, paces: readonly Pace[]): Rule {
  return paces.length === 0 ? rule : { ...rule, schedule: pacedSchedule(rule.schedule, paces) };
}

function pacedSchedule(own: Schedule, paces: readonly Pace[]): Schedule {
  const spacingAt = (at: number): number | null => {
    let most = 0;
    for (const { from, to, spacingMs } of paces) {
      if (from <= at && at <= to) most = Math.max(most, spacingMs);
    }
    if (most === 0) return null;
    const ownMs = own.everyMs ?? (own.third(at) - at) / 3;
    return ownMs < most ? most : null;
  };
  return {
    text: own.text,
    key: own.key,
    everyMs: own.everyMs,
    eachBlock: own.eachBlock,
    next: (after) => {
      const spacing = spacingAt(after);
      return spacing === null ? own.next(after) : (Math.floor(after / spacing) + 1) * spacing;
    },
    third: (after) => {
      const spacing = spacingAt(after);
      return spacing === null ? own.third(after) : after + 3 * spacing;
    },
  };
}

/** What of a rule can be replayed. */
export interface Support {
  readonly name: string;
  /** As it is replayed: at the pace of what is known, on the subjects of which enough is; null: not at all. */
  readonly rule: Rule | null;
  /** Why it cannot be replayed, or its subjects that are left out; null: all of it can. */
  readonly refusal: string | null;
  /** Where its past comes from, and what that shows only coarsely; one line. */
  readonly source: string;
}

/** The request failed, or its history has nothing of that time. */
export type Untold = "failed" | "empty";

interface SupportParts {
  readonly from: number;
  readonly to: number;
  /** By the subject's key, why the service told nothing of its past though it has such histories. */
  readonly untold: ReadonlyMap<string, Untold>;
}

/** Decides whether the past of a rule is known well enough, and says how well. */
export function supportOf(
  needs: RuleNeeds,
  tracks: ReadonlyMap<string, Track>,
  { from, to, untold }: SupportParts,
): Support {
  const { rule, metrics, entries, references } = needs;
  const refuse = (refusal: string): Support => ({
    name: rule.name,
    rule: null,
    refusal,
    source: "",
  });
  const [entry] = entries;
  if (entry !== undefined && needs.kind.pastList === undefined) {
    return refuse(
      `${entry} is of single entries of a list of which no past is kept; use rule tests`,
    );
  }
  for (const { subject, metric, kind } of references) {
    const lack = lackOf(tracks.get(subject.key), [metric], untold.get(subject.key));
    if (lack !== null) return refuse(`it compares with ${kind.kind}: ${lack}`);
  }
  const lacking = new Map<string, string>();
  const known: Subject[] = [];
  for (const subject of rule.across === null ? needs.own : [needs.own[0]].flat()) {
    if (subject === undefined) continue;
    const isKnown = rule.across !== null && !tracks.has(subject.key);
    const parts = isKnown ? rule.subjects : [subject];
    const lacks = parts.map((one) => {
      const track = tracks.get(one.key);
      const reason = untold.get(one.key);
      return (
        entryLackOf(track, entries, to, reason) ??
        lackOf(track, metrics, reason) ??
        lateOf(track, to)
      );
    });
    const lack = lacks.find((one) => one !== null) ?? null;
    if (lack === null) known.push(...parts);
    else lacking.set(subject.key, lack);
  }
  const [why] = lacking.values();
  if (known.length === 0) return refuse(why ?? "nothing is known of its past");
  const used = [...known, ...references.map(({ subject }) => subject)].flatMap(
    ({ key }) => tracks.get(key) ?? [],
  );
  const paces = used.flatMap(pacesOf).filter((pace) => pace.from <= to && from <= pace.to);
  const coarsest = paces.reduce((most, { spacingMs }) => Math.max(most, spacingMs), 0);
  if (needs.lookBackMs > 0 && needs.lookBackMs < coarsest) {
    const span = formatDuration(needs.lookBackMs);
    const point = formatDuration(coarsest);
    return refuse(
      `its window of ${span} is shorter than the ${point} between two points of its history`,
    );
  }
  const left =
    rule.across === null
      ? rule.subjects.filter(({ key }) => tracks.has(key) && !lacking.has(key))
      : rule.subjects;
  return {
    name: rule.name,
    // A rule on single entries looks when they come: what it compares with is known from point to point.
    rule: paced({ ...rule, subjects: left }, entries.length > 0 ? [] : paces),
    refusal:
      why === undefined
        ? null
        : `${lacking.size} of ${rule.subjects.length} subjects are left out: ${why}`,
    source:
      entries.length > 0
        ? listSourceOf(used, entries, from, to)
        : sourceOf(rule, used, coarsest, from, to),
  };
}

/** Which of the metrics nothing is known of; null: of all of them there is something. */
function lackOf(
  track: Track | undefined,
  metrics: readonly string[],
  reason: Untold | undefined,
): string | null {
  const lack = metrics.filter((metric) => {
    return track === undefined || !(track.recordedSeries.has(metric) || track.points.has(metric));
  });
  if (lack.length === 0) return null;
  const names = lack.slice(0, 3).join(", ");
  return `${names}: no daemon recorded it, and ${reason === undefined ? "the service keeps no history of it" : UNTOLD[reason]}`;
}

const UNTOLD: Readonly<Record<Untold, string>> = {
  failed: "its history could not be fetched",
  empty: "the service's history has nothing of that time",
};

/** That its past begins after a time; null: it does not. */
function lateOf(track: Track | undefined, to: number): string | null {
  const since = track === undefined ? 0 : knownSince(track);
  return since > to ? `nothing is known of it before ${formatTime(since)}` : null;
}

/** Why these metrics of single entries cannot be told; null: they can. */
function entryLackOf(
  track: Track | undefined,
  metrics: readonly string[],
  to: number,
  reason: Untold | undefined,
): string | null {
  const [metric] = metrics;
  if (metric === undefined) return null;
  const list = track?.past.entries?.track;
  if (list === undefined) {
    return `${metric}: ${reason === undefined ? "the service does not tell its list" : "its list could not be fetched"}`;
  }
  if (list.since > to) return `${metric}: its list is known from ${formatTime(list.since)} on only`;
  const lack = metrics.find((name) => list.lacks.has(name));
  return lack === undefined ? null : `${lack}: ${list.lacks.get(lack) ?? ""}`;
}

/** When a track has only the points of a history. */
function pacesOf({ recorded, spacingMs, points }: Track): readonly Pace[] {
  if (spacingMs === null || points.size === 0) return [];
  if (recorded === null)
    return [{ from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY, spacingMs }];
  return [
    { from: Number.NEGATIVE_INFINITY, to: recorded.first - 1, spacingMs },
    { from: recorded.last + 1, to: Number.POSITIVE_INFINITY, spacingMs },
  ];
}

/** Where the past of a rule on single entries comes from, and what of their values is not exact. */
function listSourceOf(
  used: readonly Track[],
  metrics: readonly string[],
  from: number,
  to: number,
): string {
  const lists = used.flatMap(({ past }) => past.entries ?? []);
  const since = lists.reduce((latest, { track }) => Math.max(latest, track.since), from);
  const all = lists.map(
    ({ track }) => track.items.filter(({ at }) => at !== null && from <= at && at <= to).length,
  );
  const count = all.reduce((sum, one) => sum + one, 0);
  const parts = [
    `from the service's list, looked at by its schedule: ${count} ${count === 1 ? "entry" : "entries"}`,
  ];
  if (since > from) parts.push(`nothing is known before ${formatTime(since)}`);
  const made = metrics.filter((name) => lists.some(({ track }) => track.hourly.has(name)));
  if (made.length > 0)
    parts.push(`${made.join(", ")} by what the pool and its tokens were at the last full hour`);
  return parts.join("; ");
}

function sourceOf(
  rule: Rule,
  used: readonly Track[],
  coarsest: number,
  from: number,
  to: number,
): string {
  const recorded = used.flatMap((track) => track.recorded ?? []);
  const first = recorded.reduce((latest, span) => Math.max(latest, span.first), from);
  const last = recorded.reduce((earliest, span) => Math.min(earliest, span.last), to);
  const isAll = recorded.length === used.length;
  const parts: string[] = [];
  if (recorded.length > 0) {
    const since = first > from ? ` from ${formatTime(first)}` : "";
    const until =
      isAll && last < to - coarsest && last < to - 3_600_000 ? ` until ${formatTime(last)}` : "";
    parts.push(`recorded by the daemon${since}${until}`);
  }
  if (coarsest > 0) {
    const unit = coarsest >= 86_400_000 ? "days" : "hours";
    parts.push(
      `${parts.length > 0 ? "the rest " : ""}from the service's ${unit}: one look in ${formatDuration(coarsest)}`,
    );
    if (rule.forMs > 0 && rule.forMs < coarsest)
      parts.push(`\`for\` is coarser than ${formatDuration(rule.forMs)}`);
    const known = used.reduce((latest, track) => Math.max(latest, knownSince(track)), from);
    if (known > from + coarsest) parts.push(`nothing is known before ${formatTime(known)}`);
  } else if (recorded.length > 0 && first > from) parts.push("nothing is known before");
  return parts.join("; ");
}

/** The first date of which anything is known of a track, epoch milliseconds. */
function knownSince({ recorded, points }: Track): number {
  let first = recorded?.first ?? Number.POSITIVE_INFINITY;
  for (const all of points.values()) {
    const point = all.find(([, value]) => value !== null);
    if (point !== undefined) first = Math.min(first, point[0]);
  }
  return Number.isFinite(first) ? first : 0;
}
