import { z } from "zod";
import { MINUTE } from "../../base/duration.ts";
import { isMap } from "../../base/json.ts";
import { oneOf, plainText, refuse } from "../../base/settings.ts";
import { synonymTable } from "../../base/suggest.ts";
import { cleanText } from "../../base/text.ts";
import type { MuteWindow } from "../../model/index.ts";
import {
  errorAt,
  errorAtKey,
  type Path,
  type Report,
  typeOf,
  warningAtKey,
  wrongType,
} from "../../rules/finding.ts";
import { readKeys } from "../files/shape.ts";
import { asList, oneOrMore, timezone } from "../rules/rule-keys.ts";

/** In the order of their numbers: 0 is Sunday. */
const DAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"] as const;

const DAY_SYNONYMS = synonymTable({
  sun: "sunday",
  mon: "monday",
  tue: "tuesday tues",
  wed: "wednesday weds",
  thu: "thursday thurs thur",
  fri: "friday",
  sat: "saturday",
  "mon, tue, wed, thu, fri": "weekdays weekday workdays",
  "sat, sun": "weekend weekends",
});

const TIME = /^([01]?\d|2[0-3]):([0-5]\d)$/;
const MINUTES_OF_DAY = 1_440;

/** What stands under each key of a window. */
export const WINDOW = z
  .strictObject({
    from: timeOfDay(false),
    to: timeOfDay(true),
    days: days(),
    timezone: timezone(),
  })
  .partial();

const WINDOW_WORDS = {
  what: "a window",
  synonyms: synonymTable({
    from: "start begin",
    to: "end until",
    timezone: "tz zone",
    days: "day weekdays",
  }),
};

export type Mutes = ReadonlyMap<string, readonly MuteWindow[]>;

const PATH: Path = ["mutes"];
const EXPECTED = 'windows such as [{from: "22:00", to: "07:00"}]';

/** Reads `mutes`: by their names the times of the day, in `zone` unless they say another. */
export function readMutes(raw: unknown, zone: string, report: Report): Mutes {
  const mutes = new Map<string, readonly MuteWindow[]>();
  if (raw === undefined) return mutes;
  if (!isMap(raw)) {
    report(wrongType(PATH, raw, `names with ${EXPECTED}`));
    return mutes;
  }
  for (const [name, value] of Object.entries(raw)) {
    const path = [...PATH, name];
    const items: readonly unknown[] = Array.isArray(value) ? value : [value];
    if (items.length === 0) report(errorAt("empty", path, "is empty", EXPECTED));
    const windows = items.flatMap((item, i) =>
      readWindow(item, Array.isArray(value) ? [...path, i] : path, zone, report),
    );
    mutes.set(name, windows);
    if (coverTheWeek(windows)) {
      report(
        warningAtKey(
          "always-muted",
          path,
          "is open at all times: a channel muted by it never sends anything",
        ),
      );
    }
  }
  return mutes;
}

function readWindow(raw: unknown, path: Path, zone: string, report: Report): readonly MuteWindow[] {
  if (!isMap(raw)) {
    const what = typeOf(raw);
    report(errorAt("wrong-type", path, what, 'a window such as {from: "22:00", to: "07:00"}'));
    return [];
  }
  const keys = readKeys(WINDOW, raw, path, WINDOW_WORDS, report);
  for (const key of ["from", "to"] as const) {
    if (key in raw) continue;
    const expected =
      key === "from" ? 'when it begins, such as "22:00"' : 'its end, such as "07:00"';
    report(errorAt("missing-key", [...path, key], "is missing", expected));
  }
  const { from, to, days: on = DAYS.map((_, day) => day), timezone: own = zone } = keys ?? {};
  if (from === undefined || to === undefined) return [];
  if (from === to) {
    const hint =
      from === 0
        ? { suggestion: '"24:00"' }
        : { expected: 'another time; a whole day is from "00:00" to "24:00"' };
    report(errorAtKey("bad-time", [...path, "to"], "the window has no length", hint));
    return [];
  }
  return [{ from, to, days: on, timezone: own }];
}

/** Whether some window is open at every minute of a week, as far as those of one zone show it. */
function coverTheWeek(windows: readonly MuteWindow[]): boolean {
  const week = 7 * MINUTES_OF_DAY;
  return windows.some(({ timezone: zone }) => {
    const open = new Set<number>();
    for (const { from, to, days: on, timezone: own } of windows) {
      if (own !== zone) continue;
      const length = to > from ? to - from : to - from + MINUTES_OF_DAY;
      for (const day of on) {
        for (let i = 0; i < length; i += 1) open.add((day * MINUTES_OF_DAY + from + i) % week);
      }
    }
    return open.size === week;
  });
}

/** Minutes after midnight; the end of a window may be the end of the day. */
function timeOfDay(end: boolean): z.ZodType<number> {
  const expected = end ? 'a time from "00:00" to "24:00"' : 'a time from "00:00" to "23:59"';
  return plainText(expected)
    .transform((text, context) => {
      if (end && text === "24:00") return MINUTES_OF_DAY;
      const match = TIME.exec(text.trim());
      if (match !== null) return Number(match[1]) * 60 + Number(match[2]);
      const suggestion = meantTime(text.trim().toLowerCase());
      return refuse(context, "bad-time", `"${cleanText(text, 60)}" is not a time of day`, {
        expected,
        ...(suggestion === null ? {} : { suggestion }),
      });
    })
    .meta({
      type: "string",
      pattern: end ? `${TIME.source}|^24:00$` : TIME.source,
      description: expected,
    });
}

/** `10pm`, `22`, `22.30` or `2230` as it is written here. */
function meantTime(text: string): string | null {
  const match = /^(\d{1,2})(?:[:.h]?(\d{2}))?\s*(am|pm|h)?$/.exec(text);
  if (match === null) return null;
  const [, hours = "", minutes = "00", half] = match;
  const twelve = half === "am" || half === "pm";
  const hour = twelve ? (Number(hours) % 12) + (half === "pm" ? 12 : 0) : Number(hours);
  const time = `${String(hour).padStart(2, "0")}:${minutes}`;
  return (twelve && Number(hours) > 12) || !TIME.test(time) ? null : `"${time}"`;
}

function days(): z.ZodType<readonly number[]> {
  const expected = "days such as [mon, tue]";
  return z
    .preprocess(asList, z.array(oneOf(DAYS, DAY_SYNONYMS)))
    .transform((names, context) =>
      names.length === 0
        ? refuse(context, "empty", "is empty", expected)
        : [...new Set(names.map((name) => DAYS.indexOf(name)))].toSorted((a, b) => a - b),
    )
    .meta({ ...oneOrMore({ enum: [...DAYS] }), description: expected });
}

/** A window's time as a file has it. */
export function windowText({ from, to, days: on, timezone: zone }: MuteWindow): string {
  const text = (minutes: number): string => new Date(minutes * MINUTE).toISOString().slice(11, 16);
  const end = to === MINUTES_OF_DAY ? "24:00" : text(to);
  const some = on.length === DAYS.length ? "" : ` ${on.map((day) => DAYS[day] ?? "").join(", ")}`;
  return `${text(from)}-${end}${some} ${zone}`;
}
