import { type Extent, type Point, type Span, shareOf, timeShare, trim } from "./scale.ts";

/** The width of the inner drawing: lines are drawn in it and stretched to the picture's width. */
export const WIDE = 1_000;

/**
 * A series as the path of a line, in a drawing `WIDE` by `height`. Where a point has no value the line
 * is broken; a single value between two gaps is drawn as a short dash.
 */
export function linePath(
  points: readonly Point[],
  span: Span,
  extent: Extent,
  height: number,
): string {
  let path = "";
  let open = false;
  let alone = false;
  let x = 0;
  for (const { at, value } of points) {
    if (value === null) {
      if (open && alone) path += `H${trim(x + 2)}`;
      open = false;
      continue;
    }
    x = Math.round(timeShare(at, span) * WIDE);
    const y = trim(yOf(value, extent, height));
    path += `${open ? " " : "M"}${x} ${y}`;
    alone = !open;
    open = true;
  }
  return open && alone ? `${path}H${trim(Math.max(x, 2))}` : path;
}

/** Down from the top: the highest value has 0. */
export function yOf(value: number, extent: Extent, height: number): number {
  return (1 - Math.min(1.05, Math.max(-0.05, shareOf(value, extent)))) * height;
}

/** The newest known value. */
export function lastOf(points: readonly Point[]): Point | null {
  for (let i = points.length - 1; i >= 0; i -= 1) {
    const point = points[i];
    if (point !== undefined && point.value !== null) return point;
  }
  return null;
}
