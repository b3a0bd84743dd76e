import type { Decimal } from "../base/decimal.ts";
import type { Metric } from "../kinds/kind.ts";
import type { RangeFacts } from "../model/index.ts";
import type { Compared } from "./compared-words.ts";
import { type Line, WHOLE_NAME } from "./headline/fit.ts";
import { shortUnit } from "./range-words.ts";

/** How far a position is from the edge of its range, and from which: that decides what to do about it. */

const DISTANCES: ReadonlySet<string> = new Set(["pct_to_edge", "ticks_to_edge"]);

/** Whether a metric measures where in its range a position is. */
export function isOfEdge({ name }: Pick<Metric, "name">): boolean {
  return DISTANCES.has(name) || name === "range_position";
}

/**
 * `upper edge 2,250 USDC/ETH`, without the unit, and without the price: the nearer one, or the one that
 * the price is beyond.
 */
function edgeTexts(range: RangeFacts): readonly string[] {
  const { tick, lowerTick, upperTick, inverted } = range;
  const isLowTick = tick - lowerTick + 1 < upperTick - tick;
  const side = isLowTick === inverted ? "upper" : "lower";
  const alone = `${side} edge`;
  const price = `${alone} ${range[side]}`;
  const unit = shortUnit(range);
  return [...(unit === "" ? [] : [`${price} ${unit}`]), price, alone];
}

export interface EdgeWords {
  readonly metric: Metric;
  readonly value: Decimal;
  readonly range: RangeFacts;
  /** ` back to`, ` now` or nothing. */
  readonly back: string;
  readonly tails: readonly string[];
}

/** `Treasury ETH/USDC 0.8% from the upper edge 2,250 USDC/ETH, below 1%`, from the richest to the plainest. */
export function edgeLines(
  before: string,
  name: string,
  { value: number, limit }: Compared,
  { metric, value, range, back, tails }: EdgeWords,
): readonly Line[] {
  const isDistance = DISTANCES.has(metric.name);
  const far = number.replace(/^-/, "");
  const ticks = metric.quantity === "tick" ? (far === "1" ? " tick" : " ticks") : "";
  return edgeTexts(range).map((edge) => {
    const place = isDistance
      ? `${far}${ticks} ${value.digits < 0n ? "past" : "from"} the ${edge}`
      : `at ${number} of its range (${edge})`;
    const start = isDistance ? back : back.replace(/ to$/, "");
    return { before, name, after: `${start} ${place}${limit}`, tails, least: WHOLE_NAME };
  });
}
