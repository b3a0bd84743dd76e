import { formatDuration, HOUR } from "../base/duration.ts";
import type { Comparison, Condition, Limit, Rule, Span } from "../model/index.ts";

/** A round compares it for every alert that fires. */
const KNOWN = new WeakMap<Rule, string>();

/** Under which condition a rule's alerts fire and resolve, in words: after an edit it may be another. */
export function conditionOf(rule: Rule): string {
  const known = KNOWN.get(rule);
  if (known !== undefined) return known;
  const { when, resolveWhen, decimals } = rule;
  const end = resolveWhen === null ? "" : `, until ${conditionText(resolveWhen)}`;
  const units = [...new Set(decimals.values())].toSorted((a, b) => a - b);
  const text = `${conditionText(when)}${end}${units.map((one) => `, decimals ${one}`).join("")}`;
  KNOWN.set(rule, text);
  return text;
}

/** `in 1 h`, `in 24 h`, `since the last value`. */
export function spanWords(span: Span): string {
  if (span.kind === "since_last") return "since the last value";
  return `in ${windowWords(span.ms)}`;
}

/** As people speak of windows: hours up to two days. */
export function windowWords(ms: number): string {
  return ms % HOUR === 0 && ms <= 48 * HOUR ? `${ms / HOUR} h` : formatDuration(ms);
}

/** A condition in the words of the rule file: `all of: tvl_usd falls 10% within 1h; …`. */
export function conditionText(condition: Condition): string {
  switch (condition.op) {
    case "all":
    case "any":
      return `${condition.op} of (${condition.terms.map(conditionText).join("; ")})`;
    case "not":
      return `not (${conditionText(condition.term)})`;
    default:
      return `${condition.metric} ${comparisonText(condition)}`;
  }
}

/** What a comparison asks of its metric: `above 5 gwei`, `outside 2050 to 2250`, `falls 10% in 1 h`. */
export function comparisonText(comparison: Comparison): string {
  switch (comparison.op) {
    case "inside":
    case "outside":
      return `${comparison.op} ${limitWords(comparison.low)} to ${limitWords(comparison.high)}`;
    case "rises":
    case "falls":
    case "moves":
      return `${comparison.op} ${comparison.by.text} ${spanWords(comparison.span)}`;
    case "changes":
      return "changes";
    case "unchanged":
      return `unchanged for ${windowWords(comparison.ms)}`;
    case "no_update_for":
      return `no update for ${windowWords(comparison.ms)}`;
    default:
      return `${comparison.op.replace("_", " ")} ${limitWords(comparison.limit)}`;
  }
}

/** A limit as the user wrote it; of a percentile also of what time. */
function limitWords(limit: Limit): string {
  return limit.kind === "percentile" ? `${limit.text} of ${windowWords(limit.ms)}` : limit.text;
}
