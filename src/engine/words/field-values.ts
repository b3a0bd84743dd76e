import { formatBeside, formatPercentChange, percentOf } from "../../base/beside.ts";
import { compare, Decimal, subtract } from "../../base/decimal.ts";
import { formatChange, formatValue, joinFigure, type Written } from "../../base/format.ts";
import type { Quantity, Value } from "../../model.ts";
import type { Evidence } from "../event.ts";
import { limitsOf, ownLimits } from "./own-limit.ts";

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

/** `-$4.1M (-18%)` */
export function changeText(value: Decimal, base: Decimal, as: Written): string {
  const delta = subtract(value, base);
  const change = formatChange(delta, as);
  // Ticks are logarithmic, and times count from 1970: a share of either says nothing.
  const bare = as.quantity === "tick" || as.quantity === "seconds";
  const percent = bare ? null : percentOf(delta, base);
  return percent === null ? change : `${change} (${formatPercentChange(percent)})`;
}
