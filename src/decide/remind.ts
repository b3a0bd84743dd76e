import type { Alert, Rule } from "../model/index.ts";
import { lifeOf } from "./life.ts";

/**
 * Whether people are to be reminded of a firing alert: the gap counts from what they were told last,
 * and the last gap of the list goes on. However much is overdue, that is one reminder.
 */
export function isReminderDue({ remind }: Rule, alert: Alert, date: number): boolean {
  if (remind.length === 0 || alert.state !== "firing") return false;
  const { reminded } = lifeOf(alert);
  const last = reminded?.at ?? alert.firedAt;
  const gap = remind[Math.min(reminded?.count ?? 0, remind.length - 1)];
  return last !== null && gap !== undefined && date - last >= gap;
}
