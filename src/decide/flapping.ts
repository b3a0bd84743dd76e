import { DAY } from "../base/duration.ts";
import type { FlappingLimits, Flaps } from "../model/index.ts";

/** It has settled when at most so many happened in twice the time. */
const SETTLED = 2;

const NONE: Flaps = { dates: [], on: null };

/** With one more; only as many are kept as can matter. */
export function withFlap(flaps: Flaps | null, date: number, { moreThan }: FlappingLimits): Flaps {
  const { dates, on } = flaps ?? NONE;
  return {
    dates: [...dates, date].slice(-Math.max(moreThan + 1, SETTLED + 1)),
    on: turned(on, date),
  };
}

/** It went to the other side at `date`. */
export function withTurn(flaps: Flaps | null, date: number): Flaps | null {
  return flaps === null || flaps.on === null ? flaps : { ...flaps, on: turned(flaps.on, date) };
}

function turned(on: Flaps["on"], date: number): Flaps["on"] {
  return on === null ? null : { ...on, side: date };
}

/** Whether it happened more often than it may in (date − within, date]. */
export function isFlapping(flaps: Flaps | null, date: number, limits: FlappingLimits): boolean {
  return flaps !== null && countIn(flaps, date, limits.withinMs) > limits.moreThan;
}

/** People are told at `date` that it flaps; it has been as it is since it happened last. */
export function flapTold(flaps: Flaps | null, date: number): Flaps {
  const { dates, on } = flaps ?? NONE;
  if (on !== null) return { dates, on: { ...on, told: date } };
  return { dates, on: { since: date, told: date, side: dates.at(-1) ?? date } };
}

/** While it flaps that is said again every day. */
export function isRepeatDue({ on }: Flaps, date: number): boolean {
  return on !== null && date - on.told >= DAY;
}

/** On one side for the whole time, or hardly anything in twice the time. */
export function hasSettled(flaps: Flaps, date: number, { withinMs }: FlappingLimits): boolean {
  if (flaps.on === null) return true;
  return date - flaps.on.side >= withinMs || countIn(flaps, date, 2 * withinMs) <= SETTLED;
}

/** What is left to remember; null: all of it is too old to matter. */
export function withoutStale(
  flaps: Flaps | null,
  date: number,
  limits: FlappingLimits,
): Flaps | null {
  if (flaps === null || flaps.on !== null) return flaps;
  const newest = flaps.dates.at(-1);
  return newest === undefined || newest <= date - 2 * limits.withinMs ? null : flaps;
}

function countIn({ dates }: Flaps, date: number, ms: number): number {
  return dates.filter((one) => one > date - ms).length;
}
