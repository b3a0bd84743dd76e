import type { ChangeComparison, Comparison, Condition, Rule } from "../model.ts";

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

/** The comparisons of a rule that look at the past. */
export function changesOf(rule: Rule): readonly ChangeComparison[] {
  return comparisonsOfRule(rule).filter(isChange);
}

function isChange(comparison: Comparison): comparison is ChangeComparison {
  return comparison.op === "rises" || comparison.op === "falls" || comparison.op === "moves";
}

/** Whether a condition holds a comparison that is an event and no state. */
export function holdsEvent(condition: Condition): boolean {
  return comparisonsOf(condition).some(({ op }) => op === "changes" || op === "crosses");
}
