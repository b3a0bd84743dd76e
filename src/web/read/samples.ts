import { compare, type Decimal, parseDecimal } from "../../base/decimal.ts";
import type { Run } from "../../model/index.ts";
import type { Samples } from "../api/schemas/history.ts";

type Point = Samples["points"][number];

interface Step {
  from: number;
  to: number;
  low: Extreme | null;
  high: Extreme | null;
  last: string | null;
}

interface Extreme {
  /** A text of so few digits is in the same order as its floating-point number, which is made faster. */
  readonly number: Decimal | number;
  readonly text: string;
}

const FEW_DIGITS = 15;

/** The length of a step so that at most `points` of them cover the time; whole seconds. */
export function stepFor(from: number, to: number, points: number): number {
  return Math.max(1_000, Math.ceil((to - from) / points / 1_000) * 1_000);
}

/** Runs as their values lasted: of buckets each to the end of its bucket, at most until `now`; `bucketMs` null: as rounds saw them. */
export function lasting(
  runs: readonly Run[],
  bucketMs: number | null,
  now: number,
): readonly Run[] {
  if (bucketMs === null) return runs;
  return runs.map((run) => ({
    ...run,
    last: Math.max(run.last, Math.min(run.last + bucketMs - 1, now)),
  }));
}

/**
 * Runs, oldest first, as steps of one length, each with its lowest and highest value. A run counts in every
 * step that it reaches into. Texts that are no numbers have no extremes: the last of them stands for a step.
 */
export function pointsOf(
  runs: readonly Run[],
  from: number,
  to: number,
  stepMs: number,
): { readonly points: readonly Point[]; readonly samples: number } {
  const steps: Step[] = [];
  let samples = 0;
  // The very end belongs to the last step.
  const last = Math.max(0, Math.ceil((to - from) / stepMs) - 1);
  let step: Step | undefined;
  let stepEnd = from;
  for (const run of runs) {
    if (run.last < from || run.first > to) continue;
    samples += 1;
    const { value } = run;
    const extreme = value === null ? null : extremeOf(value);
    // Most runs are within the step of the one before.
    if (step !== undefined && run.last < stepEnd) {
      step.to = Math.min(run.last, to);
      count(step, value, extreme);
      continue;
    }
    const begin = Math.max(run.first, from);
    const end = Math.min(run.last, to);
    const reaches = Math.min(last, Math.floor((end - from) / stepMs));
    for (let at = Math.min(last, Math.floor((begin - from) / stepMs)); at <= reaches; at += 1) {
      const start = from + at * stepMs;
      if (step === undefined || stepEnd !== start + stepMs) {
        step = { from: Math.max(start, begin), to: start, low: null, high: null, last: null };
        stepEnd = start + stepMs;
        steps.push(step);
      }
      step.to = at === last ? end : Math.min(end, stepEnd - 1);
      count(step, value, extreme);
    }
  }
  const points = steps.map((one) => ({
    at: new Date(one.from).toISOString(),
    to: new Date(one.to).toISOString(),
    min: one.low?.text ?? one.last,
    max: one.high?.text ?? one.last,
    last: one.last,
  }));
  return { points, samples };
}

function count(step: Step, value: string | null, extreme: Extreme | null): void {
  step.last = value;
  if (extreme === null) return;
  if (step.low === null || order(extreme, step.low) < 0) step.low = extreme;
  if (step.high === null || order(extreme, step.high) > 0) step.high = extreme;
}

const FEW = new RegExp(`^-?[\\d.]{1,${FEW_DIGITS}}$`);

/** Null: the text is no number. */
function extremeOf(text: string): Extreme | null {
  const few = FEW.test(text) ? Number(text) : Number.NaN;
  if (!Number.isNaN(few)) return { number: few, text };
  const number = parseDecimal(text);
  return number === null ? null : { number, text };
}

function order(a: Extreme, b: Extreme): number {
  if (typeof a.number === "number" && typeof b.number === "number") return a.number - b.number;
  const [one, other] = [parseDecimal(a.text), parseDecimal(b.text)];
  return one === null || other === null ? 0 : compare(one, other);
}
