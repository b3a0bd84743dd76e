import { parseIsoTime } from "../api/iso-time.ts";
import { pow10 } from "../base/decimal.ts";
import { DAY, HOUR, MINUTE } from "../base/duration.ts";
import type { RawRecord } from "../model/index.ts";

/** How far the service's clock may be ahead of ours. */
const CLOCK_SKEW_MS = 5 * MINUTE;
const DAY_ALONE = /^\d{4}-\d\d-\d\d$/;

/** The options by which histories are chosen, with the length of their buckets in milliseconds. */
export const PERIODS = { h: HOUR, d: DAY } as const;

export type Period = keyof typeof PERIODS;

/**
 * The points of a history by the start of their bucket, epoch milliseconds, oldest first. A date lies
 * in its bucket, in UTC; one that is no date, that names a day where hours are wanted, or that lies
 * in a bucket to come, is left out. Of several points of one bucket the one with the latest date
 * counts, wherever it stands, and of equal dates the first one.
 */
export function pointsUntil(
  records: readonly RawRecord[],
  period: Period,
  now: number,
): readonly (readonly [start: number, record: RawRecord])[] {
  const length = PERIODS[period];
  const points = new Map<number, { readonly at: number; readonly record: RawRecord }>();
  for (const record of records) {
    const at = timeOf(record.date, period);
    if (at === null) continue;
    const start = at - (at % length);
    if (start > now + CLOCK_SKEW_MS) continue;
    const known = points.get(start);
    if (known === undefined || at > known.at) points.set(start, { at, record });
  }
  return [...points]
    .toSorted(([a], [b]) => a - b)
    .map(([start, { record }]): [number, RawRecord] => [start, record]);
}

function timeOf(raw: unknown, period: Period): number | null {
  if (typeof raw !== "string" || (period === "h" && DAY_ALONE.test(raw))) return null;
  const seconds = parseIsoTime(raw);
  return seconds === null ? null : Number((seconds.digits * 1_000n) / pow10(seconds.scale));
}
