import { cronTimes } from "./cron.ts";
import { impossibleStep, type StepTrouble, unevenSteps } from "./cron-steps.ts";
import { DAY, HOUR, MINUTE, parseDuration, SECOND, writtenDuration } from "./duration.ts";
import { isTimezone } from "./zone.ts";

/** When a rule is due: a duration that divides a minute, an hour or a day, a cron expression, or `block`. */
export interface Schedule {
  readonly text: string;
  /** Equal for schedules that are due at the same times. */
  readonly key: string;
  /** The fixed distance of two rounds in milliseconds; null for a cron expression and for `block`. */
  readonly everyMs: number | null;
  /**
   * Due at each new block of the chains that are watched. Nobody knows beforehand when that is: `next` is the
   * next second, before which no further round is.
   */
  readonly eachBlock: boolean;
  /** The first scheduled time after `after`, both in epoch milliseconds. */
  next(after: number): number;
  /** The end of three intervals after `after`: how long an observed value stays in force. */
  third(after: number): number;
}

/** What is wrong with the text of a schedule; the message is for the user who wrote it. */
export class ScheduleError extends Error {
  override readonly name = "ScheduleError";
  constructor(
    message: string,
    options?: ErrorOptions,
    /** What was expected or meant, where that is known. */
    readonly hint: Omit<StepTrouble, "message"> = {},
  ) {
    super(message, options);
  }
}

/** A rule that is due at each block is due after so long in any case: its chain may have stopped. */
export const LONGEST_BLOCK_MS = 15 * SECOND;

const BLOCK_WORD = "block";

/** As the Schedule of `block` has it. */
const EACH_BLOCK: Schedule = {
  text: BLOCK_WORD,
  key: BLOCK_WORD,
  everyMs: null,
  eachBlock: true,
  next: (after) => (Math.floor(after / SECOND) + 1) * SECOND,
  third: (after) => after + 3 * LONGEST_BLOCK_MS,
};

/**
 * Reads `15s`, `5m`, `6h`, `block` or a cron expression of 5 or 6 fields; `timezone` is for cron only.
 * Throws ScheduleError.
 */
export function parseSchedule(text: string, timezone: string): Schedule {
  const trimmed = text.trim();
  if (trimmed === BLOCK_WORD) return EACH_BLOCK;
  const every = parseDuration(trimmed);
  if (every !== null) return interval(trimmed, every);
  const fields = trimmed.split(/\s+/);
  if (fields.length !== 5 && fields.length !== 6) {
    throw new ScheduleError(
      `"${trimmed}" is neither a duration like 1m, nor block, nor a cron expression of 5 or 6 fields`,
    );
  }
  if (!isTimezone(timezone)) throw new ScheduleError(`"${timezone}" is not a known time zone`);
  return cron(trimmed, fields, timezone);
}

/**
 * The schedule that has this key. Its text is one that means the same, though not always as it was
 * written: `60s` comes back as `1m`. Null if no schedule of this version has such a key.
 */
export function scheduleFromKey(key: string): Schedule | null {
  if (key === EACH_BLOCK.key) return EACH_BLOCK;
  const [kind, first = "", ...rest] = key.split(" ");
  // What is written for people has no seconds where they are none.
  const fields = rest.length === 6 && rest[0] === "0" ? rest.slice(1) : rest;
  const text = kind === "every" ? writtenDuration(Number(first)) : fields.join(" ");
  try {
    const schedule = parseSchedule(text, kind === "every" ? "UTC" : first);
    return schedule.key === key ? schedule : null;
  } catch (error) {
    if (error instanceof ScheduleError) return null;
    throw error;
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
    key: `every ${every}`,
    everyMs: every,
    eachBlock: false,
    next: (after) => (Math.floor(after / every) + 1) * every,
    third: (after) => after + 3 * every,
  };
}

/** Whether it is a cron expression, whose times are those of a zone. */
export function isCron({ everyMs, eachBlock }: Schedule): boolean {
  return everyMs === null && !eachBlock;
}

/** Steps of a cron expression that are less even than they read; none of any other schedule. */
export function unevenSchedule(schedule: Schedule): readonly StepTrouble[] {
  return isCron(schedule) ? unevenSteps(schedule.text.split(/\s+/)) : [];
}

function cron(text: string, fields: readonly string[], timezone: string): Schedule {
  const trouble = impossibleStep(fields);
  if (trouble !== null) {
    const { message, ...hint } = trouble;
    throw new ScheduleError(`"${text}" does not do what it says: ${message}`, {}, hint);
  }
  const expression = (fields.length === 6 ? fields : ["0", ...fields]).join(" ");
  let times: (after: number) => number;
  try {
    times = cronTimes(expression, timezone);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ScheduleError(`"${text}" is not a cron expression: ${reason}`, { cause });
  }
  const next = remembered(times);
  if (next(0) === Number.POSITIVE_INFINITY) {
    throw new ScheduleError(`"${text}" never comes: no such day in any year`);
  }
  const third = remembered((after) => next(next(next(after))));
  return {
    text,
    key: `cron ${timezone} ${expression}`,
    everyMs: null,
    eachBlock: false,
    next,
    third,
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
