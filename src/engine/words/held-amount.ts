import { parseDecimal } from "../../base/decimal.ts";
import { formatValue, type Written } from "../../base/format.ts";
import type { Held } from "../../model.ts";
import type { Metric } from "../../watches/watch.ts";

/** What can be added up; shares of what changes meanwhile cannot. */
const ADDS = /^(?:usd|tokens|raw)/;

/** `largest $1.2M, together $2.1M` of entries that were held back; null where it says nothing. */
export function heldAmount({ amount }: Held, metric: Metric, as: Written): string | null {
  const isSize = ADDS.test(metric.quantity) || metric.quantity === "ratio";
  if (amount?.metric !== metric.name || !isSize) return null;
  // Raw units without decimals are no amount that anybody would recognise.
  if (metric.quantity.startsWith("raw") && (as.decimals ?? null) === null) return null;
  const [largest, sum] = [parseDecimal(amount.largest), parseDecimal(amount.sum)];
  if (largest === null || sum === null) return null;
  const most = `largest ${formatValue(largest, as)}`;
  return ADDS.test(metric.quantity) ? `${most}, together ${formatValue(sum, as)}` : most;
}
