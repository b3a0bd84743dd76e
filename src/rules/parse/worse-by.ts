import {
  absolute,
  add,
  compare,
  type Decimal,
  decimalFromInteger,
  multiply,
  shift,
  subtract,
} from "../../base/decimal.ts";
import type { Metric } from "../../kinds/kind.ts";
import type { Comparison, Condition, Distance, WorseBy } from "../../model/index.ts";
import { errorAt, type Path, warningAt } from "../finding.ts";
import { lintUnit } from "../lint/comparison.ts";
import { boundsOf, intersect, intervalsOf, isLevel, limitKind, numberOf } from "../lint/regions.ts";
import type { ConditionContext } from "./comparison.ts";
import { readDistance } from "./limits.ts";
import { isNeverNegative } from "./units.ts";

const HUNDRED = decimalFromInteger(100);

const EXPECTED = {
  expected: "a condition that has a direction: above, below, outside, rises, falls or moves",
};

/**
 * How much further a value must go to be told again: of a change its own distance, over a window as since
 * the last round, where each round that is true is a change of its own; of others nothing, unless the
 * rule says it.
 */
export function defaultWorse(when: Condition): WorseBy | null {
  const first = firstTerm(when);
  return first !== null && "span" in first ? { comparison: first, by: first.by } : null;
}

/**
 * Compiles `worse_by`, which is measured on the only comparison of `when`, or on the first of `all`.
 * Null after reporting what is wrong.
 */
export function compileWorseBy(
  raw: unknown,
  at: Path,
  when: Condition,
  { metrics, tokens, report }: Pick<ConditionContext, "metrics" | "tokens" | "report">,
): WorseBy | null {
  if (when.op === "any") {
    const message = "worse_by does not work with any: no term is the one to measure";
    report(errorAt("no-direction", at, message, "a rule for each of the terms"));
    return null;
  }
  const comparison = firstTerm(when);
  if (comparison === null || !hasDirection(comparison)) {
    const op = comparison?.op ?? when.op;
    report(
      errorAt(
        "no-direction",
        at,
        `worse_by does not work with ${op}, which has no direction`,
        EXPECTED,
      ),
    );
    return null;
  }
  const metric = metrics.get(comparison.metric);
  // A condition names metrics of its kind only.
  if (metric === undefined) return null;
  const by = readDistance(raw, at, { metric, tokens, relative: null, report });
  if (by === null) return null;
  lintUnit(by.kind === "absolute" ? by.limit : null, metric, at, report);
  const worse = { comparison, by: "span" in comparison ? by : inPoints(by, metric) };
  if (isOutOfReach(worse, metric)) {
    const message = `worse_by can never be reached: ${metric.name} cannot go so far beyond its limit`;
    report(warningAt("never-true", at, message, "a smaller distance"));
  }
  return worse;
}

/** Whether the value would have to go where none can be, which is seen where its limits are known. */
function isOutOfReach({ comparison, by }: WorseBy, metric: Metric): boolean {
  if (comparison.op === "falls" && comparison.by.kind === "percent" && by.kind === "percent") {
    return isNeverNegative(metric) && compare(add(comparison.by.percent, by.percent), HUNDRED) > 0;
  }
  if (!isLevel(comparison) || (comparison.op !== "outside" && "low" in comparison)) return false;
  // Tokens and raw units are not compared before the decimals are known.
  if (by.kind === "absolute" && by.limit.kind !== limitKind(comparison)) return false;
  const distance = by.kind === "absolute" ? numberOf(by.limit) : null;
  const intervals = intervalsOf(comparison);
  if (intervals === null || intervals.length === 0) return false;
  const bounds = boundsOf(metric);
  return intervals.every(({ low, lowIn, high, highIn }) => {
    // Of the two sides of a limit one is open: that is where worse values lie.
    const edge = low ?? high;
    if (edge === null) return false;
    const step = distance ?? shareOf(edge, by);
    if (step === null) return false;
    const further =
      low === null
        ? { low: null, lowIn: false, high: subtract(edge, step), highIn }
        : { low: add(edge, step), lowIn, high: null, highIn: false };
    return intersect(further, bounds) === null;
  });
}

/** So many percent of the limit. */
function shareOf(limit: Decimal, by: Distance): Decimal | null {
  return by.kind === "percent" ? shift(multiply(absolute(limit), by.percent), -2) : null;
}

function firstTerm(condition: Condition): Comparison | null {
  switch (condition.op) {
    case "all": {
      const [first] = condition.terms;
      return first === undefined ? null : firstTerm(first);
    }
    case "any":
    case "not":
      return null;
    default:
      return condition;
  }
}

const DIRECTED: ReadonlySet<Comparison["op"]> = new Set([
  "above",
  "below",
  "at_least",
  "at_most",
  "outside",
  "rises",
  "falls",
  "moves",
] as const);

function hasDirection({ op }: Comparison): boolean {
  return DIRECTED.has(op);
}

/** `worse_by: 2%` of a share means two points of it, not two percent of the limit. */
function inPoints(by: Distance, { quantity }: Metric): Distance {
  if (by.kind !== "percent") return by;
  const power = POINTS[quantity];
  if (power === undefined) return by;
  const value = shift(by.percent, power);
  return { kind: "absolute", limit: { kind: "value", value, text: by.text }, text: by.text };
}

/** Metrics that are percentages themselves: the power of ten from a percent to their own unit. */
const POINTS: Readonly<Partial<Record<Metric["quantity"], number>>> = {
  ratio: -2,
  percent: 0,
  fee: 4,
};
