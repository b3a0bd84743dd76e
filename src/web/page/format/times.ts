import { DAY, formatDuration, HOUR, MINUTE } from "../../../base/duration.ts";

/**
 * Times as the page writes them without a script: UTC. With one, client/times.ts writes the same forms in
 * the viewer's zone.
 */

const DAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** `21:29`; of another day `Thu 05:12`, and from six days on `22 Nov`. Epoch milliseconds. */
export function clockText(at: number, now: number): string {
  const then = new Date(at);
  const clock = `${two(then.getUTCHours())}:${two(then.getUTCMinutes())}`;
  if (Math.floor(at / DAY) === Math.floor(now / DAY)) return clock;
  const away = Math.abs(now - at);
  // A night ago is no other day to who was awake.
  if (away < 12 * HOUR) return clock;
  if (away < 6 * DAY) return `${DAYS[then.getUTCDay()] ?? ""} ${clock}`;
  return dayText(at);
}

/** `12 s`, `32 min`, `1 h 3 m`, `6 d 4 h`: seconds count in the first minute only. */
export function spanText(ms: number): string {
  return formatDuration(ms >= MINUTE && ms < HOUR ? Math.floor(ms / MINUTE) * MINUTE : ms);
}

/** `22 Nov`. */
export function dayText(at: number): string {
  const then = new Date(at);
  return `${then.getUTCDate()} ${MONTHS[then.getUTCMonth()] ?? ""}`;
}

/** `2026-11-28 21:29:00 UTC`, for who points at a time. */
export function exactText(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19).replace("T", " ")} UTC`;
}

function two(count: number): string {
  return String(count).padStart(2, "0");
}
