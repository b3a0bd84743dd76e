import type { MuteWindow, Notice, Silence } from "../../model/index.ts";
import { mutedUntil } from "./mute.ts";

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
    if (!Object.hasOwn(notice.labels, name) || notice.labels[name] !== value) return false;
  }
  return true;
}
