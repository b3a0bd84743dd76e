import {
  absolute,
  compare,
  type Decimal,
  decimalFromInteger,
  round,
  shift,
} from "../../base/decimal.ts";
import type { Metric } from "../../kinds/kind.ts";
import { QuantityError, shown } from "../finding.ts";
import { isBoundedRatio, UNITS } from "../parse/units.ts";

const ONE = decimalFromInteger(1);
/** A price that is farther from its range than this is no edge that anybody waits for. */
const LOWEST_POSITION = decimalFromInteger(-1);
const HIGHEST_POSITION = decimalFromInteger(2);

/**
 * Refuses a number without a unit that was surely meant as a percentage: 95 of a share, 90 of a position in
 * a range, 0.05 of a fee. With its `%` every number can be written. Throws QuantityError.
 */
export function checkBare(
  text: string,
  number: Decimal,
  metric: Metric,
  use: "limit" | "distance",
): void {
  if (metric.quantity === "fee" && compare(number, round(number, 0)) !== 0) {
    const why = "has no unit, and a plain fee is a whole number of 0.0001%";
    throw missingPercent(text, number, why, UNITS.fee?.expected ?? "");
  }
  if (metric.quantity !== "ratio") return;
  const isShare = isBoundedRatio(metric);
  const isBelow = !isShare && compare(number, LOWEST_POSITION) < 0;
  if (compare(number, isShare ? ONE : HIGHEST_POSITION) <= 0 && !isBelow) return;
  const why = isShare
    ? "is more than the whole, which is 1"
    : "of a range, whose width is 1, lies far beyond its edges";
  const points = shift(number, -2).toString();
  throw use === "limit"
    ? new QuantityError("needs-percent", `${shown(text)} ${why}`, {
        expected: "a share such as 95% or 0.95",
        suggestion: `${text}%`,
      })
    : new QuantityError("needs-percent", `${shown(text)} ${why}`, {
        expected: "points such as 0.05, or a part of the value before such as 5%",
        suggestion: `${points} or ${text}%`,
      });
}

/** What lacks its `%`; a number below 1 may have been a part of one. */
export function missingPercent(
  text: string,
  number: Decimal,
  why: string,
  expected: string,
): QuantityError {
  const isPart = number.digits !== 0n && compare(absolute(number), ONE) < 0;
  const suggestion = isPart ? `${shift(number, 2).toString()}% or ${text}%` : `${text}%`;
  return new QuantityError("needs-percent", `${shown(text)} ${why}`, { expected, suggestion });
}
