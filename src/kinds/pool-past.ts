import { add, Decimal, decimalFromInteger, divide, isZero } from "../base/decimal.ts";
import { HOUR } from "../base/duration.ts";
import type { Ask, RawRecord } from "../model/index.ts";
import { pointsUntil } from "./bucket-time.ts";
import { fieldsOf, numberIn } from "./fields.ts";
import { directionOf } from "./pool-tokens.ts";

/** What the points of a pool's history tell of the pool at the end of their hour. */

const FIELDS = fieldsOf("v4_pool_point");
/** Digits after the point of a price that is the inverse of another one. */
const SCALE = 24;

/** The ask for the hours of a pool; `id` in lower case. */
export function hoursAsk(
  record: "v4_pool_point" | "v3_pool_point",
  chainId: number,
  id: string,
): Ask {
  return { key: `${record}:${chainId}:${id}`, record, chainId, id, period: "h" };
}

/** The hours that have ended by `now`, oldest first, each dated by its end. */
export function endedHours(
  points: readonly RawRecord[],
  now: number,
): readonly (readonly [end: number, point: RawRecord])[] {
  return pointsUntil(points, "h", now)
    .map(([start, point]) => [start + HOUR, point] as const)
    .filter(([end]) => end <= now);
}

/** A day has so many hours. */
const HOURS = 24;

/**
 * What a field of points was over the 24 hours up to the end of each: null where one of them is not there, since what
 * is missing is not zero. In the order of `ended`, oldest first.
 */
export function sumsOfDay(
  ended: readonly (readonly [end: number, point: RawRecord])[],
  field: "volumeUSD" | "collectedFeesUSD",
): readonly (string | null)[] {
  const values = ended.map(([end, point]) => ({ end, value: numberIn(FIELDS, point, field) }));
  return values.map(({ end }, i) => {
    const last = values.slice(Math.max(0, i - HOURS + 1), i + 1);
    if (last[0]?.end !== end - (HOURS - 1) * HOUR) return null;
    let sum = Decimal.ZERO;
    for (const { value } of last) {
      if (value === null) return null;
      sum = add(sum, value);
    }
    return sum.toString();
  });
}

/** Both prices at the end of an hour, token1 per token0 first; null where a point does not tell which is which. */
export function closingPrices(point: RawRecord): readonly [direct: string, inverse: string] | null {
  const close = numberIn(FIELDS, point, "close");
  if (close === null || isZero(close)) return null;
  const direction = directionOf(close, null, { sqrtPriceX96: point.sqrtPrice, tick: point.tick });
  if (direction === null) return null;
  const other = divide(decimalFromInteger(1), close, SCALE).toString();
  return direction === "first" ? [close.toString(), other] : [other, close.toString()];
}
