import { type Decimal, round } from "./decimal.ts";
import { DAY } from "./duration.ts";

/** The last millisecond that a Date can hold. */
const LAST_MS = 8_640_000_000_000_000;

/** `2026-11-27 14:05 UTC`, cut to the minute; `ms` since the Unix epoch. */
export function formatTime(ms: number): string {
  return cutTime(ms, -8);
}

/** `2026-11-27 14:05:07 UTC`, for what may have lasted seconds. */
export function formatMoment(ms: number): string {
  return cutTime(ms, -5);
}

function cutTime(ms: number, end: number): string {
  if (!Number.isFinite(ms) || Math.abs(ms) > LAST_MS) return "an unknown time";
  return `${new Date(ms).toISOString().slice(0, end).replace("T", " ")} UTC`;
}

/**
 * `14:00-15:00 UTC`: a bucket that begins at `start` and lasts `length` milliseconds. One of whole days
 * goes by its date: `2026-11-27 UTC`.
 */
export function formatBucket(start: number, length: number): string {
  if (length % DAY === 0) return `${formatTime(start).slice(0, 10)} UTC`;
  const hours = (ms: number): string => formatTime(ms).slice(-9, -4);
  return `${hours(start)}-${hours(start + length)} UTC`;
}

/** Unix seconds as a time; null where no date is so far away. */
export function formatSeconds(seconds: Decimal): string | null {
  const whole = round(seconds, 0).digits;
  const limit = BigInt(LAST_MS / 1_000);
  return whole < -limit || whole > limit ? null : formatTime(Number(whole) * 1_000);
}

/** The UTC day that a time lies in, as YYYY-MM-DD; epoch milliseconds that a Date can hold. */
export function isoDay(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

/** Midnight UTC of the day that a time lies in; both in epoch milliseconds. */
export function midnightOf(ms: number): number {
  return Math.floor(ms / DAY) * DAY;
}

/** `03:10` on the day of another time, else with its date; with seconds where it has some. UTC. */
export function clockOf(time: number, beside: number): string {
  const text = (time % 60_000 === 0 ? formatTime(time) : formatMoment(time)).replace(/ UTC$/, "");
  const day = formatTime(beside).slice(0, 11);
  return text.startsWith(day) ? text.slice(day.length) : text;
}
