import { compare, type Decimal, parseDecimal } from "../base/decimal.ts";
import { group } from "../base/numerals.ts";
import type { RangeFacts } from "../model/index.ts";
import { headlineUnit } from "../rules/describe/metric-words.ts";

/** How a position's range reads; prices rise with the tick, or fall with it where they are inverted. */

export type Side = "below" | "in" | "above";

/** Lower tick included, upper tick excluded, as the pool contract has it. */
export function sideOfRange({ tick, lowerTick, upperTick, inverted }: RangeFacts): Side {
  if (tick >= lowerTick && tick < upperTick) return "in";
  return tick < lowerTick !== inverted ? "below" : "above";
}

/** `USDC/ETH`. */
export function shortUnit(range: RangeFacts): string {
  return headlineUnit(range.unit).join("/");
}

/**
 * `2,310 > 2,250 USDC/ETH`: where an outside price is. The ticks decide; where the prices as
 * printed do not show it (they may differ by one tick from them), the ticks are shown.
 */
export function outsideText(range: RangeFacts): string {
  const side = sideOfRange(range);
  const price = readPrice(range.price);
  const edge = readPrice(side === "above" ? range.upper : range.lower);
  const order = price === null || edge === null ? null : compare(price, edge);
  const unit = shortUnit(range);
  const end = unit === "" ? "" : ` ${unit}`;
  if (side === "above") {
    if (order !== null && order > 0) return `${range.price} > ${range.upper}${end}`;
  } else if (order !== null && order < 0) return `${range.price} < ${range.lower}${end}`;
  return range.tick >= range.upperTick
    ? `tick ${tickText(range.tick)} ≥ ${tickText(range.upperTick)}`
    : `tick ${tickText(range.tick)} < ${tickText(range.lowerTick)}`;
}

/** The token that an outside position holds alone: the one that is priced below its range, the other above. */
export function onlyToken(range: RangeFacts): string | null {
  const [token1 = "", token0 = ""] = headlineUnit(range.unit);
  const side = sideOfRange(range);
  const token = side === "below" ? token0 : side === "above" ? token1 : "";
  return token === "" || token0 === "" ? null : token;
}

export function tickText(tick: number): string {
  return group(String(tick));
}

function readPrice(text: string): Decimal | null {
  return parseDecimal(text.replaceAll(",", ""));
}
