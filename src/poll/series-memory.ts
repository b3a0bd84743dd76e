import { NEVER, type RuleRuntime, type Series, type SubjectRuntime } from "../decide/runtime.ts";
import { BucketSeries } from "../decide/windows/buckets.ts";
import type { SampledWindow } from "../decide/windows/sampled.ts";
import type { Quantity, Run, Value } from "../model/index.ts";
import { type BackfilledSpan, NO_SPANS } from "./backfill-state.ts";

const NO_WINDOWS: readonly SampledWindow[] = [];

/** The subject of a series. */
interface Owner extends Pick<SubjectRuntime, "kind" | "alerts"> {
  /** The rules that compare with a reference to it. */
  readonly comparedBy: readonly RuleRuntime[];
}

/** What is remembered of one metric of a subject. */
export class SeriesMemory implements Series {
  id: number;
  readonly metric: string;
  readonly quantity: Quantity;
  // A round reads these of every series: in an object of their own they would be one more to fetch.
  first = NEVER;
  last = NEVER;
  text: string | null = null;
  buckets: BucketSeries | null = null;
  windows: readonly SampledWindow[] = NO_WINDOWS;
  /** The points of a history that are in it, which stay in force for three of their spacings. */
  backfilled: readonly BackfilledSpan[] = NO_SPANS;
  /** Its history has not been asked for yet, and what windows lack may be in it. */
  backfilling = false;
  readonly #owner: Owner;

  constructor(id: number, metric: string, quantity: Quantity, owner: Owner) {
    this.id = id;
    this.metric = metric;
    this.quantity = quantity;
    this.#owner = owner;
  }

  third(last: number): number {
    let end = Number.POSITIVE_INFINITY;
    for (const { watched } of this.#owner.alerts) {
      end = Math.min(end, watched.rule.schedule.third(last));
    }
    for (const { rule } of this.#owner.comparedBy) end = Math.min(end, rule.schedule.third(last));
    return end;
  }

  /** How far apart the points of a history are of which one is at `date`; null: that is a sample of our own. */
  spacingAt(date: number): number | null {
    for (const { first, last, spacingMs } of this.backfilled) {
      if (first <= date && date <= last) return spacingMs;
    }
    return null;
  }

  /** Until when the point of a history at `date` is in force; null: that is a sample of our own. */
  pointUntil(date: number): number | null {
    const spacingMs = this.spacingAt(date);
    return spacingMs === null ? null : date + 3 * spacingMs;
  }

  /** Takes over the newest run as the store has it. */
  begin({ first, last, value }: Run): void {
    this.first = first;
    this.last = last;
    this.text = value;
  }

  /** Its newest sample is none of our own that could go on: a point of a history, or one dated anew. */
  end(): void {
    this.first = NEVER;
    this.last = NEVER;
    this.text = null;
  }

  /** Begins anew under another number: nothing that it knew counts any more. */
  renew(id: number): void {
    this.id = id;
    this.end();
    this.backfilled = NO_SPANS;
    const { bucketMs } = this.#owner.kind;
    this.buckets = bucketMs === null ? null : BucketSeries.empty(bucketMs);
    for (const window of this.windows) window.clear();
  }

  /** Takes a committed sample; `value`: that of the run. */
  observe(run: Run, value: Value | null): void {
    // One that goes on keeps its text: a new one would be old before it was of use.
    if (this.first === run.first) this.last = run.last;
    else this.begin(run);
    for (const window of this.windows) window.load(run.last, run.last, value);
  }
}
