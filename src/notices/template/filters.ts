import { type Liquid, Tokenizer, TokenKind } from "liquidjs";
import { formatTime } from "../../base/clock.ts";
import {
  absolute,
  add,
  compare,
  Decimal,
  decimalFromInteger,
  divide,
  group,
  multiply,
  pow10,
  round,
  subtract,
} from "../../base/decimal.ts";
import { ExactNumber, toExact } from "./exact.ts";

/** Digits after the point of a quotient: a raw unit of 18 decimals is not lost. */
const QUOTIENT_SCALE = 18;
/** Products of products grow: the longest numbers of a chain have 78 digits. */
const MOST_BITS = 4_096;
/** Beyond this many digits after the point nothing is asked of a rounding. */
const MOST_PLACES = 40;

type Operation = (a: Decimal, b: Decimal) => Decimal;

/** Arithmetic that keeps every digit, in place of the library's, which goes through doubles. */
export function registerExactFilters(liquid: Liquid): void {
  const two: Readonly<Record<string, Operation>> = {
    plus: add,
    minus: subtract,
    times: multiply,
    divided_by: quotient,
    modulo: remainder,
    at_least: (a, b) => (compare(a, b) >= 0 ? a : b),
    at_most: (a, b) => (compare(a, b) <= 0 ? a : b),
  };
  for (const [name, operation] of Object.entries(two)) {
    liquid.registerFilter(name, (value: unknown, other: unknown) =>
      bounded(operation(numberOf(value, name), numberOf(other, name))),
    );
  }
  liquid.registerFilter(
    "abs",
    (value: unknown) => new ExactNumber(absolute(numberOf(value, "abs"))),
  );
  liquid.registerFilter("ceil", (value: unknown) => new ExactNumber(ceil(numberOf(value, "ceil"))));
  liquid.registerFilter(
    "floor",
    (value: unknown) => new ExactNumber(floor(numberOf(value, "floor"))),
  );
  liquid.registerFilter(
    "round",
    (value: unknown, places: unknown = 0) =>
      new ExactNumber(round(numberOf(value, "round"), placesOf(places))),
  );
  liquid.registerFilter("time", timeText);
  liquid.registerFilter("group", (value: unknown) => group(numberOf(value, "group").toString()));
}

/** A time of the notice as notices write it, so that each channel shows it in its own zone. */
function timeText(value: unknown): string {
  if (value === undefined || value === null || value === "") return "";
  const at = typeof value === "string" ? Date.parse(steadyTime(value) ?? "") : Number.NaN;
  if (Number.isNaN(at)) throw new Error("time needs a time of the notice, such as at or since");
  return formatTime(at);
}

function bounded(number: Decimal): ExactNumber {
  const { digits, scale } = number;
  if (BigInt.asIntN(MOST_BITS, digits) !== digits || scale > MOST_BITS) {
    throw new Error("the number has too many digits");
  }
  return new ExactNumber(number);
}

/** Throws Error, which is told with the place in the template. */
function numberOf(value: unknown, filter: string): Decimal {
  const number = toExact(value);
  if (number === null) throw new Error(`${filter} needs a number`);
  return number;
}

function placesOf(value: unknown): number {
  const places = Number(value);
  return Number.isInteger(places) ? Math.min(MOST_PLACES, Math.max(0, places)) : 0;
}

function quotient(a: Decimal, b: Decimal): Decimal {
  if (b.digits === 0n) throw new Error("divided_by zero");
  return divide(a, b, QUOTIENT_SCALE);
}

/** What is left of `a` when whole `b`s are taken away towards zero. */
function remainder(a: Decimal, b: Decimal): Decimal {
  if (b.digits === 0n) throw new Error("modulo zero");
  const scale = Math.max(a.scale, b.scale);
  const digits = a.digits * pow10(scale - a.scale);
  return new Decimal(digits % (b.digits * pow10(scale - b.scale)), scale);
}

function floor(a: Decimal): Decimal {
  const unit = pow10(a.scale);
  const whole = a.digits / unit;
  return decimalFromInteger(a.digits < 0n && whole * unit !== a.digits ? whole - 1n : whole);
}

function ceil(a: Decimal): Decimal {
  const unit = pow10(a.scale);
  const whole = a.digits / unit;
  return decimalFromInteger(a.digits > 0n && whole * unit !== a.digits ? whole + 1n : whole);
}

/**
 * Filters that write times. The same facts make the same text, so none of them reads the clock, the time
 * zone of the machine or its language.
 */

const DATE_FILTERS = [
  "date",
  "date_to_xmlschema",
  "date_to_rfc822",
  "date_to_string",
  "date_to_long_string",
] as const;

export const CLOCK_FAULT = "date takes a time of the notice, such as at, and never reads the clock";

/** A filter was given what the clock says. */
export class ClockError extends Error {
  override readonly name = "ClockError";
}

/** Dates with a time and no zone: JavaScript would take them for local ones. */
const ZONELESS = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?$/;
/** What has no such form means something else on every machine. */
const KNOWN =
  /^(?:\d+|\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z| ?[+-]\d\d:?\d\d))?)$/;

/** A text of a time, in a form that means one moment everywhere; null: it is none. */
function steadyTime(text: string): string | null {
  if (ZONELESS.test(text)) return `${text.replace(" ", "T")}Z`;
  return KNOWN.test(text) ? text : null;
}

export function registerDateFilters(liquid: Liquid): void {
  for (const name of DATE_FILTERS) {
    const filter = liquid.filters[name];
    if (typeof filter !== "function") continue;
    liquid.registerFilter(name, function (value: unknown, ...rest: unknown[]): unknown {
      if (value === "now" || value === "today") throw new ClockError(CLOCK_FAULT);
      const time = typeof value === "string" ? steadyTime(value) : value;
      // As the library does with what is no date.
      if (time === null) return value;
      const written: unknown = filter.call(this, time, ...rest);
      return written;
    });
  }
}

/** The places, from 0, at which a text has `now` or `today` that goes to a filter of dates, or may. */
export function clockReadings(text: string): number[] {
  const tags = new Tokenizer(text)
    .readTopLevelTokens()
    .filter(({ kind }) => kind === TokenKind.Output || kind === TokenKind.Tag)
    .map(({ begin, end }) => ({ begin, source: text.slice(begin, end) }));
  if (!tags.some(({ source }) => DATES.test(source))) return [];
  return tags.flatMap(({ begin, source }) =>
    [...source.matchAll(NOW)]
      .filter(({ index }) => isAssigned(source, index) || DATES.test(source.slice(index)))
      .map(({ index }) => begin + index),
  );
}

const NOW = /(["'])(?:now|today)\1/g;
const DATES = new RegExp(`\\|\\s*(?:${DATE_FILTERS.join("|")})\\b`);

function isAssigned(source: string, index: number): boolean {
  return /\bassign\s+[\w-]+\s*=[^\n]*$/.test(source.slice(0, index));
}
