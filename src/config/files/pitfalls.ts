import { isMap, isScalar, type Pair } from "yaml";
import type { ProblemCode } from "../../base/problem-codes.ts";
import type { Hint } from "../../base/settings.ts";
import { suggestNumbers } from "../../rules/suggest/quantity.ts";

type ReportAt = (code: ProblemCode, offset: number, message: string, hint?: Hint) => void;

/** Below these keys stands text that people write, where a `#` is a part of it. */
export const TEXT_KEYS: ReadonlySet<string> = new Set([
  "name",
  "title",
  "note",
  "notify",
  "labels",
  "only_while",
  "unless",
  "rule",
]);

/**
 * `name: ETH/USDC #43`: reports a comment without a space that cuts a value off at `end`, and warns of one that is
 * nothing but a number after a single space, as in `Pool # 43`. People put two spaces, or words, in comments.
 */
export function commentPitfall(
  text: string,
  end: number,
  start: number,
  reports: { readonly report: ReportAt; readonly warn: ReportAt },
): void {
  const after = text.slice(end, end + 200);
  const numbered = /^ (#[ \t]*\d[\d.,_]*)[ \t]*(?=[\n\r]|$)/.exec(after)?.[1];
  const rest = /^[ \t]+(#[^\s#][^\n\r]*)/.exec(after)?.[1] ?? numbered;
  if (rest === undefined) return;
  const report = rest.startsWith("# ") ? reports.warn : reports.report;
  const whole = `${text.slice(start, end)} ${rest.trim()}`;
  report(
    "comment-cuts-value",
    end + text.slice(end).indexOf("#"),
    "the text ends before the #, which begins a comment",
    {
      expected: "quotes around the value, or a space after the # of a comment",
      suggestion: JSON.stringify(whole.slice(0, 120)),
    },
  );
}

/**
 * `notify: #lp`: reports a comment where the value should be. `end` is where the key ends, the
 * result where the comment begins; null if there is none.
 */
export function emptyPitfall(text: string, end: number, report: ReportAt): number | null {
  const match = /^:?[ \t]*(#[^\s#][^\n\r]*)/.exec(text.slice(end, end + 200));
  const comment = match?.[1];
  if (match === null || comment === undefined) return null;
  const place = end + match[0].length - comment.length;
  report("comment-cuts-value", place, "the # begins a comment, so there is no value", {
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

/** Keys below which several values are a list. */
const LIST_KEYS: ReadonlySet<string> = new Set([
  "chain",
  "positions",
  "pools",
  "token",
  "wallet",
  "notify",
  "only_while",
  "unless",
]);

/** Values that go on with commas up to the next item of the map, or its end. */
const LISTED = /^[^\s,{}[\]#:]+(?:\s*,\s*[^\s,{}[\]#:]+)+(?=\s*[,}])(?!\s*:)/;
/** A number that goes on after its comma without a space, up to the next item of the map. */
const PARTED = /^[-+$]{0,2}\d[\d._]*,\d(?:[^\s,{}[\]#]|,\d| +(?![#{}[\],]))*/;

/**
 * `{metric: a, below: 0,995}` and `{metric: a, below: 1,000,000 usd}`: the commas make `995` and `000` keys
 * of their own. If `pair` is such a piece it is reported at the number, and the result is what the value
 * before was meant to be, so that nothing that follows from it is reported as well; else null.
 */
export function commaPitfall(
  before: Pair | null,
  pair: Pair,
  text: string,
  startOf: (node: unknown) => number | null,
  report: ReportAt,
): string | null {
  const empty = pair.value === null || (isScalar(pair.value) && pair.value.value === null);
  const start = startOf(before?.value);
  const piece = startOf(pair.key);
  if (!empty || before === null || start === null || piece === null) return null;
  if (isScalar(before.key) && LIST_KEYS.has(String(before.key.value))) {
    return listTrap(start, piece, text, report);
  }
  const number = PARTED.exec(text.slice(start, start + 200))?.[0].trimEnd() ?? "";
  if (piece <= start || piece >= start + number.length) return null;
  const readings = suggestNumbers(number);
  report("number-format", start, "the commas within { } split the number", {
    expected: "a point before decimals, and _ between groups of digits, as in 1_000_000.5",
    ...(readings.length === 0 ? {} : { suggestion: readings.join(" or ") }),
  });
  return readings[0] ?? number;
}

/** `{kind: gas, chain: 1, 137}`: the comma makes a key of the second value. */
function listTrap(start: number, piece: number, text: string, report: ReportAt): string | null {
  const values = LISTED.exec(text.slice(start, start + 1_000))?.[0] ?? "";
  if (piece >= start + values.length) return null;
  const suggestion = `[${values.split(/\s*,\s*/).join(", ")}]`;
  report("missing-brackets", start, "several values need [ ] around them", {
    expected: "a list",
    suggestion,
  });
  return values;
}
