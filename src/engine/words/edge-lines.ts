import type { Decimal } from "../../base/decimal.ts";
import type { RangeFacts } from "../../model.ts";
import type { Metric } from "../../watches/watch.ts";
import type { Compared } from "./compared-words.ts";
import type { Line } from "./fit.ts";
import { shortUnit } from "./range-words.ts";

/** How far a position is from the edge of its range, and from which: that decides what to do about it. */

const DISTANCES: ReadonlySet<string> = new Set(["pct_to_edge", "ticks_to_edge"]);

/** Whether a metric measures where in its range a position is. */
export function isOfEdge({ name }: Pick<Metric, "name">): boolean {
  return DISTANCES.has(name) || name === "range_position";
}

/** `upper edge 2,250 USDC/ETH`: the nearer one, or the one that the price is beyond. */
function edgeText(range: RangeFacts, unit = true): string {
  const { tick, lowerTick, upperTick, inverted } = range;
  const isLowTick = tick - lowerTick + 1 < upperTick - tick;
  const side = isLowTick === inverted ? "upper" : "lower";
  const end = unit ? shortUnit(range) : "";
  return `${side} edge ${range[side]}${end === "" ? "" : ` ${end}`}`;
}

export interface EdgeWords {
  readonly metric: Metric;
  readonly value: Decimal;
  readonly range: RangeFacts;
  /** ` back to`, ` now` or nothing. */
  readonly back: string;
  readonly tails: readonly string[];
}

/** `Treasury ETH/USDC 0.8% from the upper edge 2,250 USDC/ETH, below 1%`, with and without the unit. */
export function edgeLines(
  before: string,
  name: string,
  { value: number, limit }: Compared,
  { metric, value, range, back, tails }: EdgeWords,
): readonly Line[] {
  return [true, false].map((unit) => {
    const edge = edgeText(range, unit);
    const place = DISTANCES.has(metric.name)
      ? `${number.replace(/^-/, "")}${metric.quantity === "tick" ? " ticks" : ""} ${value.digits < 0n ? "past" : "from"} the ${edge}`
      : `at ${number} of its range (${edge})`;
    return { before, name, after: `${back} ${place}${limit}`, tails };
  });
}
