import { formatTime } from "../base/times.ts";
import type {
  Comparison,
  Condition,
  Limit,
  SilenceComparison,
  Value,
  Way,
} from "../model/index.ts";
import { comparisonsOf } from "./condition-tree.ts";
import { type EvaluationContext, judge, TRUE } from "./evaluate.ts";
import type { Evidence } from "./event.ts";
import { resolveLimit } from "./limit.ts";
import { judgeChange } from "./windows/change.ts";

/**
 * The comparison that speaks for a condition: of `any` the first that is true, else what holds `last`, of
 * `all` an event or else the first, otherwise the first that has a value. Null where none has one.
 * `wanted`: the direction that speaks of a change which has reached its limit both ways.
 */
export function findEvidence(
  condition: Condition,
  scene: EvaluationContext,
  wanted: Way | null = null,
  last: Comparison | null = null,
): Evidence | null {
  switch (condition.op) {
    case "all":
      // The event is what happened; a level beside it only filters.
      return firstOf([...condition.terms.filter(isEvent), ...condition.terms], scene, wanted, last);
    case "any": {
      const speaking = condition.terms.filter((term) => judge(term, scene) === TRUE);
      const before =
        last === null ? [] : condition.terms.filter((term) => comparisonsOf(term).includes(last));
      return firstOf([...speaking, ...before, ...condition.terms], scene, wanted, last);
    }
    case "not":
      return findEvidence(condition.term, scene, wanted, last);
    default:
      return describeComparison(condition, scene, wanted);
  }
}

function isEvent({ op }: Condition): boolean {
  return op === "changes" || op === "crosses";
}

function firstOf(
  terms: readonly Condition[],
  scene: EvaluationContext,
  wanted: Way | null,
  last: Comparison | null,
): Evidence | null {
  for (const term of terms) {
    const evidence = findEvidence(term, scene, wanted, last);
    if (evidence !== null) return evidence;
  }
  return null;
}

function describeComparison(
  comparison: Comparison,
  scene: EvaluationContext,
  wanted: Way | null = null,
): Evidence | null {
  const value =
    scene.value(comparison.metric) ??
    (comparison.op === "no_update_for" ? lastHeard(comparison, scene) : null);
  if (value === null) return null;
  const metric = scene.metric(comparison.metric);
  const limits = limitsOf(comparison, scene);
  switch (comparison.op) {
    case "rises":
    case "falls":
    case "moves": {
      const base = judgeChange(comparison, value, scene, wanted).base;
      const baseAt = base === null || Number.isNaN(base.at) ? null : base.at;
      return { comparison, metric, value, limits, base: base?.value ?? null, baseAt };
    }
    case "changes":
    case "crosses":
      return { comparison, metric, value, limits, base: scene.last(metric.name), baseAt: null };
    default: {
      const before = scene.previous(metric.name);
      const base = before?.value ?? null;
      return { comparison, metric, value, limits, base, baseAt: before?.at ?? null };
    }
  }
}

/** What the record said last is what its silence is measured from; of buckets the end of the last. */
function lastHeard({ metric }: SilenceComparison, scene: EvaluationContext): Value | null {
  const last = scene.last(metric);
  if (last !== null) return last;
  const at = scene.updatedAt(metric);
  return at === null ? null : formatTime(Number(at.toString()));
}

/** What the comparisons of a condition looked at besides the one that speaks, each metric once. */
export function otherEvidence(
  condition: Condition,
  scene: EvaluationContext,
  speaking: Evidence | null,
): readonly Evidence[] {
  const known = new Set([speaking?.metric.name]);
  const others: Evidence[] = [];
  for (const comparison of comparisonsOf(condition)) {
    if (known.has(comparison.metric)) continue;
    known.add(comparison.metric);
    const evidence = describeComparison(comparison, scene);
    if (evidence !== null) others.push(evidence);
  }
  return others;
}

function limitsOf(comparison: Comparison, scene: EvaluationContext): Value[] {
  switch (comparison.op) {
    case "inside":
    case "outside":
      return allOf([comparison.low, comparison.high], comparison.metric, scene);
    case "rises":
    case "falls":
    case "moves":
    case "changes":
    case "unchanged":
    case "no_update_for":
      return [];
    default:
      return allOf([comparison.limit], comparison.metric, scene);
  }
}

/** All of them, or none: of a range that is half known neither end is its limit. */
function allOf(limits: readonly Limit[], metric: string, scene: EvaluationContext): Value[] {
  const values = limits.map((limit) => resolveLimit(limit, metric, scene));
  return values.some((value) => value === null) ? [] : values.filter((value) => value !== null);
}
