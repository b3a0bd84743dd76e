import { compare, Decimal } from "../base/decimal.ts";
import type { Value } from "../model/index.ts";

/** Exact equality; text minds letter case except in 0x… values. */
export function sameValue(a: Value, b: Value): boolean {
  if (a instanceof Decimal) return b instanceof Decimal && compare(a, b) === 0;
  if (typeof a === "string" && typeof b === "string") {
    return a === b || (/^0x/i.test(a) && a.toLowerCase() === b.toLowerCase());
  }
  return a === b;
}
