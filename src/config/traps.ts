import { isMap, isScalar, type Pair } from "yaml";
import type { Hint } from "../base/settings.ts";

type ReportAt = (offset: number, message: string, hint?: Hint) => void;

/** Below these keys stands text that people write, where a `#` is a part of it. */
export const TEXT_KEYS: ReadonlySet<string> = new Set([
  "name",
  "title",
  "note",
  "notify",
  "labels",
]);

/** `name: ETH/USDC #43`: reports a comment without a space that cuts a value off at `end`. */
export function commentTrap(text: string, end: number, start: number, report: ReportAt): void {
  const rest = /^[ \t]+(#[^\s#][^\n\r]*)/.exec(text.slice(end, end + 200))?.[1];
  if (rest === undefined) return;
  const whole = `${text.slice(start, end)} ${rest.trim()}`;
  report(end + text.slice(end).indexOf("#"), "the # begins a comment and cuts the value off", {
    expected: "quotes around the value, or a space after the # of a comment",
    suggestion: JSON.stringify(whole.slice(0, 120)),
  });
}

/**
 * `notify: #lp`: reports a comment where the value should be. `end` is where the key ends, the
 * result where the comment begins; null if there is none.
 */
export function emptyTrap(text: string, end: number, report: ReportAt): number | null {
  const match = /^:?[ \t]*(#[^\s#][^\n\r]*)/.exec(text.slice(end, end + 200));
  const comment = match?.[1];
  if (match === null || comment === undefined) return null;
  const place = end + match[0].length - comment.length;
  report(place, "the # begins a comment, so there is no value", {
    expected: "quotes around a value that begins with #",
    suggestion: JSON.stringify(comment.trim().slice(0, 120)),
  });
  return place;
}

/** `title: {{ x }}` is a map with a map as its key. */
export function isTemplateMap(node: unknown, text: string): boolean {
  if (!isMap(node) || node.flow !== true || node.range === undefined || node.range === null) {
    return false;
  }
  return /^\{\s*\{/.test(text.slice(node.range[0], node.range[0] + 40));
}

/**
 * `{metric: a, below: 1,000,000 usd}`: the commas make `000` a key of its own. Reports it at the
 * number and says whether `pair` is such a piece.
 */
export function commaTrap(
  before: Pair | null,
  pair: Pair,
  startOf: (node: unknown) => number | null,
  report: ReportAt,
): boolean {
  const piece = isScalar(pair.key) ? (pair.key.source ?? "") : "";
  const empty = pair.value === null || (isScalar(pair.value) && pair.value.value === null);
  if (!empty || !/^\d{3}\b/.test(piece)) return false;
  const number = before !== null && isScalar(before.value) ? (before.value.source ?? "") : "";
  if (!/^[-+$]{0,2}\d{1,3}$/.test(number)) return false;
  report(
    startOf(before?.value) ?? startOf(pair.key) ?? 0,
    "the commas within { } part the number",
    {
      expected: "_ between groups of digits, as in 1_000_000",
    },
  );
  return true;
}
