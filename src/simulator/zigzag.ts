import { type Stream, uniform } from "./noise.ts";

/**
 * How the moves of one leg go from one end of it to the other: two points forward, one point back,
 * and so on. So every move goes the other way than the one before, the leg's ends are its extremes,
 * and what is traded in it follows from four points: each gap between two neighbouring points is
 * crossed three times, but the first and the last gap once.
 *
 * With an odd number of moves n, the points are 0 (the beginning) to (n + 3) / 2 (the end).
 */

/** The point that move `place` (1 to n) of a leg arrives at. */
export function pointAfter(place: number): number {
  return place % 2 === 1 ? (place + 3) / 2 : place / 2;
}

/** The point at a leg's end. */
export function lastPoint(moves: number): number {
  return (moves + 3) / 2;
}

/** How far a point lies between two points evenly set, at most: less than half of that keeps order. */
const ODDNESS = 0.8;

/** How far along the leg a point lies: 0 to 1, rising with the points, at odd distances. */
export function fractionOf(point: number, last: number, of: Stream, leg: number): number {
  if (point === 0) return 0;
  if (point === last) return 1;
  const odd = (uniform(of, leg * 64 + point) - 0.5) * ODDNESS;
  return (point + odd) / last;
}
