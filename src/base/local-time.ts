import { type Zone, zoneOf } from "./zone.ts";

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
