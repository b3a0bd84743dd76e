import type { Decimal } from "../../base/decimal.ts";
import type { Metric } from "../../kinds/kind.ts";
import type {
  ChangeComparison,
  PercentileLimit,
  ReferenceLimit,
  UnchangedComparison,
  Value,
} from "../../model/index.ts";
import type { WindowHistory } from "./sampled.ts";

/** What one evaluation may look at: the values of one subject at one date, and its past. */
export interface EvaluationContext {
  /** The date of the sample that is judged: the round's, or the bucket's start. */
  readonly date: number;
  /** The date of the round. */
  readonly now: number;
  value(metric: string): Value | null;
  decimals(metric: string): number | null;
  metric(name: string): Metric;
  /** The past of a change's metric; null: nothing is remembered. */
  past(comparison: ChangeComparison): WindowHistory | null;
  /** The percentile of the metric's window before the date; null: too little of it is known. */
  percentile(limit: PercentileLimit, metric: string): Decimal | null;
  /** What the reference is now; null: no data. */
  reference(limit: ReferenceLimit): ReferenceValue | null;
  /** Whether the metric's value has been this one for the time; null: that is not known. */
  unchanged(comparison: UnchangedComparison, value: Value): boolean | null;
  /** When the record was last heard of by its own time, in epoch milliseconds; null: never. */
  updatedAt(metric: string): Decimal | null;
  /** `since: last`: the values this alert saw last, oldest first, at most two. */
  seen(metric: string): readonly Decimal[];
  /** The value of the subject's sample before this one, and its date; for people. */
  previous(metric: string): { readonly value: Value; readonly at: number } | null;
  /** Events: the value of the alert's last evaluation that had one; null: this is the first. */
  last(metric: string): Value | null;
  /** Its samples are hours or days, which count as they are. */
  readonly bucketed: boolean;
  /** A position without liquidity. */
  readonly closed: boolean;
  /** The alert is firing or recovering since then; null otherwise. */
  readonly firedAt: number | null;
}

/** A value of a reference in its metric's own unit. */
export interface ReferenceValue {
  readonly value: Decimal;
  /** The decimals behind raw units; null while unknown. */
  readonly decimals: number | null;
}
