import { Decimal, decimalFromInteger } from "../../base/decimal.ts";
import { type Interval, intervalsOf, type Level, meets } from "./regions.ts";

/** Where a price can be, seen from a position's range; what is closed has no range. */
export type Zone = "below" | "in" | "above" | "closed";

export const ZONES: readonly Zone[] = ["below", "in", "above", "closed"];
const OUTSIDE: readonly Zone[] = ["below", "above"];
const INSIDE: readonly Zone[] = ["in"];
const OPEN: readonly Zone[] = ["below", "in", "above"];

const ZERO = Decimal.ZERO;
const ONE = decimalFromInteger(1);
const above = (low: Decimal, lowIn: boolean): Interval => ({
  low,
  lowIn,
  high: null,
  highIn: false,
});
const BELOW_ZERO: Interval = { low: null, lowIn: false, high: ZERO, highIn: false };
const WITHIN: Interval = { low: ZERO, lowIn: true, high: ONE, highIn: true };

/**
 * The zones in which a comparison of a position's range can be true, none left out; null if it is about
 * something else, or its limits are not known beforehand.
 */
export function zonesOf(level: Level): readonly Zone[] | null {
  switch (level.metric) {
    case "side":
      return plainZones(level, OPEN, (zone) => zone);
    case "in_range":
      return plainZones(level, OPEN, (zone) => zone === "in");
    case "closed":
      return plainZones(level, ZONES, (zone) => zone === "closed");
    case "ticks_to_edge":
    case "pct_to_edge":
      return numberZones(level, [
        [above(ZERO, false), INSIDE],
        [BELOW_ZERO, OUTSIDE],
      ]);
    case "range_position":
      return numberZones(level, [
        [BELOW_ZERO, ["below"]],
        [WITHIN, INSIDE],
        [above(ONE, true), ["above"]],
      ]);
    default:
      return null;
  }
}

/** The zones of which `valueOf` is what the comparison wants. */
function plainZones(
  level: Level,
  zones: readonly Zone[],
  valueOf: (zone: Zone) => string | boolean,
): readonly Zone[] | null {
  if (!("limit" in level) || level.limit.kind !== "value") return null;
  const { value } = level.limit;
  if (level.op === "equals") return zones.filter((zone) => valueOf(zone) === value);
  return level.op === "not_equals" ? zones.filter((zone) => valueOf(zone) !== value) : null;
}

function numberZones(
  level: Level,
  parts: readonly (readonly [Interval, readonly Zone[]])[],
): readonly Zone[] | null {
  const intervals = intervalsOf(level);
  if (intervals === null) return null;
  return parts.flatMap(([part, zones]) => (meets(intervals, [part]).length > 0 ? zones : []));
}
