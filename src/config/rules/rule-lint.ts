import { compare, decimalFromInteger } from "../../base/decimal.ts";
import { writtenDuration } from "../../base/duration.ts";
import type { ProblemCode } from "../../base/problem-codes.ts";
import { comparisonsOf, limitsOf } from "../../decide/condition-tree.ts";
import type { Metric } from "../../kinds/kind.ts";
import type { Comparison, Condition, Rule, Span } from "../../model/index.ts";
import { type Path, type Report, warningAt } from "../../rules/finding.ts";
import { numberOf } from "../../rules/lint/regions.ts";
import type { Pace } from "../../rules/parse/span.ts";
import type { RuleKeys } from "./rule-keys.ts";

type Linted = Pick<Rule, "event" | "when" | "forMs" | "resolveAfterMs" | "resolveWhen">;

/** What keys of a rule say together that was hardly meant. `path` leads to the rule. */
export function lintRule(
  rule: Linted,
  metrics: ReadonlyMap<string, Metric>,
  path: Path,
  report: Report,
): void {
  lintEdges(rule, metrics, path, report);
  lintFor(rule, path, report);
}

/** Values at which a price is on the very edge of a range, by metric. */
const EDGES: Readonly<Record<string, readonly number[]>> = {
  ticks_to_edge: [0],
  pct_to_edge: [0],
  range_position: [0, 1],
};

/** A price on the very edge of a range would go in and out with every round. */
function lintEdges(
  rule: Linted,
  metrics: ReadonlyMap<string, Metric>,
  path: Path,
  report: Report,
): void {
  if (rule.event) return;
  if (rule.forMs > 0 || rule.resolveAfterMs > 0 || rule.resolveWhen !== null) return;
  const ofRange = comparisonsOf(rule.when).filter(
    ({ metric }) => metrics.get(metric)?.range === true,
  );
  if (!ofRange.some(isEdge)) return;
  report(
    warningAt(
      "edge-of-range",
      [...path, "when"],
      "a price at the edge of the range would fire and resolve again and again",
      "for: 5m and resolve_after: 5m beside it",
    ),
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
function lintFor({ when, forMs }: Pick<Rule, "when" | "forMs">, path: Path, report: Report): void {
  if (forMs === 0) return;
  const shortest = spansOf(when).toSorted((a, b) => lengthOf(a) - lengthOf(b))[0];
  if (shortest === undefined || forMs < lengthOf(shortest)) return;
  const at = [...path, "for"];
  if (shortest.kind === "since_last") {
    const message = "a single change counts for one round, so it never lasts this long";
    const expected = "no for, or a window such as within: 1h in place of since: last";
    report(warningAt("for-too-long", at, message, expected));
    return;
  }
  const message = `a single change stays in the window for less than ${shortest.text}, so it never lasts this long`;
  report(warningAt("for-too-long", at, message, `less than ${shortest.text}, or a longer window`));
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

/** A round without a value is told of after three of them in a row. */
const ROUNDS_WITHOUT = 3;

/**
 * What keys of a rule ask for that its schedule, or the length of a bucket, cannot give. `path` leads to
 * the rule. Only what the rule says itself is doubted, never a default.
 */
export function lintPace(
  keys: RuleKeys,
  path: Path,
  { intervalMs, bucketMs, entries }: Pace & { readonly entries: boolean },
  report: Report,
): void {
  const every = writtenDuration(intervalMs);
  const warn = (code: ProblemCode, key: string, message: string, expected: string): void =>
    report(warningAt(code, [...path, key], message, expected));
  for (const key of ["for", "resolve_after"] as const) {
    const ms = keys[key] ?? 0;
    if (ms === 0) continue;
    if (bucketMs !== null && ms <= bucketMs) {
      const bucket = writtenDuration(bucketMs);
      const message = `${key} counts buckets of ${bucket} here, the newest included: this adds nothing`;
      warn("no-effect", key, message, `more than ${bucket}, or no ${key}`);
    } else if (bucketMs === null && ms < intervalMs) {
      const message = `${key} is shorter than the schedule: the next round is ${every} later`;
      warn("below-schedule", key, message, `at least ${every}, or a shorter schedule`);
    }
  }
  for (const [i, ms] of (keys.remind ?? []).entries()) {
    if (ms >= intervalMs) continue;
    const message = `this gap is shorter than the schedule: reminders come with a round, every ${every}`;
    const expected = `at least ${every}, or a shorter schedule`;
    report(warningAt("below-schedule", [...path, "remind", i], message, expected));
  }
  // Of entries one round may bring many.
  if (keys.cooldown !== undefined && !entries && keys.cooldown <= intervalMs) {
    const message = `cooldown has no effect: rounds are ${every} apart`;
    warn("below-schedule", "cooldown", message, `more than ${every}`);
  }
  if (keys.missing_after !== undefined && keys.missing_after < intervalMs) {
    const least = writtenDuration(ROUNDS_WITHOUT * intervalMs);
    const message = `missing_after is shorter than the schedule: missing data is reported after ${ROUNDS_WITHOUT} rounds at the earliest`;
    warn("below-schedule", "missing_after", message, `at least ${least}, or a shorter schedule`);
  }
}
