import type { Alert, Rule } from "../model/index.ts";
import { comparisonsOfRule } from "./condition-tree.ts";
import { lifeOf, withLife } from "./life.ts";

/**
 * The alert on values of another kind than before: its state and what people know of it stay, and what was
 * measured is forgotten. The same object if there was nothing.
 */
export function measuredAnew(alert: Alert, rule: Rule): Alert {
  const anew = alert.seen === null ? alert : { ...alert, seen: null };
  const isChange = comparisonsOfRule(rule).some((comparison) => "span" in comparison);
  const { worst } = lifeOf(alert);
  if (!isChange && (worst?.base ?? null) === null) return anew;
  if (worst === null && alert.told.value === null) return anew;
  return withLife({ ...anew, told: { ...anew.told, value: null } }, { worst: null });
}
