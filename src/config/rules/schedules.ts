import { DAY, suggestDuration } from "../../base/duration.ts";
import {
  isCron,
  parseSchedule,
  type Schedule,
  ScheduleError,
  unevenSchedule,
} from "../../base/schedule.ts";
import type { Hint } from "../../base/settings.ts";
import { errorAt, type Path, type Report, warningAt } from "../../rules/finding.ts";

export const SCHEDULE_EXPECTED = "a duration such as 1m, a cron expression, or block";

/** A text that is no schedule, with what may have been meant. */
export type ScheduleTrouble = { readonly message: string; readonly hint: Hint };

/** Rules that are written alike share one Schedule: each distinct one is searched only once. */
export class Schedules {
  readonly #known = new Map<string, Schedule | ScheduleTrouble>();

  read(text: string, timezone: string): Schedule | ScheduleTrouble {
    const key = `${timezone} ${text}`;
    const known = this.#known.get(key) ?? attempt(text, timezone);
    this.#known.set(key, known);
    return known;
  }
}

function attempt(text: string, timezone: string): Schedule | ScheduleTrouble {
  try {
    return parseSchedule(text, timezone);
  } catch (error) {
    if (!(error instanceof ScheduleError)) throw error;
    const bare = /^\s*\d{1,4}\s*$/.test(text);
    return bare
      ? {
          message: `"${text.trim()}" has no unit`,
          hint: {
            expected: SCHEDULE_EXPECTED,
            suggestion: `${text.trim()}m`,
          },
        }
      : {
          message: error.message.replace(/ is a invalid /, " is an invalid "),
          hint: { ...hintFor(text), ...error.hint },
        };
  }
}

/** `every block` is `block`, `every 5 minutes` is `5m`, if that is a schedule; what was meant by a wrong cron nobody knows. */
function hintFor(text: string): Hint {
  if (/^[a-z\s_-]*blocks?$/i.test(text.trim())) return { suggestion: "block" };
  const suggestion = suggestDuration(text);
  if (suggestion === null || suggestion === text.trim()) return {};
  try {
    parseSchedule(suggestion, "UTC");
    return { suggestion };
  } catch (error) {
    if (!(error instanceof ScheduleError)) throw error;
    return {};
  }
}

/** Reports a cron expression that does something else than it reads; `at` leads to it. */
export function lintSchedule(schedule: Schedule, at: Path, report: Report): void {
  for (const { message, isWrong = false, ...hint } of unevenSchedule(schedule)) {
    const wrong = `schedule "${schedule.text}" does not do what it says: ${message}`;
    report(
      isWrong ? errorAt("bad-schedule", at, wrong, hint) : warningAt("odd-cron", at, message, hint),
    );
  }
  const fields = isCron(schedule) ? schedule.text.split(/\s+/) : [];
  const [day = "*", , weekday = "*"] = fields.slice(-3);
  if (day.startsWith("*") || weekday.startsWith("*")) return;
  const message = "the day of the month and the day of the week must both match, unlike in crontab";
  report(warningAt("odd-cron", at, message, "* for one of them, or a rule for each"));
}

/** Any date will do: the distances of a cron's times are those of its pattern. */
const SOME_DAY = Date.UTC(2026, 0, 1);
const LOOKED_AT = 8;

/** The shortest distance of two rounds in milliseconds; for a cron as far as its next times show. */
export function shortestInterval(schedule: Schedule): number {
  if (schedule.everyMs !== null) return schedule.everyMs;
  const known = SHORTEST.get(schedule) ?? searchShortest(schedule);
  SHORTEST.set(schedule, known);
  return known;
}

/** Rules share their schedules, and searching the times of a cron is slow. */
const SHORTEST = new WeakMap<Schedule, number>();

function searchShortest(schedule: Schedule): number {
  let shortest = Number.POSITIVE_INFINITY;
  let last = schedule.next(SOME_DAY);
  for (let i = 0; i < LOOKED_AT; i++) {
    const next = schedule.next(last);
    shortest = Math.min(shortest, next - last);
    last = next;
  }
  return Number.isFinite(shortest) ? shortest : DAY;
}
