import { isMap } from "../../base/json.ts";
import { alternatives, kindOf } from "../../base/settings.ts";
import { comparisonsOf, holdsEvent, limitsOf, lookBackOf } from "../../decide/condition-tree.ts";
import type { Comparison, Condition, Span } from "../../model/index.ts";
import { errorAt, errorAtKey, type Path, warningAt } from "../finding.ts";
import { isComparison, surelyOverlap } from "../lint/overlap.ts";
import { checkTogether } from "../lint/terms-together.ts";
import { type ConditionContext, compileComparison, type Inherited } from "./comparison.ts";
import { comparisonOf } from "./comparison-keys.ts";

/** Deeper nesting than this is no condition that a person can follow. */
const DEEPEST = 16;
const GROUPS = ["all", "any", "not"] as const;

/**
 * Compiles the `when` of a rule, as plain data with numbers in their source text, against the
 * metrics of its watch kind. Reports everything that is wrong by path; null if anything is.
 */
export function compileWhen(raw: unknown, path: Path, context: ConditionContext): Condition | null {
  return compile(raw, path, 1, null, context);
}

/**
 * Compiles `resolve_when`. A comparison without a metric takes metric and window of `when` if that
 * is a single comparison; `when` is null if it was wrong itself.
 */
export function compileResolveWhen(
  raw: unknown,
  path: Path,
  when: Condition | null,
  context: ConditionContext,
): Condition | null {
  // What it would have taken is wrong, which was said already.
  if (when === null && isMap(raw) && !("metric" in raw)) return null;
  const inherited: Inherited | null =
    when !== null && isComparison(when) ? { metric: when.metric, span: spanOf(when) } : null;
  const resolve = compile(raw, path, 1, inherited, context);
  if (resolve !== null && holdsEvent(resolve)) {
    const hint = { expected: "a condition that holds for a while, such as below: 4 gwei" };
    context.report(
      errorAt(
        "not-for-events",
        path,
        "resolve_when cannot hold an event (changes or crosses)",
        hint,
      ),
    );
    return null;
  }
  if (resolve !== null && when !== null && surelyOverlap(when, resolve)) {
    const message = "some values make both when and resolve_when true; they count as when";
    context.report(warningAt("overlap", path, message, "limits that leave a gap"));
  }
  return resolve;
}

/** The span of a change, or of the percentiles that a level is compared with. */
function spanOf(when: Comparison): Span | null {
  if ("span" in when) return when.span;
  for (const limit of limitsOf(when)) {
    if (limit.kind === "percentile") return { kind: "within", ms: limit.ms, text: limit.within };
  }
  return null;
}

/** The metrics that conditions name, each once, in the order of the text. */
export function metricNames(...conditions: readonly (Condition | null)[]): readonly string[] {
  const names = new Set<string>();
  const visit = (condition: Condition): void => {
    if ("metric" in condition) names.add(condition.metric);
    else if ("term" in condition) visit(condition.term);
    else condition.terms.forEach(visit);
  };
  for (const condition of conditions) if (condition !== null) visit(condition);
  return [...names];
}

/** The longest window that a condition looks back over, in milliseconds. */
export function longestSpan(...conditions: readonly (Condition | null)[]): number {
  let longest = 0;
  for (const condition of conditions) {
    if (condition === null) continue;
    for (const comparison of comparisonsOf(condition)) {
      longest = Math.max(longest, lookBackOf(comparison));
    }
  }
  return longest;
}

function compile(
  raw: unknown,
  path: Path,
  depth: number,
  inherited: Inherited | null,
  context: ConditionContext,
): Condition | null {
  const { report } = context;
  if (!isMap(raw)) {
    const what = raw === null || raw === undefined ? "nothing" : kindOf(raw);
    const expected = "a comparison such as {metric: NAME, above: 5}, or all, any or not of such";
    const suggestion = Array.isArray(raw)
      ? "all: […] or any: […]"
      : typeof raw === "string"
        ? comparisonOf(raw)
        : null;
    const hint = { expected, suggestion };
    report(errorAt("wrong-type", path, `the condition is ${what}`, hint));
    return null;
  }
  if (depth > DEEPEST) {
    report(errorAt("too-large", path, `the condition is nested more than ${DEEPEST} deep`));
    return null;
  }
  const group = GROUPS.find((key) => key in raw);
  if (group === undefined) return compileComparison(raw, path, inherited, context);
  const other = Object.keys(raw).find((key) => key !== group);
  if (other !== undefined) {
    const expected = `${alternatives(GROUPS)} alone, or a comparison`;
    report(
      errorAtKey(
        "key-conflict",
        [...path, other],
        `${other} cannot stand beside ${group}`,
        expected,
      ),
    );
    return null;
  }
  const inner = [...path, group];
  if (group === "not") {
    const term = compile(raw.not, inner, depth + 1, inherited, context);
    if (term === null) return null;
    if (!holdsEvent(term)) return { op: "not", term };
    report(errorAtKey("not-for-events", inner, "not cannot hold an event (changes or crosses)"));
    return null;
  }
  return compileGroup(group, raw[group], inner, depth, inherited, context);
}

function compileGroup(
  op: "all" | "any",
  raw: unknown,
  path: Path,
  depth: number,
  inherited: Inherited | null,
  context: ConditionContext,
): Condition | null {
  const items: readonly unknown[] = Array.isArray(raw) ? raw : [];
  if (items.length === 0) {
    const expected = "a list of conditions";
    context.report(
      errorAt(
        "wrong-type",
        path,
        Array.isArray(raw) ? `${op} is empty` : `${op} is not a list`,
        expected,
      ),
    );
    return null;
  }
  const terms = items.map((item, i) => compile(item, [...path, i], depth + 1, inherited, context));
  const good = terms.filter((term) => term !== null);
  if (good.length !== terms.length) return null;
  const state = good.findIndex((term) => !holdsEvent(term));
  if (op === "any" && state >= 0 && good.some(holdsEvent)) {
    const message = "any cannot mix events (changes, crosses) with lasting conditions";
    const expected = "two rules, or all: what holds beside an event filters it";
    context.report(errorAt("not-for-events", [...path, state], message, expected));
    return null;
  }
  if (!checkTogether(op, good, path, context.metrics, context.report)) return null;
  return { op, terms: good };
}
