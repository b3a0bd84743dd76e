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
export function suggestTimezone(name: string): string | null {
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

/** Times for people who live in a time zone. UTC stands beside them, so that nobody has to reckon. */
export interface LocalTime {
  /** `2026-11-28 23:59 CET (22:59 UTC)`; with the UTC date where that is another. */
  time(at: number, form?: TimeForm): string;
  /** `15:00-16:00 CET (14:00-15:00 UTC)` of what lasts from one instant to another. */
  hours(from: number, to: number, form?: TimeForm): string;
  /** `2026-11-28` */
  date(at: number): string;
}

export interface TimeForm {
  /** Without UTC beside it: `2026-11-28 23:59 CET`. */
  readonly alone?: boolean;
  /** To the second; else to the minute. */
  readonly seconds?: boolean;
}

/** By zone: formatters are costly, and there are few zones. */
const known = new Map<string, LocalTime>();

/** Throws RangeError for a zone that Intl does not know. */
export function localTime(name: string): LocalTime {
  const cached = known.get(name);
  if (cached !== undefined) return cached;
  const made = make(zoneOf(name), shortNames(name));
  known.set(name, made);
  return made;
}

function make(zone: Zone, nameOf: (at: number) => string): LocalTime {
  const wall = (at: number): string => isoText(at + zone.offset(at));
  const isUtc = (at: number): boolean => nameOf(at) === "UTC";
  return {
    date: (at) => dateOf(wall(at)),
    time(at, { alone = false, seconds = false } = {}) {
      const length = seconds ? SECONDS : MINUTES;
      const [own, utc] = [wall(at), isoText(at).slice(0, length)];
      const text = `${own.slice(0, length)} ${nameOf(at)}`;
      if (alone || isUtc(at)) return text;
      return `${text} (${dateOf(own) === dateOf(utc) ? utc.slice(CLOCK) : utc} UTC)`;
    },
    hours(from, to, { alone = false } = {}) {
      const [start, end] = [nameOf(from), nameOf(to)];
      // In the hour in which the clocks change its two ends differ.
      const first = start === end ? clockOf(wall(from)) : `${clockOf(wall(from))} ${start}`;
      const text = `${first}-${clockOf(wall(to))} ${end}`;
      if (alone || isUtc(from)) return text;
      return `${text} (${clockOf(isoText(from))}-${clockOf(isoText(to))} UTC)`;
    },
  };
}

/** Lengths of `2026-11-28 23:59` and `2026-11-28 23:59:07`, and where the time of day begins. */
const MINUTES = 16;
const SECONDS = 19;
const CLOCK = 11;

/** A wall time, or an instant in UTC. */
function isoText(ms: number): string {
  return new Date(ms).toISOString().slice(0, SECONDS).replace("T", " ");
}

function dateOf(text: string): string {
  return text.slice(0, CLOCK - 1);
}

function clockOf(text: string): string {
  return text.slice(CLOCK, MINUTES);
}

/** Each of them knows the short names of its own part of the world alone. */
const LOCALES = ["en-US", "en-GB", "en-AU", "en-NZ", "en-IN", "en-ZA", "en-CA"] as const;

/** `CET`, `EDT`, `IST`; `GMT+5:45` where a zone has no short name. */
function shortNames(timeZone: string): (at: number) => string {
  const formats = LOCALES.map(
    (locale) => new Intl.DateTimeFormat(locale, { timeZone, timeZoneName: "short" }),
  );
  return (at) => {
    const names = formats.map(
      (format) => format.formatToParts(at).find(({ type }) => type === "timeZoneName")?.value ?? "",
    );
    return names.find((name) => /^[A-Z]+$/.test(name)) ?? names[0] ?? timeZone;
  };
}
