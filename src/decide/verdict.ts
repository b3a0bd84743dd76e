import { formatTime } from "../base/clock.ts";
import type { Metric } from "../kinds/kind.ts";
import type { Comparison, Condition, Rule, Value, Way, Worst } from "../model/index.ts";
import { comparisonsOf, limitsOf } from "./condition-tree.ts";
import type { JudgedContext } from "./context.ts";
import { evaluate, judge, judgeChange } from "./evaluate.ts";
import {
  ascending,
  type EvaluationContext,
  FALSE,
  resolveLimit,
  TRUE,
  type Truth,
} from "./evaluation-context.ts";
import { type Extents, measure } from "./worse.ts";

/** The comparison that explains a verdict, with its values. */
export interface Evidence {
  readonly comparison: Comparison;
  readonly metric: Metric;
  /** The value now. */
  readonly value: Value;
  /** The compared limits in the metric's own unit: one, or low and high, or none for changes. */
  readonly limits: readonly Value[];
  /**
   * Changes: the value that was compared with; otherwise the previous value. `baseAt`: when it was in force;
   * null: unknown.
   */
  readonly base: Value | null;
  readonly baseAt: number | null;
}

/** The length of consecutive buckets, including the newest, in milliseconds. */
export interface BucketRows {
  readonly newest: number;
  /** For how long `when` was true. */
  readonly trueMs: number;
  /** For how long the alert's recovery held, counted from the bucket it fired on. */
  readonly recoveredMs: number;
}

/**
 * A rule's verdict on one alert in one round: whether its condition holds, the evidence, and how far the value has
 * gone. Each part is computed when it is first read, because nearly all alerts need only the truth.
 */
export class Verdict {
  #truth: Truth | null = null;
  #evidence: Evidence | null | undefined;

  constructor(
    readonly context: JudgedContext,
    /** Bucketed kinds, unless they have no bucket to judge. */
    readonly bucket: { readonly rows: BucketRows; readonly ms: number } | null = null,
  ) {}

  get rule(): Rule {
    return this.context.watched.watched.rule;
  }

  /** The truth of `when`. */
  get truth(): Truth {
    this.#truth ??= evaluate(this.rule.when, this.context);
    return this.#truth;
  }

  /** The truth of `resolve_when`; null: the rule has none. */
  get recovered(): Truth | null {
    const { resolveWhen } = this.rule;
    return resolveWhen === null ? null : evaluate(resolveWhen, this.context);
  }

  /** The evidence for `when`; see `findEvidence`. */
  evidence(way: Way | null = null, last: Comparison | null = null): Evidence | null {
    const { when } = this.rule;
    if (way !== null || last !== null) return findEvidence(when, this.context, way, last);
    if (this.#evidence === undefined) this.#evidence = findEvidence(when, this.context);
    return this.#evidence;
  }

  /** That of what is compared of one metric, an event before all others; null: nothing is. */
  evidenceOf(metric: string): Evidence | null {
    const all = comparisonsOf(this.rule.when).filter((one) => one.metric === metric);
    const event = all.find(isEvent) ?? all[0];
    return event === undefined ? null : describe(event, this.context);
  }

  /** The other comparisons of `when`. */
  otherEvidence(speaking: Evidence | null): readonly Evidence[] {
    return otherEvidence(this.rule.when, this.context, speaking);
  }

  /** How far the value of `worse_by` has gone; `worst`: the extent that people were told. */
  extent(worst: Worst | null): Extents | null {
    return measure(this.rule, this.context, worst);
  }
}

/**
 * The comparison that explains a condition: of `any` the first true one, of `all` under `not` the first false one, else
 * the one that holds `last`; of any other `all` an event, else the first; otherwise the first that has a value. Null:
 * none has one. `way`: the direction to show of a change that has reached its limit both ways.
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

function isEvent({ op }: Condition): boolean {
  return op === "changes" || op === "crosses";
}

/** The comparisons of a condition, the most telling one first; some occur twice. */
function inOrder(
  condition: Condition,
  context: EvaluationContext,
  last: Comparison | null,
  negated = false,
): readonly Comparison[] {
  switch (condition.op) {
    case "all":
    case "any": {
      const { op, terms } = condition;
      const first =
        op === "any" || negated
          ? decisive(condition, context, last)
          : // The event is what happened; a level beside it only filters.
            terms.filter(isEvent);
      return [...first, ...terms].flatMap((term) => inOrder(term, context, last, negated));
    }
    case "not":
      return inOrder(condition.term, context, last, !negated);
    default:
      return [condition];
  }
}

/** The terms that decide the whole by themselves, and then the one that did before. */
function decisive(
  { op, terms }: Extract<Condition, { readonly terms: readonly Condition[] }>,
  context: EvaluationContext,
  last: Comparison | null,
): readonly Condition[] {
  const decides = op === "any" ? TRUE : FALSE;
  return [
    ...terms.filter((term) => judge(term, context) === decides),
    ...terms.filter((term) => last !== null && comparisonsOf(term).includes(last)),
  ];
}

function describe(
  given: Comparison,
  context: EvaluationContext,
  way: Way | null = null,
): Evidence | null {
  const comparison = ascending(given, context);
  const metric = context.metric(comparison.metric);
  const value = context.value(metric.name) ?? lastHeard(comparison, context);
  if (value === null) return null;
  const known = limitsOf(comparison).map((limit) => resolveLimit(limit, metric.name, context));
  // A half-known range has no limit to show.
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

/** The time that a record's silence is measured from: its own newest time, or the end of its last bucket. */
function lastHeard({ op, metric }: Comparison, context: EvaluationContext): Value | null {
  if (op !== "no_update_for") return null;
  const last = context.last(metric);
  if (last !== null) return last;
  const at = context.updatedAt(metric);
  return at === null ? null : formatTime(Number(at.toString()));
}

/** The values of a condition's other comparisons, each metric once. */
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
