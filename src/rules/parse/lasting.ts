import type { Metric } from "../../kinds/kind.ts";
import type { Comparison } from "../../model/index.ts";
import { errorAt, errorAtKey, type Path, type Report } from "../finding.ts";
import { shown } from "../quantity-error.ts";
import { checkStep, compileDuration, type Pace } from "./span.ts";

/** `unchanged: 2h`; null after reporting what is wrong. */
export function compileUnchanged(
  raw: unknown,
  at: Path,
  metric: Metric,
  pace: Pace,
  report: Report,
): Comparison | null {
  const window = compileDuration(raw, at, "a duration such as 2h", report);
  if (window === null || !checkStep(at, window.ms, pace, report)) return null;
  return { op: "unchanged", metric: metric.name, ms: window.ms, text: window.within };
}

/**
 * `no_update_for: 1h`, which looks at the record's own time and names no metric. Null after reporting
 * what is wrong, such as a kind whose records tell no time.
 */
export function compileSilence(
  raw: Readonly<Record<string, unknown>>,
  path: Path,
  context: {
    readonly kind: string;
    readonly ownTime?: string | undefined;
    readonly report: Report;
  },
): Comparison | null {
  const { kind, ownTime, report } = context;
  const at = [...path, "no_update_for"];
  if (ownTime === undefined) {
    const message = `the records of ${kind} do not tell when they last changed`;
    report(errorAtKey(at, message, { expected: "unchanged: 2h, which looks at the values" }));
    return null;
  }
  if ("metric" in raw && raw.metric !== ownTime) {
    const what = typeof raw.metric === "string" ? shown(raw.metric) : "another metric";
    const message = `no_update_for looks at ${ownTime}, not at ${what}`;
    report(errorAt([...path, "metric"], message, { expected: "no metric beside it" }));
    return null;
  }
  const window = compileDuration(raw.no_update_for, at, "a duration such as 1h", report);
  if (window === null) return null;
  return { op: "no_update_for", metric: ownTime, ms: window.ms, text: window.within };
}
