import { DAY, SECOND } from "./duration.ts";
import { nearest } from "./nearest.ts";

/**
 * A time zone. A wall time is what a clock on the wall shows, written as milliseconds as if it
 * were UTC; an instant is milliseconds since the Unix epoch.
 */
export interface Zone {
  /** Wall time minus instant, in milliseconds. */
  offset(at: number): number;
  /** The first instant that shows this wall time; in a gap, the first instant after the gap. */
  instant(wall: number): number;
  /** The first instant after `from` with another offset than `from`; `to` must have another. */
  change(from: number, to: number): number;
}

/** Whether Intl knows the zone. */
export function isTimezone(name: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** The zone that was probably meant by a name or by that of its city; null if none is near. */
export function meantTimezone(name: string): string | null {
  const zones = Intl.supportedValuesOf("timeZone");
  const word = name.trim().replaceAll(/\s+/g, "_").toLowerCase();
  const cityOf = (zone: string): string => zone.slice(zone.lastIndexOf("/") + 1).toLowerCase();
  return zones.find((zone) => cityOf(zone) === word) ?? nearest(word, zones);
}

/** Throws RangeError for a name that Intl does not know. */
export function zoneOf(name: string): Zone {
  const offset = offsetsOf(name);

  const change = (from: number, to: number): number => {
    const old = offset(from);
    let low = Math.floor(from / SECOND);
    let high = Math.ceil(to / SECOND);
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (offset(middle * SECOND) === old) low = middle;
      else high = middle;
    }
    return high * SECOND;
  };

  const instant = (wall: number): number => {
    // No offset is as large as a day, so these two are the only ones that can be in force.
    const around = [offset(wall - DAY), offset(wall + DAY)];
    const largest = Math.max(...around);
    const smallest = Math.min(...around);
    const early = wall - largest;
    if (offset(early) === largest) return early;
    const late = wall - smallest;
    return offset(late) === smallest ? late : change(early, late);
  };

  return { offset, instant, change };
}

function offsetsOf(name: string): Zone["offset"] {
  if (name === "UTC") return () => 0;
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: name,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  return (at) => {
    const part: Record<string, number> = {};
    for (const { type, value } of format.formatToParts(at)) part[type] = Number(value);
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = part;
    const wall = Date.UTC(year, month - 1, day, hour, minute, second);
    return wall - Math.floor(at / SECOND) * SECOND;
  };
}
