import { compare, decimalFromInteger } from "../base/decimal.ts";
import { type Path, type Report, warningAt } from "../engine/language/finding.ts";
import { numberOf } from "../engine/language/regions.ts";
import { comparisonsOf, limitsOf } from "../engine/terms.ts";
import type { Comparison, Condition, Rule } from "../model.ts";

/** What keys of a rule say together that was hardly meant. `path` leads to the rule. */
export function doubtRule(
  rule: Pick<Rule, "kind" | "event" | "when" | "forMs" | "resolveAfterMs" | "resolveWhen">,
  path: Path,
  report: Report,
): void {
  doubtEdges(rule, path, report);
  doubtFor(rule, path, report);
}

/**
 * Cron fields (5 or 6) that name a day of the month and a day of the week as well: crontab takes either,
 * here both must match. `at` leads to the schedule.
 */
export function doubtDays(text: string, at: Path, report: Report): void {
  const fields = text.trim().split(/\s+/);
  if (fields.length !== 5 && fields.length !== 6) return;
  const [day = "*", , weekday = "*"] = fields.slice(-3);
  if (day.startsWith("*") || weekday.startsWith("*")) return;
  const message = "the day of the month and the day of the week must both match, unlike in crontab";
  report(warningAt(at, message, { expected: "* for one of them, or a rule for each" }));
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
  const edges = EDGES[comparison.metric] ?? [];
  return limitsOf(comparison).some((limit) => {
    const number = numberOf(limit);
    return number !== null && edges.some((edge) => compare(number, decimalFromInteger(edge)) === 0);
  });
}

/** A step of the value is a change for less than the window, then its base has left it. */
function doubtFor({ when, forMs }: Pick<Rule, "when" | "forMs">, path: Path, report: Report): void {
  const shortest = windowsOf(when).toSorted((a, b) => a.ms - b.ms)[0];
  if (forMs === 0 || shortest === undefined || forMs < shortest.ms) return;
  const message = `one change lies in the window for less than ${shortest.text}: only one that goes on reaches this`;
  const expected = `less than ${shortest.text}, or a longer window`;
  report(warningAt([...path, "for"], message, { expected }));
}

/** The windows of the changes without which the condition is not true. */
function windowsOf(
  condition: Condition,
): readonly { readonly ms: number; readonly text: string }[] {
  if (condition.op === "all") return condition.terms.flatMap(windowsOf);
  return "span" in condition && "ms" in condition.span ? [condition.span] : [];
}
