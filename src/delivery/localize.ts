import { formatBucket, formatTime } from "../base/clock.ts";
import { localTime } from "../base/zone.ts";
import type { Notice } from "../model/index.ts";
import { HEADLINE, headlineLength } from "./digest/digest-order.ts";

/**
 * A notice is frozen once, and its times with it, in UTC; the zone belongs to the channel. A time as
 * notices write it (`2026-11-28 22:59 UTC`) says which instant it is by itself, so it can be written
 * anew for each channel, and what cannot be read that way stays in UTC, which is always right.
 */

/** The notice as people in a zone read it. Throws RangeError for a zone that Intl does not know. */
export function localize(notice: Notice, zone: string): Notice {
  if (zone === UTC) return notice;
  const write = (text: string, alone = false): string => rewritten(text, notice, zone, alone);
  const { headline, title, note, fields } = notice;
  return {
    ...notice,
    // A headline has its length: UTC beside the local time is the first to go.
    headline:
      [write(headline), write(headline, true)].find((line) => headlineLength(line) <= HEADLINE) ??
      headline,
    title: title === null ? null : write(title),
    note: note === null ? null : write(note),
    fields: fields.map(({ name, value }) => ({ name, value: write(value) })),
  };
}

/** The zone in which notices are made. */
export const UTC = "UTC";

/** A time for people in a zone. Throws RangeError for a zone that Intl does not know. */
export function timeIn(zone: string, at: number): string {
  return zone === UTC ? formatTime(at) : localTime(zone).time(at);
}

/** `2026-11-28 22:59 UTC`; `14:00-15:00 UTC`, which a date may stand before. */
const TIMES =
  /(?<![\d-])(?:(\d{4}-\d\d-\d\d) (\d\d:\d\d(:\d\d)?)|(\d{4}-\d\d-\d\d, )?(\d\d:\d\d-\d\d:\d\d)) UTC(?!\w)/g;

function rewritten(text: string, { bucket }: Notice, zone: string, alone: boolean): string {
  const local = localTime(zone);
  type Part = string | undefined;
  return text.replaceAll(
    TIMES,
    (whole: string, date: Part, time: Part, seconds: Part, day: Part, hours: Part) => {
      if (hours === undefined) {
        const at = Date.parse(`${date ?? ""}T${time ?? ""}Z`);
        return Number.isNaN(at) ? whole : local.time(at, { alone, seconds: seconds !== undefined });
      }
      // Hours alone do not say of which day they are.
      if (bucket === undefined || formatBucket(bucket.start, bucket.ms) !== `${hours} UTC`) {
        return whole;
      }
      const own = local.hours(bucket.start, bucket.start + bucket.ms, { alone });
      return day === undefined ? own : `${local.date(bucket.start)}, ${own}`;
    },
  );
}
