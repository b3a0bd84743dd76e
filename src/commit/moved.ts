import { acrossKind } from "../decide/across.ts";
import { EARLIER, withLife } from "../decide/life.ts";
import { measuredAnew } from "../decide/measured.ts";
import type { Alert, Rule, Subject } from "../model/index.ts";

/**
 * The alert of a rule with `across` after an edit of what it is made of: the same one, which people know,
 * on values of another kind. What was measured on the values of before is forgotten. Null: it watches
 * something else altogether, and another alert begins.
 */
export function movedTo(alert: Alert, subject: Subject, rule: Rule): Alert | null {
  const kind = acrossKind(alert.subject);
  if (rule.across === null || kind === null || kind !== acrossKind(subject.key)) return null;
  // Should it be over now, that is by the edit: the values of before were others.
  const when = alert.told.state === "firing" ? EARLIER : null;
  return measuredAnew(withLife({ ...alert, subject: subject.key }, { when }), rule);
}
