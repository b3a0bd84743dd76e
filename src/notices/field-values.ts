import { amountText } from "../base/amount.ts";
import { compare, Decimal, subtract } from "../base/decimal.ts";
import {
  formatBeside,
  formatChange,
  formatPercentChange,
  formatValue,
  joinFigure,
  percentOf,
  type Written,
} from "../base/format.ts";
import { limitsOf } from "../decide/condition-tree.ts";
import type { AlertEvent } from "../decide/event.ts";
import type { Evidence } from "../decide/verdict.ts";
import type { Metric } from "../kinds/kind.ts";
import type { Amount, Comparison, Quantity, Suppressed, Value } from "../model/index.ts";
import { headlineUnit } from "../rules/describe/metric-words.ts";
import { ownLimits } from "../rules/describe/own-limit.ts";

/** Numbers as the fields of a notice have them. */

/** What people count to the last unit; of money, prices and shares nobody misses the rest. */
const COUNTED: ReadonlySet<Quantity> = new Set<Quantity>([
  "raw",
  "raw(token0)",
  "raw(token1)",
  "tokens",
  "count",
]);

/** Rounded for reading, with the digits that show on which side of its limits it is; amounts whole as well. */
export function exactValue(value: Value, as: Written, evidence: Evidence | null = null): string {
  if (!(value instanceof Decimal)) return formatValue(value, as);
  const limits = evidence === null ? [] : evidence.limits.filter((one) => one instanceof Decimal);
  const given = evidence === null ? [] : limitsOf(evidence.comparison);
  const own = ownLimits(given, limits, as);
  const [compact] = formatBeside([value, ...limits], own.as, [null, ...own.figures]);
  if (compact === undefined) return formatValue(value, as, "full");
  const text = joinFigure(compact);
  if (!COUNTED.has(as.quantity) || compare(compact.shown, value) === 0) return text;
  return `${text} (exactly ${formatValue(value, own.as, "full")})`;
}

/** ` (11.4 gwei)`: what a limit that is measured is now; nothing where the rule has the number itself. */
export function measuredText({ comparison, limits }: Evidence, as: Written): string {
  const isGiven = limitsOf(comparison).every(({ kind }) => kind === "value" || kind === "tokens");
  if (isGiven || limits.length === 0) return "";
  return ` (${limits.map((limit) => formatValue(limit, as)).join(" to ")})`;
}

/** `-$4.1M (-18%)`, `+45.12 points (+90%)`; null where the difference is no number. */
export function changeText(
  value: Decimal,
  base: Decimal,
  as: Written,
  comparison: Comparison,
): string | null {
  if (isWord(value, as) || isWord(base, as)) return null;
  const delta = subtract(value, base);
  const { as: own } = ownLimits(limitsOf(comparison), [], as);
  // A percentage of a percentage stands behind it: the difference itself is counted in points.
  const change = formatChange(delta, own)
    .replace(/%$/, " points")
    .replace(/(?<=^[+-]1 (?:tick|token))s$/, "");
  const percent = BARE.has(as.quantity) ? null : percentOf(delta, base);
  return percent === null ? change : `${change} (${formatPercentChange(percent)})`;
}

/** Ticks are logarithmic, times count from 1970, distances from an edge: a share of them says nothing. */
const BARE: ReadonlySet<Quantity> = new Set<Quantity>(["tick", "seconds", "percent"]);

/** A fee that stands for `dynamic` is no amount. */
function isWord(value: Decimal, as: Written): boolean {
  return as.quantity === "fee" && !/\d/.test(formatValue(value, as));
}

/** `largest $1.2M, together $2.1M` of entries that were held back; null where it says nothing. */
export function heldAmount({ amount }: Suppressed, { name, quantity }: Metric): string | null {
  return amount?.metric === name ? amountText(readable(amount), quantity) : null;
}

/** With a unit that is short enough for a headline. */
function readable(amount: Amount): Amount {
  return { ...amount, unit: headlineUnit(amount.unit).join("/") };
}

/** What a notice about entries tells of: one of them, or all that were held back with it. */
export function entriesAmount(event: AlertEvent): Amount | undefined {
  const { evidence, more, description } = event;
  if (evidence === null) return undefined;
  const { metric, value } = evidence;
  const held = more?.held ?? null;
  if (held !== null) return held.amount === undefined ? undefined : readable(held.amount);
  if (!(value instanceof Decimal)) return undefined;
  const size = value.toString();
  const writing = {
    decimals: event.decimals(metric.name),
    unit: description?.unit(metric.name) ?? "",
  };
  return readable({ metric: metric.name, largest: size, sum: size, ...writing });
}
