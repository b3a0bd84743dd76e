import {
  absolute,
  compare,
  Decimal,
  group,
  isZero,
  placesFor,
  rounded,
  subtract,
  valueToText,
} from "../../base/decimal.ts";
import {
  formatBeside,
  formatChange,
  formatPercentChange,
  formatValue,
  joinFigure,
  percentOf,
  type Written,
} from "../../base/format.ts";
import { comparisonText, limitsOf } from "../../decide/condition-tree.ts";
import { TRUE } from "../../decide/evaluation-context.ts";
import type { Evidence } from "../../decide/verdict.ts";
import type { ChangeComparison, Comparison, RangeFacts, Value } from "../../model/index.ts";
import { distanceLimit } from "../../notices/wording.ts";
import { booleanText, ownLimits, writtenAs } from "../../rules/describe/metric-words.ts";
import type { Compared } from "../api/schemas/alerts.ts";
import type { Shown } from "../api/schemas/common.ts";
import { rangeDistance } from "./range-distance.ts";
import type { Seen } from "./seen.ts";

/** Symbols of a unit are cut to this. */
const SYMBOL_LENGTH = 12;

/** How values of a comparison's metric are written. */
function writingOf({ metric }: Evidence, seen: Seen): Written {
  return writtenAs(metric, seen.decimals[metric.name] ?? null, seen.description, SYMBOL_LENGTH);
}

export function shownValue(value: Value, as: Written): Shown {
  return { exact: valueToText(value) ?? "", text: formatValue(value, as) };
}

/** What a comparison found, for programs and for people. `speaks`: it is the one that decides. */
export function comparedOf(evidence: Evidence, seen: Seen, speaks = true): Compared {
  const { comparison, metric, value, limits, base, baseAt } = evidence;
  const as = writingOf(evidence, seen);
  return {
    metric: metric.name,
    label: metric.label,
    op: comparison.op,
    fires: firesText(evidence),
    ...besideLimits(evidence, as),
    base: base === null || !("span" in comparison) ? null : shownValue(base, as),
    base_at: baseAt === null || !("span" in comparison) ? null : new Date(baseAt).toISOString(),
    change: changeOf(evidence, as),
    distance: distanceText(evidence, seen, as, speaks),
    ...(limits.length > 0 ? {} : { limits: [] }),
    ...(value instanceof Decimal ? {} : { value: shownValue(value, as) }),
  };
}

/** When it fires, as people say it: `above 5 gwei`, `below $1,000,000`, `not in range`. */
function firesText({ comparison, metric }: Evidence): string {
  const isEquality = comparison.op === "equals" || comparison.op === "not_equals";
  if (isEquality && comparison.limit.kind === "value") {
    const { value } = comparison.limit;
    if (typeof value === "boolean")
      return booleanText(metric.label, value === (comparison.op === "equals"));
  }
  return readableComparison(comparison);
}

/** A comparison with digits and dollars as notices write them: `below $1,000,000`. */
export function readableComparison(comparison: Comparison): string {
  return comparisonText(comparison)
    .replace(/(?<![\w.])\d+(?:_\d+)+/g, (digits) => group(digits.replaceAll("_", "")))
    .replace(/(?<![\w.$])(\d[\d,]*(?:\.\d+)?[kKMBT]?) usd\b/gi, "$$$1");
}

/** A value and its limits with the digits that show which is greater, limits as the rule writes them. */
function besideLimits(
  { comparison, value, limits }: Evidence,
  as: Written,
): Pick<Compared, "value" | "limits"> {
  const numbers = limits.filter((limit) => limit instanceof Decimal);
  if (!(value instanceof Decimal) || numbers.length !== limits.length || numbers.length === 0) {
    return {
      value: shownValue(value, as),
      limits: limits.map((limit) => shownValue(limit, as)),
    };
  }
  const own = ownLimits(limitsOf(comparison), numbers, as);
  const figures = formatBeside([value, ...numbers], own.as, [null, ...own.figures]);
  const [mine, ...others] = [value, ...numbers].map((number, i) => {
    const figure = figures[i];
    const text = figure === undefined ? formatValue(number, as) : joinFigure(figure);
    return { exact: number.toString(), text };
  });
  return { value: mine ?? shownValue(value, as), limits: others };
}

function changeOf({ comparison, value, base }: Evidence, as: Written): Compared["change"] {
  if (!("span" in comparison) || !(value instanceof Decimal) || !(base instanceof Decimal)) {
    return null;
  }
  const delta = subtract(value, base);
  const percent = percentOf(delta, base);
  const limit = comparison.by.kind === "percent" ? comparison.by.percent : null;
  return {
    exact: delta.toString(),
    text: formatChange(delta, as),
    percent: percent === null ? null : formatPercentChange(percent, limit),
  };
}

