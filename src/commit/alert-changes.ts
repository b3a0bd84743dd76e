import { notificationStateOf } from "../decide/notification-state.ts";
import type { Alert } from "../model/index.ts";

/**
 * Whether an alert is to be told from what it was before a round: its state, what people were told of it or
 * what holds its notices back is another. Timers and counts that go on are none. An alert that begins as
 * nobody would expect otherwise is none either: there may be a hundred thousand of them.
 */
export function isAlertChange(before: Alert | null, after: Alert): boolean {
  const { state, firedAt, lastNotified, missing } = after;
  if (before === null) {
    return state !== "ok" || lastNotified.state !== "ok" || missing?.told === true;
  }
  if (state !== before.state || firedAt !== before.firedAt) return true;
  if (lastNotified.state !== before.lastNotified.state) return true;
  if ((missing?.told === true) !== (before.missing?.told === true)) return true;
  if (before.life === after.life) return false;
  const [old, now] = [notificationStateOf(before), notificationStateOf(after)];
  return (
    old.acked !== now.acked ||
    old.once !== now.once ||
    old.byMissing !== now.byMissing ||
    old.cooling !== now.cooling ||
    (old.firings?.on === null) !== (now.firings?.on === null) ||
    (old.gaps?.on === null) !== (now.gaps?.on === null)
  );
}
