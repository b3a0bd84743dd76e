import type { RangeFacts } from "../../model/index.ts";

/** Where a price is by the edges of a range, as people read it. */
export interface RangeDistance {
  /** The nearer edge, by the price as people read it; the one that was crossed, outside. */
  readonly edge: "lower" | "upper";
  /**
   * Inside: how far the price must move to leave, in percent of it. Outside: how far it is beyond the
   * edge, in percent of that. `3.66%`; null: the edge is so far away that it is as good as none.
   */
  readonly text: string | null;
}

const TICK = Math.log(1.0001);
/** A price 22,000 times as high. */
const FAR = 100_000;

/** By ticks, as everything about a range is decided; an edge is never nearer than one. */
export function rangeDistance({ tick, lowerTick, upperTick, inverted }: RangeFacts): RangeDistance {
  const isOut = tick < lowerTick || tick >= upperTick;
  const down = isOut ? lowerTick - tick : tick - lowerTick + 1;
  const up = isOut ? tick - upperTick + 1 : upperTick - tick;
  const isDown = isOut ? tick < lowerTick : down <= up;
  const edge = isDown === inverted ? "upper" : "lower";
  const ticks = isDown ? down : up;
  if (!isOut && ticks > FAR) return { edge, text: null };
  const share = Math.expm1(edge === "lower" ? -ticks * TICK : ticks * TICK);
  return { edge, text: percentText(Math.abs(share) * 100) };
}

/** Three digits of a number for reading only. */
function percentText(percent: number): string {
  const places = percent >= 100 ? 0 : percent >= 10 ? 1 : 2;
  return `${percent.toFixed(places)}%`;
}