function distanceText(
  evidence: Evidence,
  seen: Seen,
  as: Written,
  speaks: boolean,
): Compared["distance"] {
  const ratio = ratioOf(evidence, seen);
  const past = speaks ? seen.truth === TRUE : (ratio ?? 0) > 1;
  const text = textOf(evidence, seen, as, past);
  return text === null ? null : { ratio, past, text };
}

/** `3.72 gwei left`, `0.48% of 2%`, `17.1% left`; null where there is no distance. */
function textOf(
  { comparison, value, limits, base, metric }: Evidence,
  seen: Seen,
  as: Written,
  past: boolean,
): string | null {
  if (metric.name === "in_range") {
    const range = seen.description?.range ?? null;
    if (range === null || seen.closed) return null;
    const { text } = rangeDistance(range);
    return text === null ? null : `${text} ${value === false ? "out" : "left"}`;
  }
  if (!(value instanceof Decimal)) return null;
  if ("span" in comparison) {
    if (!(base instanceof Decimal)) return null;
    const delta = changeTowards(comparison, value, base);
    if (isZero(subtract(value, base))) return "unchanged";
    const far =
      comparison.by.kind === "percent"
        ? (formatted(percentOf(delta, base)) ?? formatChange(delta, as))
        : formatChange(delta, as).replace(/^\+/, "");
    return `${far} of ${comparison.by.text}`;
  }
  const [low, high] = limits;
  const near = !(low instanceof Decimal)
    ? null
    : high instanceof Decimal &&
        compare(absolute(subtract(value, high)), absolute(subtract(value, low))) < 0
      ? high
      : low;
  if (near === null || comparison.op === "equals" || comparison.op === "not_equals") return null;
  const far = farText(absolute(subtract(value, near)), as);
  if (comparison.op === "crosses")
    return compare(value, near) < 0 ? `${far} below` : `${far} above`;
  return `${far} ${past ? "past" : "left"}`;
}

/** Three digits are enough of how far it is, and what a price is in stands beside it. */
function farText(far: Decimal, as: Written): string {
  if (as.quantity === "price") return rounded(far, placesFor(far, 3, 0)).text;
  return formatChange(far, as).replace(/^\+/, "");
}

function formatted(percent: Decimal | null): string | null {
  return percent === null ? null : formatPercentChange(percent).replace(/^\+/, "");
}

/** How far it has moved in the direction that the comparison looks; below zero: the other way. */
function changeTowards({ op }: ChangeComparison, value: Decimal, base: Decimal): Decimal {
  if (op === "rises") return subtract(value, base);
  return op === "falls" ? subtract(base, value) : absolute(subtract(value, base));
}

/** Far past is far past. */
const MOST = 1_000;

/**
 * How near a value is to its limit, 1 at the limit, to sort and to draw by; null where nearness means
 * nothing. In floating point: nothing is decided by it.
 */
export function ratioOf(
  { comparison, value, limits, base, metric }: Evidence,
  { description, decimals, closed }: Seen,
): number | null {
  if (metric.name === "in_range") {
    const range = description?.range ?? null;
    return range === null || closed ? null : rangeRatio(range);
  }
  if (!(value instanceof Decimal)) return null;
  const at = asNumber(value);
  if ("span" in comparison) {
    if (!(base instanceof Decimal)) return null;
    const far = asNumber(changeTowards(comparison, value, base));
    const { by } = comparison;
    const limit =
      by.kind === "percent"
        ? (asNumber(by.percent) / 100) * Math.abs(asNumber(base))
        : asNumber(distanceLimit(comparison, decimals[metric.name] ?? null) ?? NOTHING);
    return bounded(far / limit);
  }
  const [low, high] = limits;
  if (!(low instanceof Decimal)) return null;
  const limit = asNumber(low);
  switch (comparison.op) {
    case "above":
    case "at_least":
      return limit > 0 ? bounded(at / limit) : bounded(1 + (at - limit) / (Math.abs(limit) || 1));
    case "below":
    case "at_most":
      return at > 0 && limit > 0
        ? bounded(limit / at)
        : bounded(1 + (limit - at) / (Math.abs(limit) || 1));
    case "inside":
    case "outside": {
      if (!(high instanceof Decimal)) return null;
      const half = (asNumber(high) - limit) / 2;
      const off = Math.abs(at - (limit + half));
      return comparison.op === "outside" ? bounded(off / half) : bounded(half / off);
    }
    default:
      return null;
  }
}

const NOTHING = new Decimal(0n, 0);

function asNumber({ digits, scale }: Decimal): number {
  return Number(digits) / 10 ** scale;
}

function bounded(ratio: number): number | null {
  return Number.isNaN(ratio) ? null : Math.min(MOST, Math.max(0, ratio));
}

/** By ticks: the middle is 0 and an edge is 1. */
function rangeRatio({ tick, lowerTick, upperTick }: RangeFacts): number | null {
  const half = (upperTick - lowerTick) / 2;
  return bounded(Math.abs(tick + 0.5 - (lowerTick + half)) / half);
}
