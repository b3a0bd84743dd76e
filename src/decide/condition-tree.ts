import type { Comparison, Condition, Limit, Reference, Rule } from "../model/index.ts";
import type { Look } from "./watched.ts";

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
