import { createTask, type ScheduledTask, setLogger } from "node-cron";
import { DAY, SECOND } from "./duration.ts";
import { zoneOf } from "./zone.ts";

const silent = (): void => {};
// node-cron reports to the console unless it is told where else to.
setLogger({ info: silent, warn: silent, error: silent, debug: silent });

/** Any date will come within so long, 29 February on a Monday over the year 2100 included. */
const SEARCH_DAYS = 41 * 366;

const DAY_SECONDS = DAY / SECOND;

/**
 * The first time after an instant that a cron expression of 6 fields (second, minute, hour, day,
 * month, weekday) matches; Infinity when it never does. Day and weekday must both match.
 *
 * When clocks change, an expression for every hour goes on in real time. Any other names times of
 * day: one that falls into the skipped hour comes at its end, one that comes twice counts once.
 * Throws what node-cron throws for a bad expression.
 */
export function cronTimes(expression: string, timezone: string): (after: number) => number {
  const zone = zoneOf(timezone);
  const wallFrom = wallTimes(expression);

  const inRealTime = (after: number): number => {
    let least = nextSecond(after);
    for (;;) {
      const offset = zone.offset(least);
      const at = wallFrom.next(least + offset) - offset;
      if (at === Number.POSITIVE_INFINITY) return at;
      // Far away another offset may be in force: go near it and look again.
      if (at - least > DAY) least = at - DAY;
      else if (zone.offset(at) === offset) return at;
      else least = zone.change(least, at);
    }
  };

  const byTheClock = (after: number): number => {
    const shown = after + zone.offset(after);
    const first = zone.instant(shown);
    let wall = nextSecond(shown);
    // The same time of day was here before: go on where the repetition ends.
    if (first < after) wall = zone.change(first, after) + zone.offset(first);
    const found = wallFrom.next(wall);
    return found === Number.POSITIVE_INFINITY ? found : zone.instant(found);
  };

  return wallFrom.everyHour ? inRealTime : byTheClock;
}

function nextSecond(at: number): number {
  return (Math.floor(at / SECOND) + 1) * SECOND;
}

interface WallTimes {
  readonly everyHour: boolean;
  /** The first matching wall time that is not before `wall`. */
  next(wall: number): number;
}

/** node-cron reads the expression and says which seconds, minutes, hours, months and days match. */
function wallTimes(expression: string): WallTimes {
  const [second = "", minute = "", hour = "", day = "", month = "", weekday = ""] =
    expression.split(" ");
  // The whole expression is read first: some faults lie between the fields.
  matcher(expression);
  const seconds = numbers(60, matcher(`${second} * * * * *`), (n) => n * SECOND);
  const minutes = numbers(60, matcher(`0 ${minute} * * * *`), (n) => Date.UTC(1970, 0, 1, 0, n));
  const hours = numbers(24, matcher(`0 0 ${hour} * * *`), (n) => Date.UTC(1970, 0, 1, n));
  const months = new Set(numbers(12, matcher(`0 0 0 1 ${month} *`), (n) => Date.UTC(1970, n)));
  const onDay = matcher(`0 0 0 ${day} ${month} ${weekday}`);

  const timeFrom = (start: number): number | null => {
    for (const h of hours) {
      for (const m of minutes) {
        if (h * 3600 + m * 60 + 59 < start) continue;
        const s = seconds.find((n) => h * 3600 + m * 60 + n >= start);
        if (s !== undefined) return h * 3600 + m * 60 + s;
      }
    }
    return null;
  };

  const next = (wall: number): number => {
    const start = Math.ceil(wall / SECOND);
    const today = Math.floor(start / DAY_SECONDS);
    let at = today;
    while (at <= today + SEARCH_DAYS) {
      const date = new Date(at * DAY);
      if (!months.has(date.getUTCMonth())) {
        at = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1) / DAY;
        continue;
      }
      const time = onDay(at * DAY) ? timeFrom(at === today ? start - at * DAY_SECONDS : 0) : null;
      if (time !== null) return (at * DAY_SECONDS + time) * SECOND;
      at += 1;
    }
    return Number.POSITIVE_INFINITY;
  };

  return { everyHour: hours.length === 24, next };
}

/** Those of 0 … count − 1 whose time matches. */
function numbers(
  count: number,
  matches: (at: number) => boolean,
  timeOf: (n: number) => number,
): readonly number[] {
  return Array.from({ length: count }, (_, n) => n).filter((n) => matches(timeOf(n)));
}

function matcher(expression: string): (at: number) => boolean {
  const task: ScheduledTask = createTask(expression, silent, { timezone: "UTC" });
  // The matcher is all we want; destroying the task keeps node-cron's registry small.
  void task.destroy();
  const date = new Date(0);
  return (at) => {
    date.setTime(at);
    return task.match(date);
  };
}
