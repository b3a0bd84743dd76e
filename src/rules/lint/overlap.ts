import type { ChangeComparison, Comparison, Condition } from "../../model/index.ts";
import { intervalsOf, isLevel, type Level, limitKind, meets } from "./regions.ts";

/**
 * Whether something makes both conditions true, as far as it is seen at a glance: comparisons of one
 * metric with limits of one kind, or two changes in one direction over one span. Of `any` one term is
 * enough. Of `all` in `when` those terms count that are about what `resolve` is about, and its `all`
 * must be met in every metric. False says nothing.
 */
export function surelyOverlap(when: Condition, resolve: Condition): boolean {
  if (when.op === "any") return when.terms.some((term) => surelyOverlap(term, resolve));
  if (resolve.op === "any") return resolve.terms.some((term) => surelyOverlap(when, term));
  const first = conjunctsOf(when);
  const second = conjunctsOf(resolve);
  if (first === null || second === null) return false;
  return second.every((one) => {
    const same = first.filter(({ metric }) => metric === one.metric);
    return same.length > 0 && meetAll([...same, ...second.filter((b) => b.metric === one.metric)]);
  });
}

export function isComparison(condition: Condition): condition is Comparison {
  return "metric" in condition;
}

/** The comparisons that all must be true; null if there is more to it. */
function conjunctsOf(condition: Condition): readonly Comparison[] | null {
  if (isComparison(condition)) return [condition];
  if (condition.op !== "all") return null;
  const terms = condition.terms.map(conjunctsOf);
  return terms.some((one) => one === null) ? null : terms.flatMap((one) => one ?? []);
}

/** Whether comparisons of one metric have surely something in common. */
function meetAll(comparisons: readonly Comparison[]): boolean {
  const [first, ...others] = comparisons;
  if (first === undefined) return false;
  if ("span" in first) return others.every((one) => "span" in one && sameSpan(first, one));
  if (!isLevel(first)) return false;
  let common = intervalsOf(first);
  for (const one of others) {
    if (!isLevel(one) || limitKind(one) !== limitKind(first)) return false;
    const next = intervalsOf(one);
    if (common === null || next === null) {
      if (!sameEquality(first, one)) return false;
    } else common = meets(common, next);
  }
  return common === null || common.length > 0;
}

/** A change that is far enough is both. */
function sameSpan(a: ChangeComparison, b: ChangeComparison): boolean {
  const lengthOf = ({ span }: ChangeComparison) => ("ms" in span ? span.ms : null);
  return a.op === b.op && a.span.kind === b.span.kind && lengthOf(a) === lengthOf(b);
}

function sameEquality(a: Level, b: Level): boolean {
  if (!("limit" in a) || !("limit" in b) || a.op !== b.op) return false;
  return a.limit.kind === "value" && b.limit.kind === "value" && a.limit.value === b.limit.value;
}
