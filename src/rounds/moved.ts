import { acrossKind } from "../engine/across.ts";
import { measuredAnew } from "../engine/measured.ts";
import type { Alert, Rule, Subject } from "../model.ts";

/**
 * The alert of a rule with `across` after an edit of what it is made of: the same one, which people know,
 * on values of another kind. What was measured on the values of before is forgotten. Null: it watches
 * something else altogether, and another alert begins.
 */
export function movedTo(alert: Alert, subject: Subject, rule: Rule): Alert | null {
  const kind = acrossKind(alert.subject);
  if (rule.across === null || kind === null || kind !== acrossKind(subject.key)) return null;
  return measuredAnew({ ...alert, subject: subject.key }, rule);
}
