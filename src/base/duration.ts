export const SECOND = 1_000;
export const MINUTE = 60_000;
export const HOUR = 3_600_000;
export const DAY = 86_400_000;

/** Ten years: longer is a slip of the keyboard, not a plan. */
const LONGEST_MS = 3_650 * DAY;

const DURATION =
  /^(?:(\d{1,9}) ?w ?)?(?:(\d{1,9}) ?d ?)?(?:(\d{1,9}) ?h ?)?(?:(\d{1,9}) ?m ?)?(?:(\d{1,9}) ?s)?$/;
const UNITS_MS = [7 * DAY, DAY, HOUR, MINUTE, SECOND];

/**
 * `15s`, `5m`, `1h30m`, `7d`, `2w` in milliseconds, each unit at most once and the larger first;
 * null if the text is no such duration or longer than ten years.
 */
export function parseDuration(text: string): number | null {
  const match = DURATION.exec(text.trim());
  const counts = match?.slice(1) ?? [];
  if (counts.every((count) => count === undefined)) return null;
  const total = UNITS_MS.reduce((sum, unit, i) => sum + Number(counts[i] ?? 0) * unit, 0);
  return total <= LONGEST_MS ? total : null;
}

/** Milliseconds, rounded up to whole seconds, in the form that a user can write: `90s`, `5m`, `6h`. */
export function writtenDuration(ms: number): string {
  const whole = Math.ceil(ms / 1_000);
  if (whole % 3_600 === 0) return `${whole / 3_600}h`;
  return whole % 60 === 0 ? `${whole / 60}m` : `${whole}s`;
}

/**
 * The two largest units for people: `3 h 12 m`, `45 s`, `6 d`. Whole seconds, rounded down; what is below zero, since a
 * clock was set back, is `0 s`.
 */
export function formatDuration(ms: number): string {
  const units: [string, number][] = [
    ["d", DAY],
    ["h", HOUR],
    ["min", MINUTE],
    ["s", SECOND],
  ];
  let left = Math.max(0, ms);
  const parts: string[] = [];
  for (const [unit, size] of units) {
    const count = Math.floor(left / size);
    if (count > 0) {
      parts.push(`${count} ${unit}`);
      left -= count * size;
      if (parts.length === 2) break;
    } else if (parts.length > 0) break;
  }
  if (parts.length === 0) return "0 s";
  return parts.join(" ").replace(/ min$/, parts.length === 2 ? " m" : " min");
}

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
export function suggestDuration(text: string): string | null {
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
