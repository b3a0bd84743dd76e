import {
  Decimal,
  decimalFromInteger,
  parseDecimal,
  shift,
  valueFromText,
} from "../base/decimal.ts";
import type { Metric, Reading, Row } from "../kinds/kind.ts";
import type {
  ChangeComparison,
  PercentileLimit,
  ReferenceLimit,
  Run,
  UnchangedComparison,
  Value,
} from "../model/index.ts";
import {
  type EvaluationContext,
  type ReferenceReadings,
  type ReferenceValue,
  referenceValue,
} from "./evaluation-context.ts";
import type { AlertRuntime, Look, Series, Windows } from "./runtime.ts";
import type { BucketSeries } from "./windows/buckets.ts";
import { PercentileWindow } from "./windows/percentile.ts";
import { UnchangedWindow, type WindowHistory } from "./windows/sampled.ts";
import { StateWindow } from "./windows/window.ts";

type Before = { readonly value: Value; readonly at: number };

/** The readings of one subject in one round, shared by all of its contexts. */
export interface SubjectRound {
  readonly reading: Reading;
  /** The date of the round. */
  readonly now: number;
  readonly series: readonly Series[];
  /** All alerts of the subject, due or not. */
  readonly alerts: readonly AlertRuntime[];
  readonly references: ReferenceReadings;
  /** State kinds: the record; null: there is none. */
  readonly row: Row | null;
  /** State kinds: what each series observed, for the store and the memory. */
  readonly observed: readonly Observed[];
  /** Bucketed kinds: the samples to store. */
  readonly runs: readonly Run[];
  /** Bucketed kinds: the series as they are now, in the order of the subject's. */
  readonly buckets: readonly BucketSeries[];
}

/** One sample as the store and the memory need it. */
export interface Observed extends Run {
  /** The index of the series among the subject's. */
  readonly index: number;
  /** The value that the run has as text. */
  readonly read: Value | null;
}

export const NOTHING_OBSERVED: readonly Observed[] = [];

/** The evaluation context of one alert in one round. */
abstract class AlertContext implements EvaluationContext {
  constructor(
    readonly watched: AlertRuntime,
    readonly round: SubjectRound,
  ) {}

  abstract value(metric: string): Value | null;
  abstract past(comparison: ChangeComparison): WindowHistory | null;
  abstract previous(metric: string): Before | null;
  abstract percentile(limit: PercentileLimit, metric: string): Decimal | null;
  abstract unchanged(comparison: UnchangedComparison, value: Value): boolean | null;

  get now(): number {
    return this.round.now;
  }

  get date(): number {
    return this.round.now;
  }

  get closed(): boolean {
    return this.round.reading.closed;
  }

  get firedAt(): number | null {
    return this.watched.alert?.firedAt ?? null;
  }

  get bucketed(): boolean {
    return this.watched.watched.kind.bucketMs !== null;
  }

  decimals(metric: string): number | null {
    // A rule's own decimals win over those that the service gives for a token.
    return this.watched.decimals ?? this.round.reading.decimals(metric);
  }

  metric(name: string): Metric {
    const metric = this.watched.watched.kind.metrics.get(name);
    // The rule was checked against the same table when it was loaded.
    if (metric === undefined) throw new Error(`the metric ${name} is not one of its kind`);
    return metric;
  }

  reference({ reference }: ReferenceLimit): ReferenceValue | null {
    const { references } = this.round;
    return referenceValue(reference, this.watched.watched, references, this.now);
  }

  updatedAt(metric: string): Decimal | null {
    const { bucketMs } = this.watched.watched.kind;
    if (bucketMs !== null) {
      const newest = this.bucketsOf(metric)?.newest(this.now, 0) ?? null;
      return newest === null ? null : decimalFromInteger(newest.at + bucketMs);
    }
    const seconds = this.value(metric) ?? this.last(metric);
    return seconds instanceof Decimal ? shift(seconds, 3) : null;
  }

  seen(metric: string): readonly Decimal[] {
    const texts = this.watched.alert?.seen?.[metric] ?? [];
    return texts.map(parseDecimal).filter((value) => value !== null);
  }

  last(metric: string): Value | null {
    const text = this.watched.alert?.seen?.[metric]?.at(-1) ?? null;
    return valueFromText(text, this.metric(metric).quantity);
  }

  protected bucketsOf(metric: string): BucketSeries | undefined {
    const { series, buckets } = this.round;
    return buckets[series.findIndex((one) => one.metric === metric)];
  }
}

/** One state record, dated by the round. In a round without a record every value is missing. */
export class StateContext extends AlertContext {
  /** `observed`: the previous reading of the row. */
  constructor(
    watched: AlertRuntime,
    round: SubjectRound,
    private readonly row: Row | null,
    private readonly observed = NOTHING_OBSERVED,
  ) {
    super(watched, round);
  }

  value(metric: string): Value | null {
    for (const { index, read } of this.observed) {
      if (this.round.series[index]?.metric === metric) return read;
    }
    return this.row?.value(metric) ?? null;
  }

  past(comparison: ChangeComparison): WindowHistory | null {
    const window = this.#window(comparison);
    return window instanceof StateWindow ? window : null;
  }

  percentile(limit: PercentileLimit): Decimal | null {
    const window = this.#window(limit);
    if (!(window instanceof PercentileWindow)) return null;
    return window.percentile(limit.percentile, this.date - limit.ms, this.date);
  }

  unchanged(comparison: UnchangedComparison, value: Value): boolean | null {
    const window = this.#window(comparison);
    if (!(window instanceof UnchangedWindow)) return null;
    return window.unchanged(value, this.date, comparison.ms);
  }

  previous(metric: string): Before | null {
    const series = this.round.series.find((one) => one.metric === metric);
    if (this.row === null || series === undefined || series.last >= this.date) return null;
    const value = valueFromText(series.text, series.quantity);
    return value === null ? null : { value, at: series.last };
  }

  #window(look: Look): Windows[number] | undefined {
    const { watched, windows } = this.watched;
    return windows[watched.looks.indexOf(look)];
  }
}

/** One bucket, with its latest values and those of earlier buckets. */
export class BucketContext extends AlertContext {
  constructor(
    watched: AlertRuntime,
    round: SubjectRound,
    private readonly start: number,
  ) {
    super(watched, round);
  }

  override get date(): number {
    return this.start;
  }

  override get firedAt(): number | null {
    return this.watched.alert?.firedBucket ?? null;
  }

  value(metric: string): Value | null {
    return this.bucketsOf(metric)?.get(this.date) ?? null;
  }

  past(comparison: ChangeComparison): WindowHistory | null {
    return this.bucketsOf(comparison.metric)?.before(this.date) ?? null;
  }

  percentile(limit: PercentileLimit, metric: string): Decimal | null {
    const past = this.bucketsOf(metric)?.before(this.date) ?? null;
    return past?.percentile(limit.percentile, this.date - limit.ms, this.date) ?? null;
  }

  unchanged({ metric, ms }: UnchangedComparison, value: Value): boolean | null {
    return this.bucketsOf(metric)?.unchanged(value, this.date, ms) ?? null;
  }

  previous(metric: string): Before | null {
    return this.bucketsOf(metric)?.previous(this.date) ?? null;
  }
}

export type JudgedContext = StateContext | BucketContext;
