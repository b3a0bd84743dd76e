import { parseIsoTime } from "../api/fields.ts";
import { isoDay } from "../base/clock.ts";
import { pow10 } from "../base/decimal.ts";
import { DAY, HOUR, MINUTE } from "../base/duration.ts";
import type { Answer, Ask, RawRecord, Value } from "../model/index.ts";
import { fieldsOf, valueIn } from "./fields.ts";
import type { History } from "./kind.ts";

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

const HOUR_TEXT =
  /^(\d{4})-(\d\d)-(\d\d)[T ](\d\d)(?::00(?::00(?:\.0{1,9})?)?)?(?:Z|[+-]00(?::?00)?)?$/i;

/**
 * The start of an hour bucket in epoch milliseconds, from ISO 8601 in UTC with or without zone,
 * seconds and fraction: `2026-11-27T14:00:00Z`, `2026-11-27 14:00`, `2026-11-27T14`. Null for
 * anything else, for another zone, for a time within an hour, and for days that do not exist.
 */
export function parseHour(text: unknown): number | null {
  if (typeof text !== "string") return null;
  const match = HOUR_TEXT.exec(text);
  if (match === null) return null;
  const [year = 0, month = 0, day = 0, hour = 0] = match.slice(1, 5).map(Number);
  // The constructor takes the years before 100 for others.
  if (year < 100) return null;
  const start = Date.UTC(year, month - 1, day, hour);
  // Date.UTC carries 30 February and 25 o'clock over into the next month and day.
  const date = new Date(start);
  const isSame =
    date.getUTCMonth() === month - 1 && date.getUTCDate() === day && date.getUTCHours() === hour;
  return isSame ? start : null;
}

/**
 * The hours of a list that began by `latest`, oldest first. Of an hour that is given twice the first
 * entry counts, as with everything that an answer gives twice.
 */
export function hoursUntil<T>(
  entries: readonly T[],
  hourOf: (entry: T) => unknown,
  latest: number,
): [start: number, entry: T][] {
  const hours = new Map<number, T>();
  for (const entry of entries) {
    const start = parseHour(hourOf(entry));
    if (start === null || start > latest || hours.has(start)) continue;
    hours.set(start, entry);
  }
  return [...hours].toSorted(([a], [b]) => a - b);
}

/** A value stays in force for three spacings: so many points before a window may count in it. */
const SPARE_POINTS = 3;
/** A request for days may be for so many, both ends included. */
const MOST_DAYS = 365;
/** A page has so many points; what hours do not cover with one is asked for by days. */
const MOST_POINTS = 1_000;

/** What the histories have in common that make the past of a state record. */
interface PastSpec {
  readonly ask: Ask;
  readonly period: Period;
  readonly now: number;
  /** The value of a point; null where it has none. */
  readonly value: (point: RawRecord, metric: string) => Value | null;
}

/** Points by the end of their time, since that is when a point's value was the state. */
function pastOf({ ask, period, now, value }: PastSpec): History {
  const spacingMs = PERIODS[period];
  return {
    ask,
    spacingMs,
    points: (answer: Answer, metric) => {
      if (answer.status !== "ok") return [];
      return pointsUntil(answer.records, period, now)
        .map(([start, point]) => [start + spacingMs, value(point, metric)] as const)
        .filter(([end]) => end <= now);
    },
  };
}

/** The days of a supply or a balance, from `from` to `now`, 365 of them at most. */
export function pastByDays(
  ask: Pick<Ask, "chainId" | "id" | "wallet" | "like"> & {
    readonly record: "supply_point" | "balance_point";
  },
  field: string,
  from: number,
  now: number,
): History {
  const first = Math.max(from - SPARE_POINTS * DAY, now - (MOST_DAYS - 1) * DAY);
  const days = { from: isoDay(first), to: isoDay(now) };
  const { record, chainId, id, wallet } = ask;
  const key = [record, chainId, id, ...(wallet === undefined ? [] : [wallet]), days.from, days.to];
  return pastOf({
    ask: { key: key.join(":"), ...ask, ...days },
    period: "d",
    now,
    value: (point) => valueIn(fieldsOf(record), point, field),
  });
}

/** The hours of a price or a pool from `from` to `now`, or its days where those are too many. */
export function pastByHours(
  { record, chainId, id }: Pick<Ask, "record" | "chainId" | "id">,
  value: PastSpec["value"],
  from: number,
  now: number,
): History {
  const period = (now - from) / HOUR + SPARE_POINTS + 1 <= MOST_POINTS ? "h" : "d";
  const points = Math.ceil((now - from) / PERIODS[period]) + SPARE_POINTS + 1;
  const limit = Math.min(MOST_POINTS, points);
  const key = [record, chainId, id, period, limit].join(":");
  return pastOf({ ask: { key, record, chainId, id, period, limit }, period, now, value });
}

/** The tick of a pool at the end of each hour, by the pool's id. */
export function pastTicks(
  record: "v4_pool_point" | "v3_pool_point",
  chainId: number,
  id: string,
  from: number,
  now: number,
): History {
  const value = (point: RawRecord): Value | null => valueIn(fieldsOf(record), point, "tick");
  return pastByHours({ record, chainId, id }, value, from, now);
}
