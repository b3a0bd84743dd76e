import type { Alert, Run, SeriesName } from "./alerts.ts";
import type { Failure } from "./asks.ts";
import type { Notice } from "./notices.ts";

/** Everything that one transaction writes. */

/** What a followed list had when it was last read: opaque to all but its watch kind. */
export interface Cursor {
  readonly subject: string;
  readonly value: string;
}

/** How far a subject's records had come, or what was had of its history: opaque text of the rounds. */
export interface SubjectMarks {
  readonly subject: string;
  readonly value: string;
}

/** The mark of the channels that reject what they are sent or cannot be reached. */
export const CHANNELS_MARK = "channels";

export interface RuleState {
  readonly name: string;
  /** A hash of the rule's source. */
  readonly version: string;
  /** When people were told that it is watched; null: not yet. */
  readonly startedAt: number | null;
  /** The date of its last whole round. */
  readonly lastRound: number | null;
}

/** One round as `explain` will need it. */
export interface RoundRecord {
  readonly date: number;
  readonly rules: readonly string[];
  readonly requests: number;
  readonly subjects: number;
  /** By ask key, at most a bounded number of them. */
  readonly failures: Readonly<Record<string, Failure>>;
  readonly failed: number;
  /** Real milliseconds. */
  readonly tookMs: number;
}

/** A round at `date` that these rules have had as a whole. */
export interface ClosedRound {
  readonly date: number;
  /** The store keeps each list once: the same object each time saves it a look at all names. */
  readonly rules: readonly string[];
}

/** Everything that is committed in one transaction. */
export interface Change {
  readonly series: readonly SeriesName[];
  /** Inserted, or replaced where (first, series) is there already. */
  readonly runs: readonly Run[];
  /** Replace what was kept for their subjects. */
  readonly cursors: readonly Cursor[];
  readonly marks: readonly SubjectMarks[];
  readonly alerts: readonly Alert[];
  /** Alerts that are no longer watched. */
  readonly gone: readonly { readonly rule: string; readonly subject: string }[];
  /** The last rounds of their rules, as far as there are any and `rules` does not say otherwise. */
  readonly closed: readonly ClosedRound[];
  readonly rules: readonly RuleState[];
  /** Rules that are no longer there. */
  readonly goneRules: readonly string[];
  readonly versions: readonly { readonly version: string; readonly source: string }[];
  readonly notices: readonly { readonly notice: Notice; readonly channels: readonly string[] }[];
  /** The orders that are carried out with it, by id. */
  readonly orders: readonly number[];
  readonly round: RoundRecord | null;
}

export const NO_CHANGE: Change = {
  series: [],
  runs: [],
  cursors: [],
  marks: [],
  alerts: [],
  gone: [],
  closed: [],
  rules: [],
  goneRules: [],
  versions: [],
  notices: [],
  orders: [],
  round: null,
};
