import { createTask, type ScheduledTask, setLogger } from "node-cron";
import { DAY, HOUR, MINUTE, parseDuration, SECOND } from "./duration.ts";

/** When a rule is due: a duration that divides a minute, an hour or a day, or a cron expression. */
export interface Schedule {
  readonly text: string;
  /** The fixed distance of two rounds in milliseconds; null for a cron expression. */
  readonly everyMs: number | null;
  /** The first scheduled time after `after`, both in epoch milliseconds. */
  next(after: number): number;
  /** The end of three intervals after `after`: how long an observed value stays in force. */
  third(after: number): number;
}

/** What is wrong with the text of a schedule; the message is for the user who wrote it. */
export class ScheduleError extends Error {
  override readonly name = "ScheduleError";
}

const silent = (): void => {};
// node-cron reports to the console unless it is told where else to.
setLogger({ info: silent, warn: silent, error: silent, debug: silent });

/**
 * Reads `15s`, `5m`, `6h` or a cron expression of 5 or 6 fields; `timezone` is for cron only.
 * Throws ScheduleError.
 */
export function parseSchedule(text: string, timezone: string): Schedule {
  const trimmed = text.trim();
  const every = parseDuration(trimmed);
  if (every !== null) return interval(trimmed, every);
  const fields = trimmed.split(/\s+/);
  if (fields.length !== 5 && fields.length !== 6) {
    throw new ScheduleError(
      `"${trimmed}" is neither a duration like 1m nor a cron expression of 5 or 6 fields`,
    );
  }
  if (!isTimezone(timezone)) throw new ScheduleError(`"${timezone}" is not a known time zone`);
  return cron(trimmed, fields, timezone);
}

/** Whether Intl knows the zone; node-cron itself accepts a bad one. */
export function isTimezone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: zone });
    return true;
  } catch {
    return false;
  }
}

function interval(text: string, every: number): Schedule {
  if (every <= 0 || ![MINUTE, HOUR, DAY].some((unit) => unit % every === 0)) {
    throw new ScheduleError(
      `"${text}" does not divide a minute, an hour or a day, so rounds would drift; try 15s, 5m or 6h`,
    );
  }
  return {
    text,
    everyMs: every,
    next: (after) => (Math.floor(after / every) + 1) * every,
    third: (after) => after + 3 * every,
  };
}

/** Zones differ from UTC by whole quarters of an hour, so a quarter lies within one local hour. */
const QUARTER = 15 * MINUTE;
/** A cron expression that is silent for so long (30 February) is never due. */
const SEARCH_MS = 5 * 366 * DAY;

function cron(text: string, fields: readonly string[], timezone: string): Schedule {
  const time = fields.length === 6 ? fields : ["0", ...fields];
  const exact = matcher(time.join(" "), text, timezone);
  const [, , hour = "*", ...date] = time;
  // Coarser copies of the expression let a search skip the days and hours that cannot match.
  const inHour = matcher(["*", "*", hour, ...date].join(" "), text, timezone);
  const inMinute = matcher(["*", ...time.slice(1)].join(" "), text, timezone);

  const search = (after: number): number => {
    const start = (Math.floor(after / SECOND) + 1) * SECOND;
    for (let quarter = start - (start % QUARTER); quarter < start + SEARCH_MS; quarter += QUARTER) {
      if (!inHour(quarter)) continue;
      for (let minute = quarter; minute < quarter + QUARTER; minute += MINUTE) {
        if (minute + MINUTE <= start || !inMinute(minute)) continue;
        for (let at = Math.max(minute, start); at < minute + MINUTE; at += SECOND) {
          if (exact(at)) return at;
        }
      }
    }
    return Number.POSITIVE_INFINITY;
  };
  const next = remembered(search);
  if (next(0) === Number.POSITIVE_INFINITY) {
    throw new ScheduleError(`"${text}" never comes: no such day in any year`);
  }
  return { text, everyMs: null, next, third: remembered((after) => next(next(next(after)))) };
}

function matcher(expression: string, text: string, timezone: string): (at: number) => boolean {
  let task: ScheduledTask;
  try {
    task = createTask(expression, silent, { timezone });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ScheduleError(`"${text}" is not a cron expression: ${reason}`, { cause });
  }
  const date = new Date(0);
  // The matcher is all we want; destroying the task keeps node-cron's registry small.
  void task.destroy();
  return (at) => {
    date.setTime(at);
    return task.match(date);
  };
}

/** The alerts of a round all ask about the same few dates. */
function remembered(compute: (at: number) => number): (at: number) => number {
  const known = new Map<number, number>();
  return (at) => {
    const old = known.get(at);
    if (old !== undefined) return old;
    if (known.size >= 64) known.clear();
    const fresh = compute(at);
    known.set(at, fresh);
    return fresh;
  };
}
