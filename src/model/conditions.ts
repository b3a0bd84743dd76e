import type { Decimal, Value } from "../base/decimal.ts";
import type { Quantity } from "../base/quantity.ts";
import type { Subject } from "./asks.ts";

/** Limits and comparisons: what a rule says of a value. */

export type Severity = "info" | "warning" | "critical";

/** A limit as the user wrote it (`text`) and as the engine compares it. */
export type Limit = AmountLimit | PercentileLimit | ReferenceLimit;

/** A limit that is known when the rule is read. */
export type AmountLimit =
  | { readonly kind: "value"; readonly value: Value; readonly text: string }
  /** Whole tokens of the metric's token: times 10^decimals once the record has told them. */
  | { readonly kind: "tokens"; readonly amount: Decimal; readonly text: string };

/** So many percent of a percentile of the metric's own past: `p10`, `300% of p50`. */
export interface PercentileLimit {
  readonly kind: "percentile";
  /** Above 0, at most 100, with three decimals at most. */
  readonly percentile: Decimal;
  /** Above zero; 100 for the percentile itself. */
  readonly percent: Decimal;
  /** How far back it looks. */
  readonly ms: number;
  /** That as the user wrote it, such as `7d`. */
  readonly within: string;
  readonly text: string;
}

/** So many percent of a reference's value now: `100% of escrowed`. */
export interface ReferenceLimit {
  readonly kind: "reference";
  readonly reference: Reference;
  /** Above zero. */
  readonly percent: Decimal;
  readonly text: string;
}

/** A value of one subject, or of several together, by a name; polled with the rules that name it. */
export interface Reference {
  /** Unique over all files. */
  readonly name: string;
  /** The watch kind's name. */
  readonly kind: string;
  /** Of several together what `across` makes of them, which nothing is asked for. */
  readonly subject: Subject;
  /** Its value is the sum, the least or the greatest of the members' values; null: the subject's own. */
  readonly across: ReferenceAcross | null;
  readonly metric: string;
  readonly quantity: Quantity;
  /** Whole tokens in raw units, where the reference gives them. */
  readonly decimals: number | null;
}

export interface ReferenceAcross {
  readonly how: "sum" | "min" | "max";
  /** In the order of the file, no key twice. */
  readonly members: readonly Subject[];
}

/** How far a value must have gone: an amount, or a percentage of the base. Always above zero. */
export type Distance =
  | { readonly kind: "absolute"; readonly limit: AmountLimit; readonly text: string }
  | { readonly kind: "percent"; readonly percent: Decimal; readonly text: string };

/** Where the base of a change lies: the extreme of a window, a point in time, the last value. */
export type Span =
  | { readonly kind: "within"; readonly ms: number; readonly text: string }
  | { readonly kind: "since"; readonly ms: number; readonly text: string }
  | { readonly kind: "since_last"; readonly text: string };

export interface LimitComparison {
  readonly op: "above" | "below" | "at_least" | "at_most" | "equals" | "not_equals";
  readonly metric: string;
  readonly limit: Limit;
}

export interface RangeComparison {
  readonly op: "inside" | "outside";
  readonly metric: string;
  readonly low: Limit;
  readonly high: Limit;
}

export interface ChangeComparison {
  readonly op: "rises" | "falls" | "moves";
  readonly metric: string;
  readonly by: Distance;
  readonly span: Span;
}

/** An event: it compares with the value at the alert's last evaluation that had one. */
export type EventComparison =
  | { readonly op: "changes"; readonly metric: string }
  /** The sides are v ≥ limit and v < limit. */
  | { readonly op: "crosses"; readonly metric: string; readonly limit: Limit };

/** One value for so long. */
export interface UnchangedComparison {
  readonly op: "unchanged";
  readonly metric: string;
  readonly ms: number;
  readonly text: string;
}

/** The record's own time is older than so long. */
export interface SilenceComparison {
  readonly op: "no_update_for";
  /** The metric that holds that time. */
  readonly metric: string;
  readonly ms: number;
  readonly text: string;
}

export type Comparison =
  | LimitComparison
  | RangeComparison
  | ChangeComparison
  | EventComparison
  | UnchangedComparison
  | SilenceComparison;

export type Condition =
  | Comparison
  | { readonly op: "all" | "any"; readonly terms: readonly Condition[] }
  | { readonly op: "not"; readonly term: Condition };
