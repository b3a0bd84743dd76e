import type { Alert, Comparison, Rule, Subject, Value } from "../model.ts";
import type { Description, Metric } from "../watches/watch.ts";

/** The comparison that speaks for a verdict, with what it compared. */
export interface Evidence {
  readonly comparison: Comparison;
  readonly metric: Metric;
  /** The value now. */
  readonly value: Value;
  /** Limits in the metric's own unit, as compared; one, or low and high; none for changes. */
  readonly limits: readonly Value[];
  /**
   * Changes: the value that it was compared with; otherwise the one before. `baseAt`: when that was
   * in force; null: not known.
   */
  readonly base: Value | null;
  readonly baseAt: number | null;
}

/** Something that happened to one alert and must be told. */
export interface AlertEvent {
  readonly kind: "fired" | "resolved" | "changed" | "no_data" | "data_back";
  readonly rule: Rule;
  readonly subject: Subject;
  /** The round's date. */
  readonly at: number;
  readonly before: Alert;
  readonly after: Alert;
  /** What `when` compared now; null without a value. */
  readonly evidence: Evidence | null;
  /** What the other comparisons of `when` looked at, each metric once. */
  readonly also: readonly Evidence[];
  /** Bucketed kinds: the start and length of the bucket that was evaluated. */
  readonly bucket: { readonly start: number; readonly ms: number } | null;
  /** Null while nothing was ever answered. */
  readonly description: Description | null;
  /** The decimals behind a metric's raw units; null while unknown. */
  decimals(metric: string): number | null;
  /** `resolved`: the position was closed. */
  readonly closed: boolean;
  /** `no_data`: why, in clean words. */
  readonly trouble: string | null;
}

/** A rule tells once that it watches. */
export interface StartedEvent {
  readonly rule: Rule;
  readonly at: number;
  readonly subjects: readonly {
    readonly subject: Subject;
    readonly label: string;
    /** `true`/`false`: what the condition says; null: not known yet; "no data": no value. */
    readonly state: boolean | null | "no data";
    readonly evidence: Evidence | null;
    readonly description: Description | null;
    decimals(metric: string): number | null;
  }[];
}
