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

/** The UTC day of a date as YYYY-MM-DD. */
export function utcDay(date: number): string {
  return new Date(date).toISOString().slice(0, 10);
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
