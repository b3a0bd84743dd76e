/** A number of seconds, whole or not, with or without the unit that some servers add. */
const SECONDS = /^\+?(\d+(?:\.\d*)?|\.\d+)\s*(?:s|secs?|seconds?)?$/i;
/** A date that HTTP knows begins with the name of a day: `Sun, 06 Nov`, `Sunday, 06-Nov`, `Sun Nov 6`. */
const HTTP_DATE = /^[a-z]{3,9},? /i;
const ISO_DATE = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/;
const NAMES_ZONE = /(?:GMT|UTC|Z|[+-]\d\d:?\d\d)$/i;
/** Where one value of a list ends and the next one begins: a date has a comma of its own. */
const BETWEEN = /,(?![^,]*\b\d\d:\d\d)|(?<=\d\d:\d\d:\d\d[^,]*),/;

/**
 * What a Retry-After header asks for, in milliseconds from `now` (epoch milliseconds), never negative
 * and perhaps very long: who waits sets the bound. Seconds of any length and all three forms of a date
 * are understood; of a header that came several times the longest wait counts. Null where it is absent
 * or neither. Source: RFC 9110, 10.2.3.
 */
export function parseRetryAfter(
  header: string | readonly string[] | null | undefined,
  now: number,
): number | null {
  const texts = typeof header === "string" ? [header] : (header ?? []);
  let longest: number | null = null;
  for (const text of texts.flatMap((one) => one.split(BETWEEN))) {
    const wait = parseOne(text.trim(), now);
    if (wait !== null) longest = Math.max(longest ?? 0, wait);
  }
  return longest;
}

function parseOne(text: string, now: number): number | null {
  const [, seconds] = SECONDS.exec(text) ?? [];
  if (seconds !== undefined) return Math.min(Number(seconds) * 1_000, Number.MAX_SAFE_INTEGER);
  if (!HTTP_DATE.test(text) && !ISO_DATE.test(text)) return null;
  // The oldest form of a date does not name its zone, which is always GMT.
  const zone = NAMES_ZONE.test(text) ? "" : ISO_DATE.test(text) ? "Z" : " GMT";
  const date = Date.parse(text + zone);
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}
