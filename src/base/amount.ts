import { absolute, add, compare, parseDecimal } from "./decimal.ts";
import { formatValue } from "./format.ts";
import type { Quantity } from "./quantity.ts";

/** What several values of one metric come to: the one that is largest by size, and their sum; exact text. */
export interface Amount {
  readonly metric: string;
  readonly largest: string;
  readonly sum: string;
  /** How it is written: nothing may be asked for in the round in which it is told. */
  readonly decimals: number | null;
  readonly unit: string;
}

/** Both together; undefined where one of them is not known, or they are of two metrics. */
export function addAmounts(one: Amount | undefined, other: Amount | undefined): Amount | undefined {
  if (one === undefined || one.metric !== other?.metric) return undefined;
  const [largest, next] = [parseDecimal(one.largest), parseDecimal(other.largest)];
  const [sum, more] = [parseDecimal(one.sum), parseDecimal(other.sum)];
  if (largest === null || next === null || sum === null || more === null) return undefined;
  const larger = compare(absolute(next), absolute(largest)) > 0 ? next : largest;
  return { ...other, largest: larger.toString(), sum: add(sum, more).toString() };
}

/** What can be added up; shares of what changes meanwhile cannot. */
const ADDS = /^(?:usd|tokens|raw)/;

/** `largest $1.2M, together $2.1M`; null where it says nothing. */
export function amountText(amount: Amount | undefined, quantity: Quantity): string | null {
  const adds = ADDS.test(quantity);
  if (amount === undefined || !(adds || quantity === "ratio")) return null;
  const { decimals, unit } = amount;
  // Raw units without decimals are no amount that anybody would recognise.
  if (quantity.startsWith("raw") && decimals === null) return null;
  const [largest, sum] = [parseDecimal(amount.largest), parseDecimal(amount.sum)];
  if (largest === null || sum === null) return null;
  const as = { quantity, decimals, unit };
  const most = `largest ${formatValue(largest, as)}`;
  return adds ? `${most}, together ${formatValue(sum, as)}` : most;
}
