import { type Decimal, parseDecimal } from "../base/decimal.ts";
import type { ChangeComparison, Value } from "../model.ts";
import type { Metric, Reading, Row } from "../watches/watch.ts";
import type { BucketSeries } from "./buckets.ts";
import type { Scene } from "./evaluate.ts";
import { type Series, valueFromText, type WatchedAlert } from "./watched.ts";
import type { Past } from "./window.ts";

type Before = { readonly value: Value; readonly at: number };

/** A scene that knows for which alert it is. */
abstract class AlertScene implements Scene {
  readonly watched: WatchedAlert;
  readonly reading: Reading;
  readonly date: number;

  constructor(watched: WatchedAlert, reading: Reading, date: number) {
    this.watched = watched;
    this.reading = reading;
    this.date = date;
  }

  abstract value(metric: string): Value | null;
  abstract past(comparison: ChangeComparison): Past | null;
  abstract previous(metric: string): Before | null;

  get closed(): boolean {
    return this.reading.closed;
  }

  get firedAt(): number | null {
    return this.watched.alert?.firedAt ?? null;
  }

  decimals(metric: string): number | null {
    return this.reading.decimals(metric) ?? this.watched.decimals;
  }

  metric(name: string): Metric {
    const metric = this.watched.watched.kind.metrics.get(name);
    // The rule was checked against the same table when it was loaded.
    if (metric === undefined) throw new Error(`the metric ${name} is not one of its kind`);
    return metric;
  }

  seen(metric: string): readonly Decimal[] {
    const texts = this.watched.alert?.seen?.[metric] ?? [];
    return texts.map(parseDecimal).filter((value) => value !== null);
  }

  last(metric: string): Value | null {
    const text = this.watched.alert?.seen?.[metric]?.at(-1) ?? null;
    return valueFromText(text, this.metric(metric).quantity);
  }
}

/** A round that has no row for the subject: every value is missing. */
export class EmptyScene extends AlertScene {
  value(): null {
    return null;
  }

  past(): null {
    return null;
  }

  previous(): null {
    return null;
  }
}

/** One state record, dated by the round. */
export class StateScene extends AlertScene {
  readonly #row: Row;

  readonly #series: readonly Series[];

  constructor(
    watched: WatchedAlert,
    reading: Reading,
    series: readonly Series[],
    row: Row,
    date: number,
  ) {
    super(watched, reading, date);
    this.#row = row;
    this.#series = series;
  }

  value(metric: string): Value | null {
    return this.#row.value(metric);
  }

  past(comparison: ChangeComparison): Past | null {
    return this.watched.windows.get(comparison) ?? null;
  }

  previous(metric: string): Before | null {
    const newest = this.#series.find((series) => series.metric === metric)?.newest ?? null;
    if (newest === null || newest.value === null || newest.last >= this.date) return null;
    return { value: newest.value, at: newest.last };
  }
}

/** One bucket, by the latest values of it and of those before. */
export class BucketScene extends AlertScene {
  readonly #series: readonly Series[];
  readonly #buckets: readonly BucketSeries[];

  constructor(
    watched: WatchedAlert,
    reading: Reading,
    series: readonly Series[],
    buckets: readonly BucketSeries[],
    start: number,
  ) {
    super(watched, reading, start);
    this.#series = series;
    this.#buckets = buckets;
  }

  override get firedAt(): number | null {
    return this.watched.alert?.firedBucket ?? null;
  }

  value(metric: string): Value | null {
    return this.#bucketsOf(metric)?.get(this.date) ?? null;
  }

  past(comparison: ChangeComparison): Past | null {
    return this.#bucketsOf(comparison.metric)?.before(this.date) ?? null;
  }

  previous(metric: string): Before | null {
    return this.#bucketsOf(metric)?.previous(this.date) ?? null;
  }

  #bucketsOf(metric: string): BucketSeries | undefined {
    return this.#buckets[this.#series.findIndex((series) => series.metric === metric)];
  }
}

export type JudgedScene = EmptyScene | StateScene | BucketScene;
