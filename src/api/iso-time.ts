import { type Decimal, parseDecimal } from "../base/decimal.ts";

const ISO =
  /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d)(?::(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?)?(Z|([+-])(\d\d)(?::?(\d\d))?)?)?$/i;

/**
 * ISO 8601 as Unix time, exact to the nanosecond: `2026-11-27T14:05:06.5+01:00`, `2026-11-27 14:05`,
 * or a day alone, which is its midnight. Without an offset it is UTC, the service's time. Null for
 * anything else, for days and times that do not exist, and before 1970, when there was no chain.
 */
export function parseIsoTime(text: string): Decimal | null {
  const match = ISO.exec(text);
  if (match === null) return null;
  const [, year, month, day, hour = "00", minute = "00", second = "00", fraction = "0"] = match;
  const [, , , , , , , , , sign = "+", hours = "00", minutes = "00"] = match;
  const local = `${year}-${month}-${day}T${hour}:${minute}:${second}`;
  const at = Date.parse(`${local}Z`);
  // Date.parse takes 31 February for 3 March and 24:00 for the next day.
  if (Number.isNaN(at) || !new Date(at).toISOString().startsWith(local)) return null;
  if (Number(hours) > 23 || Number(minutes) > 59) return null;
  const offset = Number(hours) * 3_600 + Number(minutes) * 60;
  const seconds = at / 1_000 - (sign === "-" ? -offset : offset);
  return seconds < 0 ? null : parseDecimal(`${seconds}.${fraction}`);
}
