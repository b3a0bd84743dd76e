import { formatDuration, HOUR } from "../base/duration.ts";
import type { Comparison, Condition, Limit, Reference, Rule, Span } from "../model/index.ts";
import type { Look } from "./runtime.ts";

/** The comparisons of a condition, in the order of the text. */
export function comparisonsOf(condition: Condition): readonly Comparison[] {
  switch (condition.op) {
    case "all":
    case "any":
      return condition.terms.flatMap(comparisonsOf);
    case "not":
      return comparisonsOf(condition.term);
    default:
      return [condition];
  }
}

/** The comparisons of `when` and `resolve_when`. */
export function comparisonsOfRule({ when, resolveWhen }: Rule): readonly Comparison[] {
  return resolveWhen === null
    ? comparisonsOf(when)
    : [...comparisonsOf(when), ...comparisonsOf(resolveWhen)];
}

/** What a level or an event is compared with; none for the others. */
export function limitsOf(comparison: Comparison): readonly Limit[] {
  if ("limit" in comparison) return [comparison.limit];
  return "low" in comparison ? [comparison.low, comparison.high] : [];
}

/** What of a comparison looks at values that windows remember. */
export function looksOf(comparison: Comparison): readonly Look[] {
  if (comparison.op === "unchanged") return [comparison];
  // What changed since the last round the alert remembers itself.
  if ("span" in comparison) return comparison.span.kind === "since_last" ? [] : [comparison];
  return limitsOf(comparison).filter((limit) => limit.kind === "percentile");
}

/** How far back, in milliseconds, a comparison looks over stored samples. */
export function lookBackOf(comparison: Comparison): number {
  if ("span" in comparison) return "ms" in comparison.span ? comparison.span.ms : 0;
  if (comparison.op === "unchanged") return comparison.ms;
  return limitsOf(comparison).reduce(
    (longest, limit) => (limit.kind === "percentile" ? Math.max(longest, limit.ms) : longest),
    0,
  );
}

/** The references that a rule compares with, each once. */
export function referencesOf(rule: Rule): readonly Reference[] {
  const found = new Set<Reference>();
  for (const comparison of comparisonsOfRule(rule)) {
    for (const limit of limitsOf(comparison)) {
      if (limit.kind === "reference") found.add(limit.reference);
    }
  }
  return [...found];
}

/** Whether a condition holds a comparison that is an event and no state. */
export function holdsEvent(condition: Condition): boolean {
  return comparisonsOf(condition).some(({ op }) => op === "changes" || op === "crosses");
}

/** Whether a condition is more than one comparison. */
export function isCompound({ op }: Condition): boolean {
  return op === "all" || op === "any" || op === "not";
}

/** Whether `comparison` stands under an odd number of `not`, so that it fires by being false. */
export function isNegated(condition: Condition, comparison: Comparison): boolean {
  return negations(condition, comparison, false) ?? false;
}

function negations(condition: Condition, wanted: Comparison, negated: boolean): boolean | null {
  switch (condition.op) {
    case "all":
    case "any":
      for (const term of condition.terms) {
        const found = negations(term, wanted, negated);
        if (found !== null) return found;
      }
      return null;
    case "not":
      return negations(condition.term, wanted, !negated);
    default:
      return condition === wanted ? negated : null;
  }
}

/** A round compares it for every alert that fires. */
const KNOWN = new WeakMap<Rule, string>();

/** Under which condition a rule's alerts fire and resolve, in words: after an edit it may be another. */
export function conditionOf(rule: Rule): string {
  const known = KNOWN.get(rule);
  if (known !== undefined) return known;
  const { when, resolveWhen, decimals } = rule;
  const end = resolveWhen === null ? "" : `, until ${conditionText(resolveWhen)}`;
  const units = [...new Set(decimals.values())].toSorted((a, b) => a - b);
  const more = [
    ...units.map((one) => `, decimals ${one}`),
    ...referencesOf(rule).map(
      ({ name, metric, subject }) => `, ${name} being ${metric} of ${subject.key}`,
    ),
  ];
  const text = `${conditionText(when)}${end}${more.join("")}`;
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
