import { DAY } from "../base/duration.ts";

/** Epoch milliseconds as the specification's "ISO 8601 UTC": whole seconds, cut. */
export function isoTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

/** The UTC day that a time (epoch ms) lies in, YYYY-MM-DD. */
export function isoDay(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

/** Midnight UTC of the day that a time lies in; both in epoch milliseconds. */
export function midnightOf(ms: number): number {
  return Math.floor(ms / DAY) * DAY;
}
