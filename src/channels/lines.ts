import { cleanText, cutText } from "../base/text.ts";
import type { Notice } from "../model/index.ts";

const LONGEST_LINE = 1_000;

/** One line of plain text, clean, with the spaces at its beginning and between its columns kept. */
export function safeLine(line: string): string {
  const clean = line
    .split(/( {2,})/)
    .map((part) => (/^ *$/.test(part) ? part : cleanText(part, LONGEST_LINE)))
    .join("");
  return cutText(clean, LONGEST_LINE);
}

/** A web address in its normal form; null for anything else, such as `javascript:…`. */
export function webAddress(text: string): string | null {
  if (!URL.canParse(text)) return null;
  const { href, protocol } = new URL(text);
  return protocol === "https:" || protocol === "http:" ? href : null;
}

/**
 * Cuts between characters so that at most `limit` UTF-16 units are left, the last one being `…`:
 * a receiver that counts characters otherwise counts fewer.
 */
export function cutUnits(text: string, limit: number): string {
  if (text.length <= limit) return text;
  let result = "";
  for (const character of text) {
    if (result.length + character.length > limit - 1) break;
    result += character;
  }
  return `${result.trimEnd()}…`;
}

const LAST_MS = 8_640_000_000_000_000;

/** RFC 3339 in UTC with milliseconds; `ms` since the Unix epoch. */
export function isoTime(ms: number): string {
  return new Date(Math.min(Math.max(ms, -LAST_MS), LAST_MS)).toISOString();
}

/** The meaning of a notice's colour: its severity, resolved, or neither. */
export type Tone = Notice["severity"] | "good" | "neutral";

/** The colours of a notice, for receivers that have any. */
export const TONES: Readonly<Record<Tone, string>> = {
  critical: "#d93025",
  warning: "#e8830c",
  info: "#3b7ddd",
  good: "#1e8e3e",
  neutral: "#767b84",
};

/** Good is what is well again: that something is over for another reason is not. */
export function toneOf({ kind, severity, ending }: Notice): Tone {
  switch (kind) {
    case "resolved":
      return ending === undefined ? "good" : "neutral";
    case "source_up":
      return "good";
    case "no_data":
    case "data_back":
    case "source_down":
    case "rule_removed":
    case "baseline":
    case "report":
      return "neutral";
    default:
      return severity;
  }
}
