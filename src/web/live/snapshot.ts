import { matches, mutedUntil } from "../../delivery/suppress/hold.ts";
import type { Alert, Rule, Severity, Silence } from "../../model/index.ts";
import type { Counts } from "../api/schemas/overview.ts";
import type { Place, Row } from "./row.ts";

/** How all alerts stand at one moment: made once for whoever asks. */
export interface Snapshot {
  readonly version: number;
  readonly at: number;
  readonly counts: Counts;
  /** In the order of rules and subjects. */
  readonly places: Readonly<Record<Exclude<Place, "ok">, readonly Row[]>>;
  /** By the rule's place. */
  readonly rules: readonly RuleCounts[];
  /** The keys of the subjects whose newest rounds had no value. */
  readonly withoutData: ReadonlySet<string>;
}

export interface RuleCounts {
  firing: number;
  pending: number;
  recovering: number;
  no_data: number;
  ok: number;
}

/** Puts every alert into one of the overview's lists, and counts. */
export function snapshotOf(
  rows: readonly Row[],
  rules: readonly Rule[],
  silences: readonly Silence[],
  version: number,
  now: number,
): Snapshot {
  const muted = new Map<Rule, boolean>();
  const places: Record<Exclude<Place, "ok">, Row[]> = {
    firing: [],
    held_back: [],
    no_data: [],
    waiting: [],
  };
  const by: Record<Severity, number> = { critical: 0, warning: 0, info: 0 };
  const counts = rules.map((): RuleCounts => {
    return { firing: 0, pending: 0, recovering: 0, no_data: 0, ok: 0 };
  });
  const withoutData = new Set<string>();
  let pending = 0;
  let unacked = 0;
  for (const row of rows) {
    const { alert, watched, subject } = row.memory;
    const own = counts[row.rule];
    const noData = alert?.missing?.told === true;
    if (noData && own !== undefined) own.no_data += 1;
    if (alert !== null && isWithoutData(alert)) withoutData.add(subject.key);
    const state = alert?.state ?? "ok";
    if (own !== undefined) own[state] += 1;
    if (state === "firing") {
      const { rule } = watched;
      const isHeld = isSilenced(row, silences) || isMuted(rule, muted, now);
      row.place = isHeld ? "held_back" : "firing";
      if (!isHeld) {
        by[rule.severity] += 1;
        if ((alert?.life?.acked ?? null) === null) unacked += 1;
      }
    } else if (noData) row.place = "no_data";
    else if (state === "ok") row.place = "ok";
    else {
      row.place = "waiting";
      if (state === "pending") pending += 1;
    }
    if (row.place !== "ok") places[row.place].push(row);
  }
  const { firing, waiting, no_data: missing, held_back: held } = places;
  return {
    version,
    at: now,
    places,
    rules: counts,
    withoutData,
    counts: {
      alerts: rows.length,
      firing: firing.length,
      firing_by: by,
      unacknowledged: unacked,
      pending,
      recovering: waiting.length - pending,
      no_data: missing.length,
      held_back: held.length,
      ok: rows.length - firing.length - waiting.length - missing.length - held.length,
    },
  };
}

/** One round without a value says nothing yet, unless there never was one. */
function isWithoutData({ missing, started }: Alert): boolean {
  return missing !== null && (missing.rounds > 1 || !started);
}

function isSilenced({ memory }: Row, silences: readonly Silence[]): boolean {
  const { rule } = memory.watched;
  const about = { rule: rule.name, subject: memory.subject.key, labels: rule.labels };
  return silences.some((silence) => matches(silence, about));
}

/** Nobody whom the rule tells hears of it now. */
function isMuted(rule: Rule, known: Map<Rule, boolean>, now: number): boolean {
  const found = known.get(rule);
  if (found !== undefined) return found;
  const muted =
    rule.notify.length > 0 &&
    rule.notify.every((channel) => mutedUntil(rule.mutes.get(channel) ?? [], now) !== null);
  known.set(rule, muted);
  return muted;
}
