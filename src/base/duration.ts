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

/** The two largest units for people: `3 h 12 m`, `45 s`, `6 d`. Whole seconds, rounded down. */
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
