import { Decimal } from "../base/decimal.ts";
import { formatPrice } from "../base/format.ts";
import { priceAtTick } from "../base/ticks.ts";
import type { RangeFacts, RawRecord } from "../model/index.ts";
import type { TickRange } from "./range.ts";
import { pairOf, tokenDecimals, unitOf } from "./tokens.ts";
import { poolField } from "./v4-pool.ts";

/**
 * A range in prices, token1 per token0 in whole tokens (`inverted`: the other way round), as people
 * read them. Null while the
 * tokens' decimals are unknown: a price without them would be wrong by powers of ten.
 */
export function rangeFacts(
  range: TickRange,
  pool: RawRecord,
  chainId: number,
  inverted: boolean,
): RangeFacts | null {
  const decimals0 = tokenDecimals(pool, "token0");
  const decimals1 = tokenDecimals(pool, "token1");
  if (decimals0 === null || decimals1 === null) return null;
  const at = (tick: number): string =>
    formatPrice(
      inverted ? priceAtTick(-tick, decimals1, decimals0) : priceAtTick(tick, decimals0, decimals1),
    );
  const price = poolField(pool, inverted ? "price1" : "price0");
  return {
    lower: at(inverted ? range.upper : range.lower),
    upper: at(inverted ? range.lower : range.upper),
    price: price instanceof Decimal ? formatPrice(price) : at(range.tick),
    unit: unitOf(pairOf(pool, chainId), inverted ? "price1" : "price"),
    lowerTick: range.lower,
    upperTick: range.upper,
    tick: range.tick,
    inverted,
  };
}
