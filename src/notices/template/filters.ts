import type { Liquid } from "liquidjs";
import {
  absolute,
  add,
  compare,
  Decimal,
  decimalFromInteger,
  divide,
  multiply,
  pow10,
  round,
  subtract,
} from "../../base/decimal.ts";
import { group } from "../../base/numerals.ts";
import { formatTime } from "../../base/times.ts";
import { steadyTime } from "./dates.ts";
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
