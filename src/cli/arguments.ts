import { InvalidArgumentError } from "commander";
import { parseIsoTime } from "../api/fields.ts";
import { round } from "../base/decimal.ts";
import { DAY, HOUR, MINUTE, parseDuration, SECOND } from "../base/duration.ts";

/** How the values of options are read; each throws InvalidArgumentError. */

/** Milliseconds above zero. */
export function durationArgument(text: string): number {
  const ms = parseDuration(text);
  if (ms === null || ms === 0) throw new InvalidArgumentError("It is a duration like 30s or 2m.");
  return ms;
}

/** How many times as fast as real time a clock runs: 1 to 3600. */
export function speedArgument(text: string): number {
  const times = Number(text);
  if (!(times >= 1 && times <= 3_600)) {
    throw new InvalidArgumentError("It is a number from 1 to 3600.");
  }
  return times;
}

/** A whole number from 0. */
export function wholeArgument(text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < 0 || text.trim() === "") {
    throw new InvalidArgumentError("It is a whole number.");
  }
  return number;
}

/** A whole number from 1 to 999999. */
export function limitArgument(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It is a whole number from 1.");
}

/** Adds a whole number from 0 to those before it. */
export function wholeArguments(text: string, before: readonly number[] = []): readonly number[] {
  return [...before, wholeArgument(text)];
}

/** A TCP port; 0 stands for a free one. */
export function portArgument(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= 65_535) return port;
  throw new InvalidArgumentError("It is a port from 0 to 65535; 0 takes a free one.");
}

/** Epoch milliseconds of a time like `2026-11-28T14:00Z`; without an offset it is UTC. */
export function timeArgument(text: string): number {
  const seconds = parseIsoTime(text.trim());
  if (seconds !== null) return Number(round(seconds, 0).digits) * 1_000;
  throw new InvalidArgumentError(
    "It is a time like 2026-11-28T14:00Z, or 2026-11-28 14:00 in UTC.",
  );
}

/** A time that a person names: once it is known what time it is, epoch milliseconds. */
export type Moment = (now: number) => number;

const CLOCK = /^([01]?\d|2[0-3]):([0-5]\d)(?::([0-5]\d))?$/;

/**
 * Reads `03:10` (the last time that it was so late, in UTC), `2h` (so long ago), `now`, or a time like
 * `2026-11-28T14:00Z`. Throws InvalidArgumentError.
 */
export function momentArgument(text: string): Moment {
  const said = text.trim();
  if (said === "now") return (now) => now;
  const clock = CLOCK.exec(said);
  if (clock !== null) {
    const [, hours, minutes, seconds = 0] = clock;
    const since = Number(hours) * HOUR + Number(minutes) * MINUTE + Number(seconds) * SECOND;
    return (now) => {
      const today = Math.floor(now / DAY) * DAY + since;
      return today <= now ? today : today - DAY;
    };
  }
  const ago = parseDuration(said);
  if (ago !== null) return (now) => now - ago;
  try {
    const at = timeArgument(said);
    return () => at;
  } catch {
    throw new InvalidArgumentError(
      "It is a time like 03:10 (UTC), 2h for two hours ago, or 2026-11-28T14:00Z.",
    );
  }
}

export type LabelPair = readonly [name: string, value: string];

/** Adds one `name=value` to those before it. */
export function labelArgument(
  text: string,
  before: readonly LabelPair[] = [],
): readonly LabelPair[] {
  const at = text.indexOf("=");
  if (at > 0 && at < text.length - 1) return [...before, [text.slice(0, at), text.slice(at + 1)]];
  throw new InvalidArgumentError("It is written name=value.");
}

/** Adds one text to those before it. */
export function moreArgument(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}
