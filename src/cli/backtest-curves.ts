import { ChartData } from "../base/chart.ts";
import { Decimal } from "../base/decimal.ts";
import type { Value } from "../model/index.ts";
import type { Heard } from "../replay/past/feed.ts";
import type { PastSeries } from "../replay/past/past-subject.ts";

/** Longer gaps between samples are drawn as gaps. */
const MOST_GAP_MS = 15 * 60_000;

/** What a daemon recorded of a metric, drawn run by run. Dates are epoch milliseconds. */
export class Curve {
  #first = 0;
  #last = 0;
  /** The run before; null: there is none, or it had no data. */
  #value: Decimal | null = null;

  constructor(readonly data: ChartData) {}

  take(first: number, last: number, value: Value | null): void {
    // What stays in force up to the next sample is one line.
    this.#draw(first);
    this.#first = first;
    this.#last = last;
    this.#value = value instanceof Decimal ? value : null;
  }

  end(): void {
    this.#draw(Number.POSITIVE_INFINITY);
    this.#value = null;
  }

  #draw(next: number): void {
    if (this.#value === null) return;
    this.data.add(this.#first, next - this.#last < MOST_GAP_MS ? next : this.#last, this.#value);
  }
}

/** The curves of some metrics of all subjects, drawn while their past is replayed: it is read once for all. */
export class Curves {
  readonly #curves = new Map<PastSeries, Curve>();

  /** `metrics` by name. */
  constructor(
    private readonly metrics: ReadonlySet<string>,
    private readonly from: number,
    private readonly to: number,
  ) {}

  readonly heard: Heard = ({ series }, { first, last }) => {
    if (!this.metrics.has(series.metric)) return;
    this.#curveOf(series).take(first, last, series.value);
  };

  /** What was drawn of one; nothing comes after it. */
  ended(series: PastSeries): ChartData {
    const curve = this.#curveOf(series);
    curve.end();
    return curve.data;
  }

  #curveOf(series: PastSeries): Curve {
    let curve = this.#curves.get(series);
    if (curve === undefined) {
      curve = new Curve(new ChartData(this.from, this.to));
      this.#curves.set(series, curve);
    }
    return curve;
  }
}
