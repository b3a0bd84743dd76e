import { compare, decimalFromInteger } from "../../base/decimal.ts";
import { comparisonsOf, limitsOf } from "../../decide/condition-tree.ts";
import type { Comparison, Condition, Rule, Span } from "../../model/index.ts";
import { type Path, type Report, warningAt } from "../../rules/finding.ts";
import { numberOf } from "../../rules/lint/regions.ts";

/** What keys of a rule say together that was hardly meant. `path` leads to the rule. */
export function doubtRule(
  rule: Pick<Rule, "kind" | "event" | "when" | "forMs" | "resolveAfterMs" | "resolveWhen">,
  path: Path,
  report: Report,
): void {
  doubtEdges(rule, path, report);
  doubtFor(rule, path, report);
}

/** Values at which a price is on the very edge of a range, by metric. */
const EDGES: Readonly<Record<string, readonly number[]>> = {
  ticks_to_edge: [0],
  pct_to_edge: [0],
  range_position: [0, 1],
};

/** A price on the very edge of a range would go in and out with every round. */
function doubtEdges(
  rule: Pick<Rule, "kind" | "event" | "when" | "forMs" | "resolveAfterMs" | "resolveWhen">,
  path: Path,
  report: Report,
): void {
  if (rule.kind !== "v4_position" || rule.event) return;
  if (rule.forMs > 0 || rule.resolveAfterMs > 0 || rule.resolveWhen !== null) return;
  if (!comparisonsOf(rule.when).some(isEdge)) return;
  report(
    warningAt([...path, "when"], "a price at the edge of the range would alert again and again", {
      expected: "for: 5m and resolve_after: 5m beside it",
    }),
  );
}

function isEdge(comparison: Comparison): boolean {
  if (comparison.metric === "in_range" || comparison.metric === "side") return true;
  // No distance to the edge is ever 0, which is said of these.
  const isExact = comparison.op === "equals" || comparison.op === "not_equals";
  if (isExact && comparison.metric !== "range_position") return false;
  const edges = EDGES[comparison.metric] ?? [];
  return limitsOf(comparison).some((limit) => {
    const number = numberOf(limit);
    return number !== null && edges.some((edge) => compare(number, decimalFromInteger(edge)) === 0);
  });
}

/** A step of the value is a change for less than the window, then its base has left it. */
function doubtFor({ when, forMs }: Pick<Rule, "when" | "forMs">, path: Path, report: Report): void {
  if (forMs === 0) return;
  const shortest = spansOf(when).toSorted((a, b) => lengthOf(a) - lengthOf(b))[0];
  if (shortest === undefined || forMs < lengthOf(shortest)) return;
  const at = [...path, "for"];
  if (shortest.kind === "since_last") {
    const message =
      "one change since the last round is over in the next: only one that goes on reaches this";
    const expected = "no for, or a window such as within: 1h in place of since: last";
    report(warningAt(at, message, { expected }));
    return;
  }
  const message = `one change lies in the window for less than ${shortest.text}: only one that goes on reaches this`;
  const expected = `less than ${shortest.text}, or a longer window`;
  report(warningAt(at, message, { expected }));
}

/** The spans of the changes without which the condition is not true. */
function spansOf(condition: Condition): readonly Span[] {
  if (condition.op === "all") return condition.terms.flatMap(spansOf);
  return "span" in condition ? [condition.span] : [];
}

/** For how long one change is true, less than which it is; since the last round for no time at all. */
function lengthOf(span: Span): number {
  return span.kind === "since_last" ? 0 : span.ms;
}
