import { DAY, HOUR } from "../../../base/duration.ts";
import type { Zone } from "../../../base/zone.ts";
import type { Samples } from "../../api/schemas/history.ts";
import { numberOf } from "../parts/alert-picture.tsx";
import type { HeatCell, HeatDay } from "../pictures/heat.tsx";

/** Hours of the day and days of the week: what the gas page draws, as plain data. */

const DAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];

/** The value of each hour by its start, epoch milliseconds, oldest first; null: no data. */
export function hoursOf(samples: Samples): Map<number, number | null> {
  const hours = new Map<number, number | null>();
  for (const { at, last } of samples.points) {
    const start = Math.floor(Date.parse(at) / HOUR) * HOUR;
    hours.set(start, last === null ? null : numberOf(last));
  }
  return hours;
}

/**
 * The last seven days on the wall of a zone, the oldest first. An hour without data is null, one that is to come
 * or before all that is kept is absent. Of an hour that a clock shows twice the later one stands.
 */
export function weekOf(
  hours: ReadonlyMap<number, number | null>,
  now: number,
  zone: Zone,
  write: (value: number) => string,
): HeatDay[] {
  const wallNow = now + zone.offset(now);
  const today = Math.floor(wallNow / DAY) * DAY;
  const [first] = hours.keys();
  return Array.from({ length: 7 }, (_, i): HeatDay => {
    const day = today - (6 - i) * DAY;
    const date = new Date(day);
    const short = DAYS[date.getUTCDay()] ?? "";
    const cells: (HeatCell | null | undefined)[] = Array.from({ length: 24 });
    for (let hour = 0; hour < 24; hour += 1) {
      const at = Math.floor(zone.instant(day + hour * HOUR) / HOUR) * HOUR;
      const value = hours.get(at);
      if (at > now || first === undefined || at < first) continue;
      // The hour under way may not have been looked at yet.
      if (value === undefined) cells[hour] = at + HOUR > now ? undefined : null;
      else cells[hour] = value === null ? null : { value, text: write(value) };
    }
    return { label: `${short} ${date.getUTCDate()}`, short, today: i === 6, cells };
  });
}

/** The median of each hour of the day over all days; null: nothing is known of it. */
export function medianByHour(
  hours: ReadonlyMap<number, number | null>,
  zone: Zone,
): (number | null)[] {
  const byHour: number[][] = Array.from({ length: 24 }, () => []);
  for (const [at, value] of hours) {
    const hour = new Date(at + zone.offset(at)).getUTCHours();
    if (value !== null) byHour[hour]?.push(value);
  }
  return byHour.map((values) => {
    const sorted = values.toSorted((a, b) => a - b);
    const middle = Math.floor(sorted.length / 2);
    const high = sorted[middle];
    if (high === undefined) return null;
    return sorted.length % 2 === 1 ? high : (high + (sorted[middle - 1] ?? high)) / 2;
  });
}
