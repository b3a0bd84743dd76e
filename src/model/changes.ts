import type { Alert, Run, SeriesName } from "./alerts.ts";
import type { Ask, Failure } from "./asks.ts";
import type { Notice, RangeFacts } from "./notices.ts";

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

/** The mark of the configuration that runs: when it was loaded, and why a later one was not. */
export const CONFIGURATION_MARK = "configuration";

/** The mark under which somebody beside the daemon asks for the configuration to be loaded: a text that is new each time. */
export const RELOAD_MARK = "reload";

export interface RuleState {
  readonly name: string;
  /** A hash of the rule's source. */
  readonly version: string;
  /** When people were told that it is watched; null: not yet. */
  readonly startedAt: number | null;
  /** The date of its last whole round. */
  readonly lastRound: number | null;
}

/** What a round read too little of, whatever the samples tell: who replays it reads no more of it. */
export interface Unread {
  /** The subject's key. */
  readonly subject: string;
  /** The metrics that lack, such as those of a record older than one before; null: all of them. */
  readonly metrics: readonly string[] | null;
  /** The record whose request failed; absent: none did. */
  readonly unanswered?: Ask["record"];
  /** The answer was good and the subject was not in it; absent: it was. */
  readonly absent?: true;
  /** Why an alert has no value, in clean words; absent: each has one, or nobody says why. */
  readonly trouble?: string;
}

/** How the requests of a round for one kind of record on one chain fared. */
export interface ScopeRead {
  readonly answered: boolean;
  readonly failed: boolean;
  /** None, one, or more than one. */
  readonly refused: 0 | 1 | 2;
  /** All that failed or was refused was so for the key. */
  readonly byKey: boolean;
  /** The first reason, in clean words. */
  readonly detail: string | null;
}

/** What rules that were polled together read in a round. */
export interface GroupReads {
  /** Their names; null: all of the round. */
  readonly rules: readonly string[] | null;
  /** By record and chain: `v4_pool@137`. */
  readonly scopes: Readonly<Record<string, ScopeRead>>;
  /** The subjects, by their keys, whose older records were taken as the new baseline, and since when they were dropped. */
  readonly rebased: Readonly<Record<string, number>>;
}

/** What a replay of a round needs beside its samples. */
export interface RoundReads {
  /** When the run of the daemon began that made the round. */
  readonly openedAt: number;
  /** In the order in which they were closed. */
  readonly groups: readonly GroupReads[];
}

/** One round as `explain` needs it. */
export interface RoundRecord {
  readonly date: number;
  readonly rules: readonly string[];
  readonly requests: number;
  readonly subjects: number;
  /** By ask key, at most a bounded number of them. */
  readonly failures: Readonly<Record<string, Failure>>;
  readonly failed: number;
  /** Subjects of which the round read less than it should; a bounded number. */
  readonly unread: readonly Unread[];
  /** Absent: not known. */
  readonly reads?: RoundReads;
  /** Real milliseconds. */
  readonly tookMs: number;
}

/** A round at `date` that these rules have had as a whole. */
export interface ClosedRound {
  readonly date: number;
  /** The store keeps each list once: the same object each time saves it a look at all names. */
  readonly rules: readonly string[];
  /** Where several daemons share the work: the slots in which it was that round. */
  readonly slots?: readonly number[];
}

/** An alert that is in another state now, that people were told of, or that somebody looks after or no more. */
export interface AlertChange {
  /** The date of the round or, where a person or a start changed it, the time. */
  readonly at: number;
  /** The value that decided, exact; null: none did. */
  readonly value: string | null;
  readonly alert: Alert;
}

/** A rule that is another version from a time on; null: it was removed. */
export interface RuleChange {
  readonly rule: string;
  readonly at: number;
  readonly version: string | null;
}

/** What a subject's samples do not say, from a round on. */
export interface SubjectFacts {
  /** Under which name the store keeps its samples. */
  readonly subject: string;
  readonly at: number;
  /** The decimals behind raw units, by metric; those that are not known are absent. */
  readonly decimals: Readonly<Record<string, number>>;
  /** What follows a number of a metric, such as `USDC per ETH`; absent: nothing. */
  readonly units: Readonly<Record<string, string>>;
  /** A position without liquidity. */
  readonly closed: boolean;
  /** What the service calls it, clean; absent: of before this was written down. */
  readonly label?: string;
  /** Its page at the explorer; null or absent: none is known. */
  readonly link?: string | null;
  /** A position's range, with the price at that date; null or absent: none is known. */
  readonly range?: RangeFacts | null;
  /** The decimals of both tokens behind its prices. */
  readonly rangeDecimals?: readonly [number, number];
}

/** A notice with the channels that it goes to. */
export interface AddressedNotice {
  readonly notice: Notice;
  readonly channels: readonly string[];
}

/** What of a command a daemon carries out that shares the work with others. */
export interface CommandPlace {
  readonly slots: readonly number[];
  /** The number of the configuration that says what is in these slots. */
  readonly config: number;
}

/** Everything that is committed in one transaction. */
export interface Change {
  readonly series: readonly SeriesName[];
  /** Inserted, or replaced where (first, series) is there already. */
  readonly runs: readonly Run[];
  /** Kept where they are others than before. */
  readonly facts: readonly SubjectFacts[];
  /** Replace what was kept for their subjects. */
  readonly cursors: readonly Cursor[];
  readonly marks: readonly SubjectMarks[];
  readonly alerts: readonly Alert[];
  /** Those of the alerts that are to be told from what they were before, for people who ask later. */
  readonly alertChanges: readonly AlertChange[];
  /** Alerts that are no longer watched. */
  readonly removedAlerts: readonly { readonly rule: string; readonly subject: string }[];
  /** The last rounds of their rules, as far as there are any and `rules` does not say otherwise. */
  readonly closed: readonly ClosedRound[];
  readonly rules: readonly RuleState[];
  /** Rules that are no longer there. */
  readonly removedRules: readonly string[];
  readonly versions: readonly { readonly version: string; readonly source: string }[];
  readonly ruleChanges: readonly RuleChange[];
  readonly notices: readonly AddressedNotice[];
  /** The commands that are carried out with it, by id. */
  readonly commands: readonly number[];
  /** Where several daemons share the work: where they are carried out; absent: everywhere. */
  readonly commandsIn?: CommandPlace;
  readonly round: RoundRecord | null;
}

export const NO_CHANGE: Change = {
  series: [],
  runs: [],
  facts: [],
  cursors: [],
  marks: [],
  alerts: [],
  alertChanges: [],
  removedAlerts: [],
  closed: [],
  rules: [],
  removedRules: [],
  versions: [],
  ruleChanges: [],
  notices: [],
  commands: [],
  round: null,
};
