import { compare, Decimal, parseDecimal } from "../../base/decimal.ts";
import { DAY, MINUTE } from "../../base/duration.ts";
import { keepNewest } from "../../base/keep-newest.ts";
import type { Run } from "../../model/index.ts";

/** A day in quarters of an hour. */
export const RECENT_STEP_MS = 15 * MINUTE;
const STEPS = DAY / RECENT_STEP_MS;
/** Beyond so many the one that was asked for longest ago goes. */
const MOST_SERIES = 3_000;

interface Extent {
  readonly low: Decimal;
  readonly high: Decimal;
}

/** The last day of one series. */
class RecentSeries {
  /** By the start of its step. */
  readonly #steps = new Map<number, Extent>();
  readonly #bucketMs: number | null;

  constructor(bucketMs: number | null) {
    this.#bucketMs = bucketMs;
  }

  /** A bucket has one value until it ends; another one of the same bucket takes its place. */
  observe({ first, last, value }: Pick<Run, "first" | "last" | "value">, from: number): void {
    const number = numberIn(value);
    if (number === null) return;
    const begin = Math.max(stepOf(first), stepOf(from));
    const end = last + (this.#bucketMs ?? 1) - 1;
    for (let step = begin; step <= end; step += RECENT_STEP_MS) {
      const known = this.#bucketMs === null ? this.#steps.get(step) : undefined;
      this.#steps.set(step, {
        low: known === undefined || compare(number, known.low) < 0 ? number : known.low,
        high: known === undefined || compare(number, known.high) > 0 ? number : known.high,
      });
    }
  }

  forget(before: number): void {
    for (const step of this.#steps.keys()) if (step < before) this.#steps.delete(step);
  }

  points(from: number): ([string, string] | null)[] {
    return Array.from({ length: STEPS + 1 }, (_, i) => {
      const step = this.#steps.get(from + i * RECENT_STEP_MS);
      return step === undefined ? null : [step.low.toString(), step.high.toString()];
    });
  }
}

/** True and false are drawn as well. */
function numberIn(value: string | null): Decimal | null {
  if (value === null) return null;
  if (value === "true") return ONE;
  return value === "false" ? NOTHING : parseDecimal(value);
}

const ONE = new Decimal(1n, 0);
const NOTHING = new Decimal(0n, 0);

function stepOf(at: number): number {
  return Math.floor(at / RECENT_STEP_MS) * RECENT_STEP_MS;
}

/**
 * The last day of those series that somebody looks at: read from the store once, and from then on each
 * round adds to it.
 */
export class RecentValues {
  readonly #series = new Map<number, RecentSeries>();

  get isEmpty(): boolean {
    return this.#series.size === 0;
  }

  has(series: number): boolean {
    return this.#series.has(series);
  }

  /** A round has committed it; of series that nobody looks at nothing is kept. */
  observe(run: Run): void {
    this.#series.get(run.series)?.observe({ ...run, first: run.last }, run.last - DAY);
  }

  /** The runs of the last day as the store has them, oldest first; `bucketMs` null: they are no buckets. */
  load(series: number, runs: readonly Run[], now: number, bucketMs: number | null): void {
    const recent = new RecentSeries(bucketMs);
    for (const run of runs) recent.observe(run, now - DAY);
    keepNewest(this.#series, series, recent, MOST_SERIES);
  }

  /** Null: it was not loaded. */
  view(
    series: number,
    now: number,
  ): { readonly from: number; readonly points: ([string, string] | null)[] } | null {
    const recent = this.#series.get(series);
    if (recent === undefined) return null;
    // Whoever is asked for goes last.
    keepNewest(this.#series, series, recent, MOST_SERIES);
    const from = stepOf(now) - STEPS * RECENT_STEP_MS;
    recent.forget(from);
    return { from, points: recent.points(from) };
  }
}
