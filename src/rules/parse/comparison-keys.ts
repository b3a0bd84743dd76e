import { alternatives } from "../../base/settings.ts";
import { type Synonyms, suggest } from "../../base/suggest.ts";
import { cleanText } from "../../base/text.ts";
import type { Metric } from "../../kinds/kind.ts";
import { errorAtKey, type Path, type Report } from "../finding.ts";

const LIMIT_OPS = ["above", "below", "at_least", "at_most", "equals", "not_equals"] as const;
export const RANGE_OPS = ["inside", "outside"] as const;
export const CHANGE_OPS = ["rises", "falls", "moves"] as const;
const EVENT_OPS = ["crosses", "changes"] as const;
const LASTING_OPS = ["unchanged", "no_update_for"] as const;
/** What a comparison may compare by, in the order in which messages name them. */
export const OPS = [...LIMIT_OPS, ...RANGE_OPS, ...CHANGE_OPS, ...EVENT_OPS, ...LASTING_OPS];
export type Op = (typeof OPS)[number];
const KEYS = [...OPS, "metric", "within", "since", "all", "any", "not"];

/** What people write for a comparison, and its name here. */
const SYNONYMS: Synonyms = {
  ">": "above",
  gt: "above",
  greater: "above",
  greater_than: "above",
  more_than: "above",
  exceeds: "above",
  higher_than: "above",
  "<": "below",
  lt: "below",
  less: "below",
  less_than: "below",
  lower_than: "below",
  under: "below",
  ">=": "at_least",
  "=>": "at_least",
  gte: "at_least",
  ge: "at_least",
  min: "at_least",
  "<=": "at_most",
  "=<": "at_most",
  lte: "at_most",
  le: "at_most",
  max: "at_most",
  "=": "equals",
  "==": "equals",
  "===": "equals",
  is: "equals",
  eq: "equals",
  equal: "equals",
  equal_to: "equals",
  "!=": "not_equals",
  "<>": "not_equals",
  "!==": "not_equals",
  ne: "not_equals",
  neq: "not_equals",
  is_not: "not_equals",
  not_equal: "not_equals",
  between: "inside",
  in_range: "inside",
  range: "inside",
  not_between: "outside",
  out_of_range: "outside",
  drop: "falls",
  drops: "falls",
  drops_by: "falls",
  falls_by: "falls",
  decrease: "falls",
  decreases: "falls",
  decreases_by: "falls",
  increase: "rises",
  increases: "rises",
  increases_by: "rises",
  rises_by: "rises",
  grows: "rises",
  jumps: "rises",
  change: "moves",
  changes_by: "moves",
  moves_by: "moves",
  varies: "moves",
  deviates: "moves",
  crosses_above: "crosses",
  crosses_below: "crosses",
  stale: "unchanged",
  stale_for: "unchanged",
  no_change_for: "unchanged",
  constant: "unchanged",
  stuck: "unchanged",
  no_update: "no_update_for",
  not_updated_for: "no_update_for",
  silent_for: "no_update_for",
  older_than: "no_update_for",
  field: "metric",
  key: "metric",
  measure: "metric",
  value_of: "metric",
  window: "within",
  in: "within",
  during: "within",
  period: "within",
  last: "within",
  timeframe: "within",
  compared_to: "since",
  ago: "since",
  and: "all",
  or: "any",
};

const OPERATOR_KEYS: ReadonlySet<string> = new Set(["op", "operator", "comparison", "comparator"]);
const VALUE_KEYS: ReadonlySet<string> = new Set(["value", "threshold", "limit", "than", "target"]);

/**
 * Reports keys that no comparison has, each once. Returns what the wrong ones were meant to be, so that
 * nothing that follows from them is reported as well; null if all of them are right.
 */
export function reportKeys(
  raw: Readonly<Record<string, unknown>>,
  path: Path,
  metrics: ReadonlyMap<string, Metric>,
  report: Report,
): ReadonlySet<string> | null {
  const wrong = Object.keys(raw).filter((key) => !KEYS.includes(key));
  if (wrong.length === 0) return null;
  const found = new Set<string>();
  const meantKeys = new Set(Object.keys(raw).map((key) => suggest(key, KEYS, SYNONYMS)));
  const pair = operatorPair(raw);
  // Beside a change `over` is its window, else a limit.
  const over = CHANGE_OPS.some((op) => meantKeys.has(op)) ? "within" : "above";
  for (const key of wrong) {
    const suggestion =
      key === pair?.key
        ? pair.suggestion
        : metrics.has(key)
          ? `metric: ${key}`
          : suggest(key === "over" ? over : key, KEYS, SYNONYMS);
    if (suggestion !== null) found.add(suggestion.replace(/:.*/s, ""));
    // The value of an operator is told of with it.
    if (VALUE_KEYS.has(key) && pair !== null) continue;
    const hint =
      suggestion === null
        ? { expected: `metric and one of ${alternatives(OPS)}` }
        : { suggestion: cleanText(suggestion, 120) };
    report(
      errorAtKey(
        "unknown-key",
        [...path, key],
        `unknown key \`${cleanText(key, 60)}\` in a condition`,
        hint,
      ),
    );
  }
  return found;
}

/** `{op: ">", value: 5 gwei}` as it is written here. */
function operatorPair(
  raw: Readonly<Record<string, unknown>>,
): { readonly key: string; readonly suggestion: string } | null {
  const key = Object.keys(raw).find((one) => OPERATOR_KEYS.has(one));
  const value = Object.keys(raw).find((one) => VALUE_KEYS.has(one));
  const operator = key === undefined ? undefined : raw[key];
  if (key === undefined || value === undefined || typeof operator !== "string") return null;
  const op = suggest(operator, OPS, SYNONYMS);
  const limit = raw[value];
  if (op === null || (typeof limit !== "string" && typeof limit !== "boolean")) return null;
  return { key, suggestion: `${op}: ${String(limit)}` };
}

const TEXT = /^([A-Za-z_]\w{0,60})\s+([<>=!]{1,3}|[A-Za-z_]+(?:\s+than)?)\s+(\S[^{}[\],]{0,60})$/;

/** `tip_top10 > 5 gwei` as it is written here; null if the text is no such comparison. */
export function comparisonOf(text: string): string | null {
  const match = TEXT.exec(text.trim().replaceAll(/\s*([<>=!]{1,3})\s*/g, " $1 "));
  if (match === null) return null;
  const [, metric = "", operator = "", limit = ""] = match;
  const op = suggest(operator, OPS, SYNONYMS);
  return op === null ? null : `{metric: ${metric}, ${op}: ${limit}}`;
}
