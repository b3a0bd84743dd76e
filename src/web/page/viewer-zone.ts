import { HOUR } from "../../base/duration.ts";
import { type Zone, zoneOf } from "../../base/zone.ts";

/** The viewer's time zone, as its script says it. */

/** The cookie in which the script writes the name of its zone. */
const COOKIE = /(?:^|;\s*)tickwatch_zone=([A-Za-z0-9_+\-/%]{1,80})(?:;|$)/;

export interface NamedZone {
  readonly zone: Zone;
  readonly name: string;
}

/** A zone by its name; UTC for a name that nobody knows. */
export function namedZone(name: string): NamedZone {
  try {
    return name === "" ? UTC : { zone: zoneOf(name), name };
  } catch {
    return UTC;
  }
}

const UTC: NamedZone = { zone: zoneOf("UTC"), name: "UTC" };

/** The zone of a request's cookie; UTC where no script has written one. */
export function zoneOfCookie(cookie: string | undefined): NamedZone {
  const [, written = ""] = COOKIE.exec(cookie ?? "") ?? [];
  try {
    return namedZone(decodeURIComponent(written));
  } catch {
    return UTC;
  }
}

const MORNING = 8;

/** Tomorrow at 08:00 on the wall of a zone, epoch milliseconds. */
export function tomorrowMorning(now: number, { zone }: NamedZone): number {
  const wall = new Date(now + zone.offset(now));
  const day = Date.UTC(wall.getUTCFullYear(), wall.getUTCMonth(), wall.getUTCDate() + 1);
  return zone.instant(day + MORNING * HOUR);
}

const LOCAL = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})(?::\d{2})?$/;

/** What a form's field for date and time says, on the wall of a zone; null: it says nothing. */
export function wallTime(text: string, { zone }: NamedZone): number | null {
  const match = LOCAL.exec(text);
  if (match === null) return null;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0] = match.slice(1).map(Number);
  const wall = Date.UTC(year, month - 1, day, hour, minute);
  const read = new Date(wall);
  const isDate =
    read.getUTCMonth() === month - 1 && read.getUTCDate() === day && hour < 24 && minute < 60;
  return isDate ? zone.instant(wall) : null;
}
