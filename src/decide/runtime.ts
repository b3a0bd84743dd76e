import type { WatchKind } from "../kinds/kind.ts";
import type {
  Alert,
  ChangeComparison,
  PercentileLimit,
  Quantity,
  Reference,
  Rule,
  RuleState,
  Subject,
  UnchangedComparison,
} from "../model/index.ts";
import type { BucketSeries } from "./windows/buckets.ts";
import type { PercentileWindow } from "./windows/percentile.ts";
import type { UnchangedWindow } from "./windows/sampled.ts";
import type { StateWindow } from "./windows/window.ts";

/**
 * What the engine is shown of the past: one subject with its series and the alerts on it. The
 * rounds keep it in memory and move it on once a commit has succeeded; the engine only reads it.
 */
export interface SubjectRuntime {
  readonly key: string;
  readonly kind: WatchKind;
  readonly series: readonly Series[];
  readonly alerts: readonly AlertRuntime[];
}

/** Before every date. */
export const NEVER = Number.NEGATIVE_INFINITY;

/** A (subject, metric) that some rule names. */
export interface Series {
  readonly id: number;
  readonly metric: string;
  readonly quantity: Quantity;
  /** When a state series first and last had its newest sample; `NEVER`: it had none yet. */
  readonly first: number;
  readonly last: number;
  /** What that was, as `valueToText` writes it; null: no data. */
  readonly text: string | null;
  /** Bucketed kinds keep their buckets here. */
  readonly buckets: BucketSeries | null;
  /** Until when a value observed at `last` is in force for the most frequent rule. */
  third(last: number): number;
}

/** A (rule, subject). */
export interface AlertRuntime {
  readonly watched: RuleRuntime;
  readonly subject: Subject;
  readonly alert: Alert | null;
  /** Bucketed kinds: the newest bucket that it was judged by since the start; null: none. */
  readonly judged: number | null;
  /** Decimals that the rule gives for the subject's token. */
  readonly decimals: number | null;
  /** State kinds: what is remembered for each of the rule's looks at the past, in their order. */
  readonly windows: Windows;
  /** The alerts of other rules that decide whether it counts and speaks; null: none do. */
  readonly gates: Gates | null;
}

/** Another rule as one alert sees it: those of its alerts that count for it. */
export interface Gate {
  readonly rule: Rule;
  readonly alerts: readonly AlertRuntime[];
}

export interface Gates {
  readonly onlyWhile: readonly Gate[];
  readonly unless: readonly Gate[];
}

/** What in a rule looks at the past. */
export type Look = ChangeComparison | PercentileLimit | UnchangedComparison;

/** Null: nothing is remembered, since no series is kept of the metric. */
export type Windows = readonly (StateWindow | PercentileWindow | UnchangedWindow | null)[];

export interface RuleRuntime {
  readonly rule: Rule;
  readonly kind: WatchKind;
  readonly state: RuleState;
  /** The store knew no round of it when this run began. */
  readonly fresh: boolean;
  /** State kinds: what looks at the past; the windows of every alert are in this order. */
  readonly looks: readonly Look[];
  /** The metrics whose last values `since: last` needs. */
  readonly lastMetrics: readonly string[];
  readonly references: ReadonlyMap<Reference, ReferenceRuntime>;
}

/** What is remembered of a reference's value. */
export interface ReferenceRuntime {
  readonly kind: WatchKind;
  /** Null: nothing is, since a sum of values of different rounds is none. */
  readonly series: Series | null;
}
