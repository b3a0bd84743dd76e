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
  readonly number: Decimal;
  readonly text: string;
}

/** The length of a step so that at most `points` of them cover the time; whole seconds. */
export function stepFor(from: number, to: number, points: number): number {
  return Math.max(1_000, Math.ceil((to - from) / points / 1_000) * 1_000);
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
  const steps = new Map<number, Step>();
  let samples = 0;
  for (const { first, last, value } of runs) {
    const begin = Math.max(first, from);
    const end = Math.min(last, to);
    if (end < begin) continue;
    samples += 1;
    const number = value === null ? null : parseDecimal(value);
    const extreme = number === null || value === null ? null : { number, text: value };
    for (
      let at = Math.floor((begin - from) / stepMs);
      at <= Math.floor((end - from) / stepMs);
      at += 1
    ) {
      const start = from + at * stepMs;
      const step = steps.get(at) ?? {
        from: Math.max(start, begin),
        to: start,
        low: null,
        high: null,
        last: null,
      };
      steps.set(at, step);
      step.to = Math.min(end, start + stepMs - 1);
      step.last = value;
      if (extreme === null) continue;
      if (step.low === null || compare(extreme.number, step.low.number) < 0) step.low = extreme;
      if (step.high === null || compare(extreme.number, step.high.number) > 0) step.high = extreme;
    }
  }
  const points = [...steps.values()].map((step) => ({
    at: new Date(step.from).toISOString(),
    to: new Date(step.to).toISOString(),
    min: step.low?.text ?? step.last,
    max: step.high?.text ?? step.last,
    last: step.last,
  }));
  return { points, samples };
}
