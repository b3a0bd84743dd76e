import type { Notice } from "../model/index.ts";

/** What a colour says of a notice: how grave it is, that all is well again, or neither. */
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
      return "neutral";
    default:
      return severity;
  }
}
