import { DAY, MINUTE } from "../../base/duration.ts";
import { type Zone, zoneOf } from "../../base/zone.ts";
import type { MuteWindow, Notice, Silence } from "../../model/index.ts";

/** By channel: the lists of windows of `Rule.mutes`. */
export type Mutes = ReadonlyMap<string, readonly (readonly MuteWindow[])[]>;

/** What silences and mutes look at. */
type Held = Pick<Notice, "rule" | "subject" | "labels">;

/** Whether a notice is held back by something at one moment, and until when at least. */
export interface Holds {
  /**
   * The earliest moment, in epoch milliseconds, at which what holds it back could end: it is looked at
   * anew then. Null: nothing holds it back.
   */
  until(notice: Notice): number | null;
}

/**
 * What is held back on its way to a channel at `now`: what a silence in force matches, and what a mute of
 * its rule keeps from this channel. A notice of no rule (of a source, of the daemon itself, a test) never is.
 */
export function holdsOf(
  channel: string,
  silences: readonly Silence[],
  mutesOf: (rule: string) => Mutes | undefined,
  now: number,
): Holds {
  /** By rule, since a claim holds many notices of few rules. */
  const muted = new Map<string, number | null>();
  const muteEnd = (rule: string): number | null => {
    const known = muted.get(rule);
    if (known !== undefined) return known;
    const end = mutedUntil(mutesOf(rule)?.get(channel) ?? [], now);
    muted.set(rule, end);
    return end;
  };
  const untilOf = (one: Held): number | null => {
    if (one.rule === null) return null;
    let until = muteEnd(one.rule);
    for (const silence of silences) {
      if (!matches(silence, one)) continue;
      until = Math.min(until ?? silence.endsAt, silence.endsAt);
    }
    return until;
  };
  return {
    until(notice) {
      const { about } = notice;
      if (about === undefined) return untilOf(notice);
      // A start waits while all of the rules that it is about do.
      let until = Number.POSITIVE_INFINITY;
      for (const one of about) until = Math.min(until, untilOf({ ...one, subject: null }) ?? -1);
      return until < 0 || until === Number.POSITIVE_INFINITY ? null : until;
    },
  };
}

/** Whether a silence is about a notice, whenever it is in force. */
export function matches(
  silence: Pick<Silence, "rule" | "subjects" | "labels">,
  notice: Held,
): boolean {
  const { rule, subject } = notice;
  if (rule === null) return false;
  if (silence.rule !== null && silence.rule !== rule) return false;
  // The start of a rule is about all of its subjects: one that is silent does not silence it.
  if (silence.subjects !== null && (subject === null || !silence.subjects.includes(subject))) {
    return false;
  }
  for (const [name, value] of Object.entries(silence.labels)) {
    if (notice.labels[name] !== value) return false;
  }
  return true;
}

/** Whoever is muted for longer than a week is so for ever, and is looked at again after this. */
const FURTHEST_MS = 8 * DAY;

/**
 * Until when it is muted, epoch milliseconds: as long as each of the lists has a window open. Null: it is
 * not. A window is open while the clock on the wall of its zone shows a time in it, so one that lies in
 * the hour that comes twice in autumn is open twice, and one in the hour that spring leaves out never.
 * Windows that adjoin are one. Who is muted for more than 8 days gets the end of the eighth.
 * Throws RangeError for a zone that Intl does not know.
 */
export function mutedUntil(lists: readonly (readonly MuteWindow[])[], now: number): number | null {
  let end: number | null = null;
  for (const list of lists) {
    const its = coveredUntil(list, now);
    if (its === null) return null;
    end = Math.min(end ?? its, its);
  }
  return end;
}

/** Until when one window or another is open without a gap; null: none is at `now`. */
function coveredUntil(windows: readonly MuteWindow[], now: number): number | null {
  let until = now;
  while (until < now + FURTHEST_MS) {
    let next = until;
    for (const window of windows) next = Math.max(next, openUntil(window, until) ?? until);
    if (next === until) break;
    until = next;
  }
  return until === now ? null : Math.min(until, now + FURTHEST_MS);
}

/** Until when a window is open for sure: its end, or the next change of the zone's offset. */
function openUntil(window: MuteWindow, at: number): number | null {
  const zone = knownZone(window.timezone);
  const offset = zone.offset(at);
  const wall = at + offset;
  const end = endOnWall(window, wall);
  if (end === null) return null;
  const until = at + end - wall;
  return zone.offset(until) === offset ? until : zone.change(at, until);
}

/** The end of the window that is open at this wall time, as wall time; null: none is. */
function endOnWall({ from, to, days }: MuteWindow, wall: number): number | null {
  const today = Math.floor(wall / DAY) * DAY;
  const length = (to > from ? to - from : to - from + DAY / MINUTE) * MINUTE;
  let end: number | null = null;
  // It began today, or yesterday and lasts over midnight.
  for (const day of [today - DAY, today]) {
    const start = day + from * MINUTE;
    if (wall < start || wall >= start + length) continue;
    if (days.includes(weekday(day))) end = Math.max(end ?? 0, start + length);
  }
  return end;
}

/** 0 Sunday to 6 Saturday; the epoch began on a Thursday. */
function weekday(day: number): number {
  return (((day / DAY + 4) % 7) + 7) % 7;
}

/** A zone costs a formatter, and there are few of them. */
const zones = new Map<string, Zone>();

function knownZone(name: string): Zone {
  const known = zones.get(name);
  if (known !== undefined) return known;
  const zone = zoneOf(name);
  zones.set(name, zone);
  return zone;
}
