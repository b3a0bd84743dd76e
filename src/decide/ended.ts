import { compare, Decimal } from "../base/decimal.ts";
import type { Condition, Rule, Value } from "../model/index.ts";
import { isNegated } from "./condition-tree.ts";
import { FALSE, judge, TRUE } from "./evaluate.ts";
import type { EndedFacts, Evidence } from "./event.ts";
import { resolveLimit } from "./limit.ts";
import type { JudgedScene } from "./scene.ts";
import { type Finding, recovers } from "./transition.ts";
import type { Scene } from "./windows/sight.ts";

/** What there is to know of an alert that is over beside its values. `now`: it ended in this round. */
export function endedFacts(
  rule: Rule,
  scene: JudgedScene,
  evidence: Evidence | null,
  finding: Pick<Finding, "truth" | "recovered" | "closed" | "closedBy">,
  now: boolean,
): EndedFacts {
  const { truth, recovered, closedBy } = finding;
  const byItself = rule.resolveAfterMs === 0 && recovers(truth, finding);
  return {
    holds: evidence !== null && holdsByItself(rule, scene, evidence),
    gate: now && !byItself ? closedBy : null,
    settled: recovered === null || recovered === TRUE,
    other: evidence === null ? null : otherRule(rule, scene, evidence),
  };
}

function holdsByItself({ when }: Rule, scene: Scene, { comparison }: Evidence): boolean {
  return judge(comparison, scene) === (isNegated(when, comparison) ? FALSE : TRUE);
}

/**
 * Another rule that people know to fire on the same value, and whose limit lies on the same side: of two
 * limits for one danger the farther one is over, and the danger is not.
 */
function otherRule(rule: Rule, scene: JudgedScene, { comparison, value }: Evidence): string | null {
  const mine = comparison.op === "outside" ? "any" : sideOf(comparison, value, scene);
  if (mine === null) return null;
  const others: string[] = [];
  for (const { watched, alert } of scene.stage.alerts) {
    const { when, notify, name } = watched.rule;
    if (watched.rule === rule || notify.length === 0 || alert?.told.state !== "firing") continue;
    const side = sideOf(when, value, scene);
    if (side === null || (mine !== "any" && mine !== side)) continue;
    if (!("metric" in when) || when.metric !== comparison.metric) continue;
    if (judge(when, scene) === TRUE) others.push(name);
  }
  // The order of the rules in their files means nothing.
  return others.toSorted()[0] ?? null;
}

/** On which side of its limits a level fires at a value beyond them; null: it is none. */
function sideOf(condition: Condition, value: Value, scene: Scene): "high" | "low" | null {
  switch (condition.op) {
    case "above":
    case "at_least":
      return "high";
    case "below":
    case "at_most":
      return "low";
    case "outside": {
      const low = resolveLimit(condition.low, condition.metric, scene);
      if (!(low instanceof Decimal && value instanceof Decimal)) return null;
      return compare(value, low) < 0 ? "low" : "high";
    }
    default:
      return null;
  }
}
