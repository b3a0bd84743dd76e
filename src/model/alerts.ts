import type { Amount } from "../base/amount.ts";

/** Samples, and what is remembered of an alert. */

/** An integer that stands for (subject, metric) in the store. */
export interface SeriesName {
  readonly id: number;
  readonly subject: string;
  readonly metric: string;
}

/**
 * One value as it was observed from `first` to `last` (dates of rounds, or of one bucket), in text
 * form; null: no data. A run with `first` = `last` was seen in one round only.
 */
export interface Run {
  readonly series: number;
  readonly first: number;
  readonly last: number;
  readonly value: string | null;
  /** The newest of its series was this one and ended here, and only `last` is new; a hint: it may have ended elsewhere. */
  readonly before?: number | null;
  /** Of a bucket: the round that saw this value of it first; absent: it is no news, or a point of a history. */
  readonly seen?: number;
}

export type AlertState = "ok" | "pending" | "firing" | "recovering";

/** One (rule, subject). All dates are round dates in epoch milliseconds. */
export interface Alert {
  readonly rule: string;
  readonly subject: string;
  readonly createdAt: number;
  /** Its rule was known before it, or it has had a value: what becomes true must last for `for`. */
  readonly started: boolean;
  readonly state: AlertState;
  /** When the state was entered; for bucketed kinds the bucket from which it counts. */
  readonly since: number;
  /** Pending and recovering: the last round whose verdict was known. */
  readonly heldAt: number | null;
  /** The date of the firing in force (firing, recovering). */
  readonly firedAt: number | null;
  /** Bucketed kinds: the bucket on which it fired. */
  readonly firedBucket: number | null;
  /** Rounds without a value in a row; null when the last round had one. */
  readonly missing: {
    /** The last round with a value, or else the alert's first round. */
    readonly since: number;
    readonly rounds: number;
    /** `no data` was sent. */
    readonly told: boolean;
  } | null;
  /** What people were last told of it. */
  readonly lastNotified: {
    readonly state: "ok" | "firing";
    readonly value: string | null;
    /** Who was told of the firing and must hear that it ended; empty while `ok`. */
    readonly channels: readonly string[];
  };
  /** What people call the subject: from the rule or the chain, clean; null before the first answer. */
  readonly label: string | null;
  /** For `since: last` and events: the last value and the one before it, by metric, oldest first. */
  readonly seen: Readonly<Record<string, readonly string[]>> | null;
  /** What else there is to remember of its life; null: nothing, as of most alerts. */
  readonly life: NotificationState | null;
}

/** The rule name of the daemon's own alerts; users' rules cannot have it. */
export const SOURCE_RULE = "tickwatch:source";

/** One for all alerts that nobody was told of. */
export const NOTHING_TOLD: Alert["lastNotified"] = { state: "ok", value: null, channels: [] };

/**
 * What an alert remembers beyond its state. All dates are round dates; a part that is not needed is
 * null, and an alert of which all are has no life at all.
 */
export interface NotificationState {
  /** Its latest firings, to know that it flaps. */
  readonly firings: Flaps | null;
  /** The latest times at which its data went missing, likewise. */
  readonly gaps: Flaps | null;
  /** While people believe it fires: what they were told of how far it went. */
  readonly worst: Worst | null;
  /** While people believe it fires: when they were last told of it, and how often reminded since. */
  readonly reminded: { readonly at: number; readonly count: number } | null;
  /** When people were last told `fired` or `changed`, whether or not there is a `cooldown` yet. */
  readonly cooling: number | null;
  /** What was held back, to be counted in the next notice. */
  readonly held: Suppressed | null;
  /** Data is back since, and people still believe that there is none: since when there was none. */
  readonly blindSince: number | null;
  /** Who was told that it has no data and must hear the end of that; null: nobody believes so. */
  readonly blindTo: readonly string[] | null;
  /** It fires because its data is missing (`on_missing: fire`). */
  readonly byMissing: boolean;
  /** While it fires behind a gate: the condition was false meanwhile, and is true again since. */
  readonly lapse: { readonly trueSince: number | null } | null;
  /** `once`: null; a `fired` was sent for the firing in force; it has completed. */
  readonly once: "fired" | "spent" | null;
  /**
   * While people believe it fires: the condition under which it was last true, in words; null or absent:
   * that is not known.
   */
  readonly when?: string | null;
  /** Which of its comparisons was true then, by its place; null or absent: the first, or it is not known. */
  readonly spoke?: number | null;
  /** Likewise: of which metric `lastNotified.value` is; null or absent: there was no value, or it is not known. */
  readonly metric?: string | null;
  /** Somebody looks after it: who, and since when (the time of the command). */
  readonly acked: { readonly by: string; readonly at: number } | null;
}

export interface Flaps {
  /** Oldest first, as many as matter. */
  readonly dates: readonly number[];
  /** People were told that it flaps; `told`: when last, `side`: since when it is as it is. */
  readonly on: { readonly since: number; readonly told: number; readonly side: number } | null;
}

/** How far a value has gone, as an exact fraction of two decimals in text. */
export interface ExtentText {
  readonly far: string;
  readonly of: string;
}

export type Way = "up" | "down";

/** The furthest that people were told in the direction they were told, and the value they were told last. */
export interface Worst {
  readonly up: ExtentText | null;
  readonly down: ExtentText | null;
  readonly value: string;
  readonly way: Way;
  /** Changes: the base that they were told; absent in what earlier versions wrote. */
  readonly base?: string | null;
  /** What it is measured on; absent likewise. */
  readonly on?: string;
}

/** Events or firings that came while notices were held back. */
export interface Suppressed {
  readonly count: number;
  /** The date of the first of them. */
  readonly since: number;
  /** Events: of which metric these values are; null or absent: that is not known, or there are none. */
  readonly metric?: string | null;
  /** Events: the value before the first of this metric, the first of all, and the last value; exact text. */
  readonly base: string | null;
  readonly first: string | null;
  readonly last: string | null;
  /** Entries: what they come to; absent where that is not known, or not of one metric. */
  readonly amount?: Amount;
}
