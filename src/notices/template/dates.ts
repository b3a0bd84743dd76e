import { type Liquid, Tokenizer, TokenKind } from "liquidjs";

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
export function steadyTime(text: string): string | null {
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
