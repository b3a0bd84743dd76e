import { formatTime } from "../base/times.ts";
import type { Metric } from "../kinds/kind.ts";
import type { Comparison, Condition, Rule, Value, Way, Worst } from "../model/index.ts";
import { comparisonsOf, limitsOf } from "./condition-tree.ts";
import type { JudgedContext } from "./context.ts";
import { evaluate, judge, judgeChange } from "./evaluate.ts";
import { type EvaluationContext, resolveLimit, TRUE, type Truth } from "./evaluation-context.ts";
import { type Extents, measure } from "./worse.ts";

/** The comparison that speaks for a verdict, with what it compared. */
export interface Evidence {
  readonly comparison: Comparison;
  readonly metric: Metric;
  /** The value now. */
  readonly value: Value;
  /** Limits in the metric's own unit, as compared; one, or low and high; none for changes. */
  readonly limits: readonly Value[];
  /**
   * Changes: the value that it was compared with; otherwise the one before. `baseAt`: when that was
   * in force; null: not known.
   */
  readonly base: Value | null;
  readonly baseAt: number | null;
}

/** Consecutive buckets, the newest included, in milliseconds of their length. */
export interface BucketRows {
  readonly newest: number;
  /** For how long `when` was true. */
  readonly trueMs: number;
  /** For how long the alert's recovery held, counted from the bucket it fired on. */
  readonly recoveredMs: number;
}

/**
 * What a rule says of one alert in one round: whether its condition holds, what speaks for that, and how
 * far the value has gone. Each is found out when it is first asked for: of nearly all alerts nobody asks
 * for more than the truth.
 */
export class Verdict {
  readonly context: JudgedContext;
  /** Bucketed kinds, unless they have no bucket to judge. */
  readonly bucket: { readonly rows: BucketRows; readonly ms: number } | null;
  #truth: Truth | null = null;
  #evidence: Evidence | null | undefined;

  constructor(context: JudgedContext, bucket: Verdict["bucket"] = null) {
    this.context = context;
    this.bucket = bucket;
  }

  get rule(): Rule {
    return this.context.watched.watched.rule;
  }

  /** What `when` says at the root. */
  get truth(): Truth {
    this.#truth ??= evaluate(this.rule.when, this.context);
    return this.#truth;
  }

  /** What `resolve_when` says; null: the rule has none. */
  get recovered(): Truth | null {
    const { resolveWhen } = this.rule;
    return resolveWhen === null ? null : evaluate(resolveWhen, this.context);
  }

  /** What speaks for `when`, as `findEvidence` says. */
  evidence(way: Way | null = null, last: Comparison | null = null): Evidence | null {
    const { when } = this.rule;
    if (way !== null || last !== null) return findEvidence(when, this.context, way, last);
    if (this.#evidence === undefined) this.#evidence = findEvidence(when, this.context);
    return this.#evidence;
  }

  /** What else `when` looked at. */
  otherEvidence(speaking: Evidence | null): readonly Evidence[] {
    return otherEvidence(this.rule.when, this.context, speaking);
  }

  /** How far what `worse_by` is measured on has gone; `worst`: what people were told of that. */
  extent(worst: Worst | null): Extents | null {
    return measure(this.rule, this.context, worst);
  }
}

/**
 * The comparison that speaks for a condition: of `any` the first that is true, else what holds `last`, of
 * `all` an event or else the first, otherwise the first that has a value. Null where none has one.
 * `way`: the direction that speaks of a change which has reached its limit both ways.
 */
export function findEvidence(
  condition: Condition,
  context: EvaluationContext,
  way: Way | null = null,
  last: Comparison | null = null,
): Evidence | null {
  for (const comparison of inOrder(condition, context, last)) {
    const evidence = describe(comparison, context, way);
    if (evidence !== null) return evidence;
  }
  return null;
}

/** The comparisons of a condition, the one that has most to say first; some come twice. */
function inOrder(
  condition: Condition,
  context: EvaluationContext,
  last: Comparison | null,
): readonly Comparison[] {
  switch (condition.op) {
    case "all": {
      // The event is what happened; a level beside it only filters.
      const events = condition.terms.filter(({ op }) => op === "changes" || op === "crosses");
      return [...events, ...condition.terms].flatMap((term) => inOrder(term, context, last));
    }
    case "any": {
      const speaking = condition.terms.filter((term) => judge(term, context) === TRUE);
      const before = condition.terms.filter(
        (term) => last !== null && comparisonsOf(term).includes(last),
      );
      const terms = [...speaking, ...before, ...condition.terms];
      return terms.flatMap((term) => inOrder(term, context, last));
    }
    case "not":
      return inOrder(condition.term, context, last);
    default:
      return [condition];
  }
}

function describe(
  comparison: Comparison,
  context: EvaluationContext,
  way: Way | null = null,
): Evidence | null {
  const metric = context.metric(comparison.metric);
  const value = context.value(metric.name) ?? lastHeard(comparison, context);
  if (value === null) return null;
  const known = limitsOf(comparison).map((limit) => resolveLimit(limit, metric.name, context));
  // Of a range that is half known neither end is its limit.
  const limits = known.includes(null) ? [] : known.filter((limit) => limit !== null);
  const found = { comparison, metric, value, limits };
  switch (comparison.op) {
    case "rises":
    case "falls":
    case "moves": {
      const change = judgeChange(comparison, value, context);
      const both = change.up?.reached === true && change.down?.reached === true;
      const base = (both && way !== null ? change[way]?.base : change.base) ?? null;
      const baseAt = base === null || Number.isNaN(base.at) ? null : base.at;
      return { ...found, base: base?.value ?? null, baseAt };
    }
    case "changes":
    case "crosses":
      return { ...found, base: context.last(metric.name), baseAt: null };
    default: {
      const before = context.previous(metric.name);
      return { ...found, base: before?.value ?? null, baseAt: before?.at ?? null };
    }
  }
}

/** What the record said last is what its silence is measured from; of buckets the end of the last. */
function lastHeard({ op, metric }: Comparison, context: EvaluationContext): Value | null {
  if (op !== "no_update_for") return null;
  const last = context.last(metric);
  if (last !== null) return last;
  const at = context.updatedAt(metric);
  return at === null ? null : formatTime(Number(at.toString()));
}

/** What the comparisons of a condition looked at besides the one that speaks, each metric once. */
function otherEvidence(
  condition: Condition,
  context: EvaluationContext,
  speaking: Evidence | null,
): readonly Evidence[] {
  const known = new Set([speaking?.metric.name]);
  const others: Evidence[] = [];
  for (const comparison of comparisonsOf(condition)) {
    if (known.has(comparison.metric)) continue;
    known.add(comparison.metric);
    const evidence = describe(comparison, context);
    if (evidence !== null) others.push(evidence);
  }
  return others;
}
