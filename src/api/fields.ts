import {
  type Decimal,
  decimalFromInteger,
  decimalFromNumber,
  parseDecimal,
  pow10,
} from "../base/decimal.ts";
import { cleanText } from "../base/text.ts";
import { MAX_TICK } from "../base/ticks.ts";
import type { Quantity, RawRecord, Value } from "../model/index.ts";
import { ADDRESS, type FieldSpec } from "./endpoint.ts";

/**
 * Reads one field of a record. A number may come as a string and a string as a number, as long as
 * it is exact; absent, null, empty, malformed and impossible values are null, which is "no data":
 * nothing is read as zero because it was missing. Objects and lists have no value of their own.
 */
export function readField(record: RawRecord, name: string, spec: FieldSpec): Value | null {
  const raw = record[name];
  if (raw === undefined || raw === null || raw === "" || spec.quantity === undefined) return null;
  switch (spec.quantity) {
    case "boolean":
      return typeof raw === "boolean" ? raw : null;
    case "text":
      return typeof raw === "string" ? cleanText(raw, 128) || null : null;
    case "address":
      return typeof raw === "string" && ADDRESS.test(raw) ? raw.toLowerCase() : null;
    default:
      if (spec.iso) return typeof raw === "string" ? parseIsoTime(raw) : null;
      return readNumber(raw, spec.quantity, spec.signed);
  }
}

/**
 * The exact number in `raw`, or null where it is none or cannot be of such a quantity. `signed`
 * numbers may be below zero, and text may say `+` for above.
 */
export function readNumber(raw: unknown, quantity: Quantity, signed = false): Decimal | null {
  if (quantity === "tick") {
    const tick = readTick(raw);
    return tick === null ? null : decimalFromInteger(tick);
  }
  let value: Decimal | null = null;
  if (typeof raw === "number") value = decimalFromNumber(raw);
  else if (typeof raw === "string") value = parseDecimal(raw);
  if (value === null) return null;
  if (value.digits < 0n && !signed && !MAY_BE_NEGATIVE.has(quantity)) return null;
  if (RAW.has(quantity) && value.digits % pow10(value.scale) !== 0n) return null;
  return value;
}

/** A tick is a whole number that a pool can have, ±887272 at most; null for anything else. */
export function readTick(raw: unknown): number | null {
  const value = typeof raw === "string" ? Number(parseDecimal(raw)?.toString()) : raw;
  if (typeof value !== "number" || !Number.isInteger(value)) return null;
  return Math.abs(value) <= MAX_TICK ? value : null;
}

/** A negative reserve, value, supply or count is an indexer's fault and no data. */
const MAY_BE_NEGATIVE: ReadonlySet<Quantity> = new Set<Quantity>(["percent"]);

/** Nothing is smaller than a raw unit: a fraction of one is an amount in some other unit. */
const RAW: ReadonlySet<Quantity> = new Set<Quantity>(["raw", "raw(token0)", "raw(token1)"]);

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
