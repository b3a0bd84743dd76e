import type { Alert, Comparison, Condition, Rule } from "../model/index.ts";
import { conditionOf } from "./condition-text.ts";
import { comparisonsOf } from "./condition-tree.ts";
import { findEvidence } from "./evidence.ts";
import { lifeOf, withLife } from "./life.ts";
import type { Scene } from "./windows/sight.ts";

/** The alert with what it is known to fire for: its end speaks of the same, and no other term of `any`. */
export function spokenUnder(rule: Rule, alert: Alert, scene: Scene | null): Alert {
  const when = conditionOf(rule);
  if (!holdsAny(rule.when) || scene === null) {
    return lifeOf(alert).when === when ? alert : withLife(alert, { when });
  }
  const evidence = findEvidence(rule.when, scene, null, lastSpoken(rule, alert));
  const place = evidence === null ? -1 : comparisonsOf(rule.when).indexOf(evidence.comparison);
  return withLife(alert, { when, spoke: place > 0 ? place : null });
}

/** What it was last known to fire for; null: that is not known, or the rule was edited. */
export function lastSpoken(rule: Rule, alert: Alert): Comparison | null {
  const { when, spoke } = lifeOf(alert);
  if (spoke === null || spoke === undefined || when !== conditionOf(rule)) return null;
  return comparisonsOf(rule.when)[spoke] ?? null;
}

function holdsAny(condition: Condition): boolean {
  if (condition.op === "any") return true;
  if (condition.op === "all") return condition.terms.some(holdsAny);
  return condition.op === "not" && holdsAny(condition.term);
}
