import { parseDecimal } from "../base/decimal.ts";
import { formatValue, type Written } from "../base/format.ts";
import type { Metric } from "../kinds/kind.ts";
import type { Held } from "../model/index.ts";
import { headlineUnit } from "../rules/describe/metric-words.ts";

/** What can be added up; shares of what changes meanwhile cannot. */
const ADDS = /^(?:usd|tokens|raw)/;

/** `largest $1.2M, together $2.1M` of entries that were held back; null where it says nothing. */
export function heldAmount({ amount }: Held, { name, quantity }: Metric): string | null {
  const isSize = ADDS.test(quantity) || quantity === "ratio";
  if (amount?.metric !== name || !isSize) return null;
  const { decimals, unit } = amount;
  // Raw units without decimals are no amount that anybody would recognise.
  if (quantity.startsWith("raw") && decimals === null) return null;
  const [largest, sum] = [parseDecimal(amount.largest), parseDecimal(amount.sum)];
  if (largest === null || sum === null) return null;
  const as: Written = { quantity, decimals, unit: headlineUnit(unit).join("/") };
  const most = `largest ${formatValue(largest, as)}`;
  return ADDS.test(quantity) ? `${most}, together ${formatValue(sum, as)}` : most;
}
