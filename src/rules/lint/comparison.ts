import { compare, Decimal, decimalFromInteger, round, subtract } from "../../base/decimal.ts";
import type { Metric } from "../../kinds/kind.ts";
import type { Comparison, Distance, Limit, RangeComparison } from "../../model/index.ts";
import { errorAt, type Path, type Report, warningAt } from "../finding.ts";
import { isNeverNegative } from "../parse/units.ts";
import {
  boundsOf,
  covers,
  intervalsOf,
  isLevel,
  type Level,
  meets,
  numberOf,
  possibleOf,
  textOf,
} from "./regions.ts";

/** Less than this many wei is no fee of any chain: gwei were meant. */
const SMALLEST_FEE_WEI = decimalFromInteger(1_000);
const ZERO = Decimal.ZERO;
const HUNDRED = decimalFromInteger(100);

/**
 * Reports what a comparison says that nobody can have meant. `path` leads to its limit. False if it
 * cannot stay so.
 */
export function lintComparison(
  comparison: Comparison,
  metric: Metric,
  path: Path,
  report: Report,
): boolean {
  if ("by" in comparison) {
    lintUnit(comparison.by.kind === "absolute" ? comparison.by.limit : null, metric, path, report);
    lintBare(comparison.op, comparison.by, metric, path, report);
    return lintDistance(comparison.op, comparison.by, metric, path, report);
  } else if ("low" in comparison) {
    lintUnit(comparison.low, metric, [...path, 0], report);
    lintUnit(comparison.high, metric, [...path, 1], report);
    lintEdge(comparison, metric, path, report);
  } else if ("limit" in comparison) lintUnit(comparison.limit, metric, path, report);
  const always = isLevel(comparison)
    ? foregone(comparison, metric)
    : comparison.op === "crosses" && hasOneSide(comparison.limit, metric)
      ? false
      : null;
  if (always !== null) {
    const message = `${textOf(comparison)} is ${always ? "always" : "never"} true`;
    report(warningAt(always ? "always-true" : "never-true", path, message, boundsHint(metric)));
  }
  return true;
}

/** An amount of wei that is no fee of any chain; null is none at all. `path` leads to it. */
export function lintUnit(limit: Limit | null, metric: Metric, path: Path, report: Report): void {
  const value = limit?.kind === "value" ? limit.value : null;
  if (metric.quantity !== "wei" || !(value instanceof Decimal)) return;
  if (value.digits <= 0n || compare(value, SMALLEST_FEE_WEI) >= 0) return;
  report(
    warningAt("wrong-unit", path, `${value.toString()} wei is almost nothing`, {
      expected: "an amount such as 5 gwei",
      suggestion: `${value.toString()} gwei`,
    }),
  );
}

const BARE = /^\d+(?:\.\d+)?$/;

/** `falls: 10` of dollars is ten dollars, which hardly anybody means who writes neither `$` nor `%`. */
function lintBare(op: string, by: Distance, metric: Metric, path: Path, report: Report): void {
  if (metric.quantity !== "usd" || by.kind !== "absolute" || !BARE.test(by.text)) return;
  const number = numberOf(by.limit);
  if (number === null || compare(number, HUNDRED) > 0) return;
  const suggestion = `$${by.text} or ${by.text}%`;
  const message = `"${op}: ${by.text}" is a change of $${by.text}, not of ${by.text}%`;
  report(
    warningAt("wrong-unit", path, message, { expected: "the sign that says which", suggestion }),
  );
}

/** What is still inside the range; once outside the distance to its edge is below zero. */
const DISTANCES_TO_EDGE: ReadonlySet<string> = new Set(["pct_to_edge", "ticks_to_edge"]);

/** "Near the edge" must not be over when the price leaves the range. */
function lintEdge(
  { op, low, high }: RangeComparison,
  metric: Metric,
  path: Path,
  report: Report,
): void {
  const least = numberOf(low);
  if (op !== "inside" || least === null || !DISTANCES_TO_EDGE.has(metric.name)) return;
  if (compare(least, ZERO) < 0) return;
  const message = `the alert would resolve when the price leaves the range: ${metric.name} is below zero there`;
  report(warningAt("edge-of-range", path, message, `below: ${high.text}, which goes on outside`));
}

function lintDistance(
  op: "rises" | "falls" | "moves",
  by: Distance,
  metric: Metric,
  path: Path,
  report: Report,
): boolean {
  if (isTooFar(by, metric)) {
    const message = `"${metric.name} ${op} ${by.text}" is never true`;
    report(warningAt("never-true", path, message, boundsHint(metric)));
  }
  if (by.kind !== "percent") return true;
  if (op === "falls" && isNeverNegative(metric) && compare(by.percent, HUNDRED) > 0) {
    report(errorAt("never-true", path, `${metric.name} can never fall by more than 100%`));
    return false;
  }
  if (metric.quantity === "ratio" || metric.quantity === "percent") {
    const points = metric.quantity === "ratio" ? "; for points write a number such as 0.05" : "";
    report(
      warningAt(
        "part-not-points",
        path,
        `${by.text} is a part of the value before, not points${points}`,
      ),
    );
  }
  return true;
}

/** Whether a comparison has the same outcome for every value that there can be; null if it has not. */
function foregone(comparison: Level, metric: Metric): boolean | null {
  const intervals = intervalsOf(comparison);
  if (intervals === null) return null;
  if (asksForPart(comparison, metric)) return comparison.op === "not_equals";
  const possible = possibleOf(metric);
  if (meets(intervals, possible).length === 0) return false;
  return possible.every((part) => covers(intervals, part)) ? true : null;
}

/** What is counted one by one is never a number with a fraction. */
function asksForPart(comparison: Level, { quantity }: Metric): boolean {
  if (quantity !== "count" && quantity !== "tick") return false;
  if (comparison.op !== "equals" && comparison.op !== "not_equals") return false;
  const number = numberOf(comparison.limit);
  return number !== null && compare(number, round(number, 0)) !== 0;
}

/** The sides are v ≥ limit and v < limit: whether there is none on one of them. */
function hasOneSide(limit: Limit, metric: Metric): boolean {
  const number = numberOf(limit);
  if (number === null) return false;
  const { low, high } = boundsOf(metric);
  return (
    (low !== null && compare(number, low) <= 0) || (high !== null && compare(number, high) > 0)
  );
}

/** Whether no two values can be so far apart. */
function isTooFar(by: Distance, metric: Metric): boolean {
  const far = by.kind === "absolute" ? numberOf(by.limit) : null;
  const { low, high } = boundsOf(metric);
  return far !== null && low !== null && high !== null && compare(far, subtract(high, low)) > 0;
}

/** What can be, where a metric has both ends. */
function boundsHint(metric: Metric): { readonly expected?: string } {
  const { low, high } = boundsOf(metric);
  if (metric.name === "pct_to_edge") {
    return { expected: "0.01% or more, or -0.01% or less, which is outside the range" };
  }
  const but = metric.name === "ticks_to_edge" ? ", and never 0" : "";
  return metric.quantity === "tick" && low !== null && high !== null
    ? { expected: `a number from ${low.toString()} to ${high.toString()}${but}` }
    : {};
}
