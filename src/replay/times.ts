import { parseDuration } from "../base/duration.ts";

const ABSOLUTE = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?Z?)?$/;

/** An offset such as `12m` or `1h30m` in milliseconds, also `0`; null for anything else. */
export function parseOffset(text: string): number | null {
  return text === "0" ? 0 : parseDuration(text);
}

/** `2026-11-28T12:05:00Z`, `2026-11-28 12:05` or a day, in UTC, in epoch milliseconds; else null. */
export function parseDate(text: string): number | null {
  if (!ABSOLUTE.test(text)) return null;
  const iso = text.replace(" ", "T").replace(/Z$/, "");
  const at = Date.parse(iso.includes("T") ? `${iso}Z` : `${iso}T00:00Z`);
  // Date.parse may carry 30 February over into March.
  return Number.isNaN(at) || !new Date(at).toISOString().startsWith(iso) ? null : at;
}

/** An offset as it is written in a case: `12m`, `1h30m`, `-5m`. */
export function offsetText(ms: number): string {
  const sign = ms < 0 ? "-" : "";
  const whole = Math.floor(Math.abs(ms) / 1_000);
  const parts: string[] = [];
  let left = whole;
  for (const [unit, seconds] of UNITS) {
    const count = Math.floor(left / seconds);
    if (count > 0) parts.push(`${count}${unit}`);
    left -= count * seconds;
  }
  return parts.length === 0 ? "0m" : sign + parts.join("");
}

const UNITS = [
  ["d", 86_400],
  ["h", 3_600],
  ["m", 60],
  ["s", 1],
] as const;
