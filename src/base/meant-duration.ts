import { DAY, HOUR, MINUTE, parseDuration, SECOND } from "./duration.ts";

const UNITS: readonly [words: RegExp, unit: string, ms: number][] = [
  [/^(?:w|wks?|weeks?)$/, "w", 7 * DAY],
  [/^(?:d|days?)$/, "d", DAY],
  [/^(?:h|hrs?|hours?)$/, "h", HOUR],
  [/^(?:m|mins?|minutes?)$/, "m", MINUTE],
  [/^(?:s|secs?|seconds?)$/, "s", SECOND],
];

const WORDS: Readonly<Record<string, string>> = {
  minutely: "1m",
  hourly: "1h",
  daily: "1d",
  weekly: "1w",
};

/** Longer texts are no slip of the keyboard. */
const LONGEST = 60;
const PART = /(\d{1,9}(?:\.\d{1,3})?)\s*([a-z]+)(?:\s*(?:,|and)?\s*|$)/gy;

/**
 * The duration that a text such as `5 minutes`, `1 hour`, `1.5h`, `-5m`, `30m1h`, `PT5M` or `hourly` was
 * meant to be, in the form that `parseDuration` reads; null if it is none or has a part of a second.
 */
export function meantDuration(text: string): string | null {
  if (text.length > LONGEST) return null;
  const clean = text
    .trim()
    .toLowerCase()
    .replace(/^(?:@|every\s+|for\s+|-|p)/, "")
    .replace(/^(\d{1,9}d)?t(?=\d)/, "$1");
  const word = Object.hasOwn(WORDS, clean) ? WORDS[clean] : undefined;
  if (word !== undefined) return word;
  const counted = clean.replace(/^an?\s+/, "1 ");
  let ms = 0;
  let end = 0;
  for (const match of counted.matchAll(PART)) {
    const unit = UNITS.find(([words]) => words.test(match[2] ?? ""));
    if (unit === undefined) return null;
    ms += Math.round(Number(match[1]) * unit[2]);
    end = match.index + match[0].length;
  }
  if (end === 0 || end !== counted.length) return null;
  if (ms <= 0 || ms % SECOND !== 0) return null;
  const said = spelled(ms);
  return parseDuration(said) === null ? null : said;
}

/** In days and smaller units: a user thinks of `36h` and of `1d12h` as the same. */
function spelled(ms: number): string {
  let left = ms;
  let text = "";
  for (const [, unit, length] of UNITS.slice(1)) {
    const count = Math.floor(left / length);
    left -= count * length;
    if (count > 0) text += `${count}${unit}`;
  }
  return text;
}
