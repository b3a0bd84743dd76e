import { isFiring } from "../decide/notification-state.ts";
import type { AlertChange } from "../model/index.ts";

/** A time in which an alert fired; `to` null: it still does. */
export interface FiringSpan {
  readonly from: number;
  readonly to: number | null;
}

/** When an alert fired, by what became of it, oldest first. Recovering counts: it has not resolved yet. */
export function firingSpans(changes: readonly AlertChange[]): FiringSpan[] {
  const spans: { from: number; to: number | null }[] = [];
  let open: { from: number; to: number | null } | null = null;
  for (const { at, alert } of changes) {
    const fires = isFiring(alert.state);
    if (fires && open === null) {
      open = { from: at, to: null };
      spans.push(open);
    } else if (!fires && open !== null) {
      open.to = at;
      open = null;
    }
  }
  return spans;
}
