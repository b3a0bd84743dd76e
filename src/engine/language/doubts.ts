import { compare, Decimal, decimalFromInteger } from "../../base/decimal.ts";
import type { Comparison, Distance, Limit, LimitComparison, RangeComparison } from "../../model.ts";
import type { Metric } from "../../watches/watch.ts";
import { errorAt, type Path, type Report, warningAt } from "./finding.ts";
import { numberOf } from "./overlap.ts";
import { isBoundedRatio, isNeverNegative } from "./units.ts";

/** Less than this many wei is no fee of any chain: gwei were meant. */
const SMALLEST_FEE_WEI = decimalFromInteger(1_000);
const ZERO = Decimal.ZERO;
const ONE = decimalFromInteger(1);
const HUNDRED = decimalFromInteger(100);

/**
 * Reports what a comparison says that nobody can have meant. `path` leads to its limit. False if it
 * cannot stay so.
 */
export function reportDoubts(
  comparison: Comparison,
  metric: Metric,
  path: Path,
  report: Report,
): boolean {
  if ("by" in comparison) {
    doubtUnit(comparison.by.kind === "absolute" ? comparison.by.limit : null, metric, path, report);
    return doubtDistance(comparison.op, comparison.by, metric, path, report);
  } else if ("low" in comparison) {
    doubtUnit(comparison.low, metric, [...path, 0], report);
    doubtUnit(comparison.high, metric, [...path, 1], report);
    doubtEdge(comparison, metric, path, report);
  } else if (comparison.op === "crosses") {
    doubtUnit(comparison.limit, metric, path, report);
  } else if ("limit" in comparison) {
    doubtUnit(comparison.limit, metric, path, report);
    const always = foregone(comparison, metric);
    if (always !== null) {
      const { op, limit } = comparison;
      const what = `${metric.name} ${op.replace("_", " ")} ${limit.text}`;
      report(warningAt(path, `"${what}" is ${always ? "always" : "never"} true`));
    }
  }
  return true;
}

/** An amount of wei that is no fee of any chain; null is none at all. `path` leads to it. */
export function doubtUnit(limit: Limit | null, metric: Metric, path: Path, report: Report): void {
  const value = limit?.kind === "value" ? limit.value : null;
  if (metric.quantity !== "wei" || !(value instanceof Decimal)) return;
  if (value.digits <= 0n || compare(value, SMALLEST_FEE_WEI) >= 0) return;
  report(
    warningAt(path, `${value.toString()} wei is next to nothing`, {
      expected: "an amount such as 5 gwei",
      suggestion: `${value.toString()} gwei`,
    }),
  );
}

/** What is still inside the range; once outside the distance to its edge is below zero. */
const DISTANCES_TO_EDGE: ReadonlySet<string> = new Set(["pct_to_edge", "ticks_to_edge"]);

/** "Near the edge" must not be over when the price leaves the range. */
function doubtEdge(
  { op, low, high }: RangeComparison,
  metric: Metric,
  path: Path,
  report: Report,
): void {
  const least = numberOf(low);
  if (op !== "inside" || least === null || !DISTANCES_TO_EDGE.has(metric.name)) return;
  if (compare(least, ZERO) < 0) return;
  const message = `this is over once the price has left the range: ${metric.name} is below zero there`;
  report(warningAt(path, message, { expected: `below: ${high.text}, which goes on outside` }));
}

function doubtDistance(
  op: "rises" | "falls" | "moves",
  by: Distance,
  metric: Metric,
  path: Path,
  report: Report,
): boolean {
  if (by.kind !== "percent") return true;
  if (op === "falls" && isNeverNegative(metric) && compare(by.percent, HUNDRED) > 0) {
    report(errorAt(path, `${metric.name} can never fall by more than 100%`));
    return false;
  }
  if (metric.quantity === "ratio" || metric.quantity === "percent") {
    const points = metric.quantity === "ratio" ? "; for points write a number such as 0.05" : "";
    report(warningAt(path, `${by.text} is a part of the value before, not points${points}`));
  }
  return true;
}

/** Whether the comparison has the same outcome for every possible value; null if it has not. */
function foregone({ op, limit }: LimitComparison, metric: Metric): boolean | null {
  const value = numberOf(limit);
  if (value === null) return null;
  if (isNeverNegative(metric)) {
    const toZero = compare(value, ZERO);
    if (op === "below" && toZero <= 0) return false;
    if (op === "at_least" && toZero <= 0) return true;
  }
  if (isBoundedRatio(metric)) {
    const toOne = compare(value, ONE);
    if (op === "above" && toOne >= 0) return false;
    if (op === "at_most" && toOne >= 0) return true;
  }
  return null;
}
