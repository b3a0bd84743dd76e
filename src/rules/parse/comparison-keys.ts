import { alternatives } from "../../base/settings.ts";
import { suggest, synonymTable } from "../../base/suggest.ts";
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
const SYNONYMS = synonymTable({
  above: "> gt greater greater_than more_than exceeds higher_than",
  below: "< lt less less_than lower_than under",
  at_least: ">= => gte ge min",
  at_most: "<= =< lte le max",
  equals: "= == === is eq equal equal_to",
  not_equals: "!= <> !== ne neq is_not not_equal",
  inside: "between in_range range",
  outside: "not_between out_of_range",
  falls: "drop drops drops_by falls_by decrease decreases decreases_by",
  rises: "increase increases increases_by rises_by grows jumps",
  moves: "change changes_by moves_by varies deviates",
  crosses: "crosses_above crosses_below",
  unchanged: "stale stale_for no_change_for constant stuck",
  no_update_for: "no_update not_updated_for silent_for older_than",
  metric: "field key measure value_of",
  within: "window in during period last timeframe",
  since: "compared_to ago",
  all: "and",
  any: "or",
});

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
